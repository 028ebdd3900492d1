import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest'

const endpoint = inject('chromium')

/** A `describe` for tests that need a browser: skipped on a machine without a browser, but not in CI. */
export const describeInChromium = describe.skipIf(endpoint === '' && !process.env['CI'])

/** A page, and its problems. */
export interface WatchedPage {
  readonly page: Page
  /** Violations of a policy, errors and warnings of the console, uncaught errors, failed requests, other origins. */
  readonly problems: string[]
}

/** Opens pages in the browser of the run. Each page has storage of its own, and can send requests to `origin` only. */
export function pagesOfFile(): (
  origin: string,
  options?: BrowserContextOptions,
) => Promise<WatchedPage> {
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    browser = await chromium.connect(endpoint)
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(() => browser?.close())
  return async (origin, options = {}) => {
    if (browser === undefined) throw new Error('The browser has not started.')
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    contexts.push(context)
    // It only ends what hangs: a busy machine takes longer than the default of half a minute.
    context.setDefaultTimeout(150_000)
    const page = await context.newPage()
    const problems: string[] = []
    await watch(page, origin, problems)
    return { page, problems }
  }
}

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('violation of', event.violatedDirective, 'by', event.blockedURI, event.sample)
})`

async function watch(page: Page, origin: string, problems: string[]): Promise<void> {
  await page.addInitScript(REPORT_VIOLATIONS)
  await page.route(
    (url) => url.origin !== origin && url.protocol !== 'blob:',
    (route) => {
      problems.push(`foreign request: ${route.request().url()}`)
      return route.abort()
    },
  )
  page.on('console', (message) => {
    const type = message.type()
    if (type === 'error' || type === 'warning') problems.push(`${type}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('requestfailed', (request) => {
    const cause = request.failure()?.errorText
    // The browser aborts unfinished requests when it leaves a page.
    if (cause !== 'net::ERR_ABORTED') problems.push(`${cause}: ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()}: ${response.url()}`)
  })
}
