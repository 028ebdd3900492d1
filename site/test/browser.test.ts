import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInChromium, pagesOfFile } from '../../test/browser/chromium.js'
import { root, site } from './built-site.js'
import { type FileServer, serveFiles } from './serve-files.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const screenshots = join(root, '.artifacts/screenshots/site')

/** A page of each kind: home, tutorial, guide with wide tables, reference, an API page, code of the repository, none. */
const KINDS = [
  '',
  'tutorial/1-routes.html',
  'testing.html',
  'configuration.html',
  'nestjs.html',
  'api/',
  'api/blazon/index.html',
  'api/blazon/classes/App.html',
  'project/numbers.html',
  'repository/examples/orders.html',
  '404.html',
]
/** What a reader types, and a page that is among the first three found. */
const SEARCHES = [
  ['rate limit', 'Rate limits'],
  ['upload file', 'Uploads'],
  ['log in user', 'Auth'],
  ['environment variables', 'Configuration from the environment'],
  ['deploy docker', 'Deployment'],
  ['run tests', 'Testing'],
  ['migrate from express', 'Coming from Express'],
  ['pagination', 'Pagination'],
  ['cors', 'Security'],
  ['proveIsolation', 'Testing all routes'],
  ['add a tenant guard', 'Tenants'],
  ['test with a clock', 'Testing'],
  ['if-match', 'Conditional writes'],
  ['websocket', 'WebSockets'],
  ['single page application', 'Single-page applications'],
  ['seed', 'Seeds'],
  ['sort', 'Sorting by a query parameter'],
  ['send mail', 'Sending mail'],
  ['entra', 'Several issuers, and Entra'],
  ['better auth', 'Better Auth'],
  ['s3', 'Object storage'],
  ['mysql', 'MySQL and SQLite'],
  ['audit log', 'Audit rows'],
] as const

/** At each width, half of the pages are opened in light mode, and the other half in dark mode. */
const LOOKS = [1280, 400].flatMap((width, first) =>
  (['light', 'dark'] as const).map((scheme, second) => ({
    width,
    scheme,
    kinds: KINDS.filter((_, at) => (at + first + second) % 2 === 0),
  })),
)

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What axe finds on a page, one line for each element. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  // A part that is still fading in has the contrast of that moment. An animation that is replaced rejects.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null)',
  )
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)')
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 150)}`))
}

const focused = (page: Page) =>
  page.evaluate<{ text: string; outline: number }>(`(() => {
    const element = document.activeElement
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return { text: element.textContent.trim(), outline: outlineStyle === 'none' ? 0 : parseFloat(outlineWidth) }
  })()`)

describeInChromium('the site', () => {
  const open = pagesOfFile()
  let server: FileServer
  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true })
    server = await serveFiles(site)
  })
  afterAll(async () => await server?.[Symbol.asyncDispose]())

  it.each(LOOKS)(
    'has no accessibility violations at $width px in $scheme mode',
    async ({ width, scheme, kinds }) => {
      const viewport = { width, height: 900 }
      const { page, problems } = await open(server.origin, { viewport, colorScheme: scheme })
      for (const kind of kinds) {
        await page.goto(`${server.origin}/${kind}`, { waitUntil: 'networkidle' })
        expect([kind, await violations(page)]).toEqual([kind, []])
        const content = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect([kind, content]).toEqual([kind, width])
        const name = kind.replace(/\.html$/, '').replaceAll('/', '-') || 'home'
        await page.screenshot({ path: join(screenshots, `${name}-${width}-${scheme}.png`) })
      }
      expect(problems).toEqual([])
    },
  )

  it.each([
    { width: 1280, scheme: 'light' },
    { width: 400, scheme: 'dark' },
  ] as const)(
    'finds pages with the keyboard at $width px in $scheme mode',
    async ({ width, scheme }) => {
      const viewport = { width, height: 900 }
      const { page, problems } = await open(server.origin, { viewport, colorScheme: scheme })
      await page.goto(`${server.origin}/`, { waitUntil: 'networkidle' })
      await page.keyboard.press('Control+k')
      const input = page.locator('#search-words')
      await input.waitFor()
      await page.keyboard.type('rate limit')
      await page.locator('.found a').first().waitFor()
      expect(await violations(page)).toEqual([])
      await page.screenshot({ path: join(screenshots, `search-${width}-${scheme}.png`) })
      await page.keyboard.press('Enter')
      await page.waitForURL('**/rate-limits.html*')
      expect(problems).toEqual([])
    },
  )

  it('finds the right page for typical search words', async () => {
    const { page } = await open(server.origin)
    await page.goto(`${server.origin}/`, { waitUntil: 'networkidle' })
    await page.locator('.search-button').click()
    for (const [words, title] of SEARCHES) {
      // An empty list first, so that what is read is not of the words before.
      await page.locator('#search-words').fill('')
      await page.locator('.found a').first().waitFor({ state: 'detached' })
      await page.locator('#search-words').fill(words)
      await page.locator('.found a').first().waitFor()
      const found = await page.locator('.found a').allInnerTexts()
      const leads = await page.locator('.found a .lead').allInnerTexts()
      const titles = found.slice(0, 3).map((text) => text.split(/ › |\n/)[0])
      expect.soft([words, titles]).toEqual([words, expect.arrayContaining([title])])
      const long = leads.filter((lead) => lead.trim().length > 10)
      expect.soft(long.length, words).toBeGreaterThan(found.length / 2)
    }
  })

  it('has a link that skips to the content, and always shows the focus', async () => {
    const { page } = await open(server.origin)
    await page.goto(`${server.origin}/validation.html`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Tab')
    expect((await focused(page)).text).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('VPContent')
    await page.reload({ waitUntil: 'networkidle' })
    const unseen: string[] = []
    for (let index = 0; index < 40; index++) {
      await page.keyboard.press('Tab')
      const { text, outline } = await focused(page)
      if (outline < 2) unseen.push(text)
    }
    expect(unseen).toEqual([])
  })

  it('opens its mobile menus with the keyboard', async () => {
    const { page } = await open(server.origin, { viewport: { width: 400, height: 900 } })
    await page.goto(`${server.origin}/validation.html`, { waitUntil: 'networkidle' })
    await page.locator('.VPNavBarHamburger').focus()
    await page.keyboard.press('Enter')
    await page.locator('.VPNavScreen a', { hasText: 'Tutorial' }).waitFor()
    await page.locator('.VPNavScreen summary').focus()
    await page.keyboard.press('Enter')
    await page.locator('.VPNavScreen .version-menu a').waitFor()
    expect(await violations(page)).toEqual([])
    await page.screenshot({ path: join(screenshots, 'menu-400.png') })
    await page.locator('.VPNavBarHamburger').focus()
    await page.keyboard.press('Enter')
    await page.locator('.VPLocalNav .menu').focus()
    await page.keyboard.press('Enter')
    await page.locator('.VPSidebar a', { hasText: 'API keys' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.screenshot({ path: join(screenshots, 'sidebar-400.png') })
  })

  it('keeps the color scheme that a reader has chosen', async () => {
    const { page } = await open(server.origin, { colorScheme: 'light' })
    await page.goto(`${server.origin}/tour.html`, { waitUntil: 'networkidle' })
    await page.getByRole('switch').first().click()
    await page.locator('html.dark').waitFor()
    await page.goto(`${server.origin}/validation.html`)
    await page.locator('html.dark').waitFor()
  })
})
