import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { builtFiles, type OpenDashboard, openDashboard } from '../cli/dashboard/open-dashboard.js'
import { DAY, RECORD, reported } from '../cli/dashboard/records.js'
import { ROUTE } from '../cli/dashboard/routes.js'
import { describeInChromium, pagesOfFile } from './chromium.js'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const CASES = [1280, 400].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

const VIEWS = [
  '#/requests',
  '#/requests/1',
  '#/requests/3',
  '#/requests/5',
  '#/routes',
  '#/routes/0',
  '#/problems',
]

/** A dashboard that has seen a day of an application. */
async function openDay(): Promise<OpenDashboard> {
  const own = await openDashboard(builtFiles())
  const app = {}
  own.dashboard.addRoutes(app, [ROUTE])
  own.dashboard.addWarnings(app, [
    {
      code: 'UNBOUNDED_LIST',
      subject: 'OrdersController.list',
      cause: 'The response is a list without a limit.',
      remedy: 'Add @Paged().',
    },
  ])
  own.dashboard.serves(app)
  for (const each of DAY) own.dashboard.add(each)
  return own
}

/** Violations of the rules of axe, each with the elements. */
async function violations(page: Page): Promise<string[]> {
  // Injected by the debugger's protocol, which no policy of the page concerns.
  await page.evaluate(axeSource)
  return await page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  )
}

const { readFileSync } = await import('node:fs')
const axeSource = readFileSync(AXE, 'utf8')

async function goTo(page: Page, own: OpenDashboard, view: string): Promise<void> {
  await page.goto(`${own.origin}/${view}`)
  await page
    .locator(READY[view] ?? '.details')
    .first()
    .waitFor()
}

const READY: Readonly<Record<string, string>> = {
  '#/requests': 'tbody tr',
  '#/routes': 'table.routes',
  '#/problems': '.problem',
}

describeInChromium('the dashboard', () => {
  const open = pagesOfFile()

  async function visit(own: OpenDashboard, options: Parameters<typeof open>[1] = {}) {
    const visited = await open(own.origin, options)
    await visited.page.goto(own.dashboard.url)
    await visited.page.locator('tbody tr').first().waitFor()
    return visited
  }

  it.each(CASES)(
    'has no violation of axe, and fits, at $width px in $scheme',
    async ({ width, scheme }) => {
      const own = await openDay()
      const { page, problems } = await visit(own, {
        viewport: { width, height: 800 },
        colorScheme: scheme,
      })
      for (const view of VIEWS) {
        await goTo(page, own, view)
        expect(await violations(page), view).toEqual([])
        const [content, window] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, innerWidth]',
        )
        expect(content, view).toBeLessThanOrEqual(window)
      }
      expect(problems).toEqual([])
    },
  )

  it('has no violation of axe in the dialog for hidden values', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    await goTo(page, own, '#/requests/1')
    await page.getByRole('button', { name: 'Replay GET' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it('takes the token out of the address, and keeps it for this tab only', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    expect(page.url()).toBe(`${own.origin}/#/requests`)
    await page.reload()
    await page.getByRole('link', { name: 'DELETE /orders/9' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(problems).toEqual([])
    const other = await open(own.origin)
    await other.page.goto(own.origin)
    await other.page.getByText('This page has no valid token').waitFor()
    expect(await other.page.locator('tbody tr').count()).toBe(0)
  })

  it('is used by keyboard alone: open a request, copy it, send it again, filter', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    const tabTo = async (text: string | RegExp) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        if ((await focused()).match(text)) return
      }
      throw new Error(`No Tab leads to ${text}.`)
    }
    // The first Tab leads past the links of the head.
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await tabTo(/^DELETE/)
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('GET /orders/8')
    await page.keyboard.press('End')
    expect(await focused()).toBe('GET /orders/7')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'GET /orders/7' }).waitFor()
    await expect.poll(focused).toContain('/orders/7')

    await tabTo(/^Copy as curl$/)
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Copied as curl' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(`curl '${own.appOrigin}/orders/7'`)
    expect(copied).toContain(`"$AUTHORIZATION"`)
    await tabTo(/^Copy as test$/)
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Copied as test' }).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(
      'TestApp.create',
    )

    await tabTo(/^Replay GET$/)
    await page.keyboard.press('Enter')
    await page.getByLabel('Header: authorization').waitFor()
    await page.keyboard.type('Bearer typed')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'responded 200' }).waitFor()
    expect(own.received).toMatchObject([
      { method: 'GET', url: '/orders/7', headers: { authorization: 'Bearer typed' } },
    ])

    await page.keyboard.press('Escape')
    await page.getByLabel('Filter').focus()
    await page.keyboard.type('post 422')
    await expect.poll(() => page.locator('tbody tr:visible').count()).toBe(1)
    await page.getByText('1 of 5 requests').waitFor()
    expect(problems).toEqual([])
  })

  it('closes the details with Escape, and returns to the entry in the list', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    await page.getByRole('link', { name: 'GET /orders/8' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'GET /orders/8' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.details').waitFor({ state: 'detached' })
    expect(await focused()).toBe('GET /orders/8')

    await goTo(page, own, '#/routes')
    await page.getByRole('link', { name: ROUTE.path }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: ROUTE.path }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.details').waitFor({ state: 'detached' })
    expect(await focused()).toContain(ROUTE.path)
    expect(problems).toEqual([])
  })

  it('leaves Escape to a dialog, and to the text of the filter', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    const details = page.getByRole('heading', { name: 'GET /orders/7' })
    await goTo(page, own, '#/requests/1')
    await page.getByRole('button', { name: 'Replay GET' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await details.count()).toBe(1)

    const filter = page.getByLabel('Filter')
    await filter.fill('post 422')
    await filter.press('Escape')
    expect(await filter.inputValue()).toBe('')
    expect(await details.count()).toBe(1)
    await filter.fill('post 422')
    await details.focus()
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    // The filter hides the request.
    expect(await page.evaluate('document.activeElement.id')).toBe('filter')
    expect(problems).toEqual([])
  })

  it('shows the new request after a replay, and returns to the list at the same place', async () => {
    const report = reported({ id: 'replayed', url: '/orders/7' })
    const own: OpenDashboard = await openDashboard(builtFiles(), () => own.dashboard.add(report))
    own.dashboard.add(reported())
    const { page, problems } = await visit(own, { viewport: { width: 400, height: 800 } })
    await page.getByRole('link', { name: 'GET /orders/7' }).click()
    await page.getByRole('button', { name: 'Replay GET' }).click()
    await page.waitForURL(/#\/requests\/2$/)
    await page.getByText('responded 200').waitFor()
    await page.getByRole('link', { name: 'All requests' }).click()
    await page.waitForURL(/#\/requests$/)
    const at = await page.evaluate('document.activeElement.getAttribute("href")')
    expect(at).toBe('#/requests/2')
    expect(problems).toEqual([])
  })

  it('shows requests as they arrive, unless the list is paused', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    own.dashboard.add(reported({ url: '/live' }))
    await page.getByRole('link', { name: 'GET /live' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    own.dashboard.add(reported({ url: '/later' }))
    await page.getByText('1 more since the pause').waitFor()
    expect(await page.getByRole('link', { name: '/later' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('link', { name: 'GET /later' }).waitFor()
    expect(problems).toEqual([])
  })

  it('keeps the last 200 requests', async () => {
    const own = await openDashboard(builtFiles())
    for (let i = 1; i <= 201; i++) own.dashboard.add(reported({ url: `/n/${i}` }))
    const { page } = await visit(own)
    own.dashboard.add(reported({ url: '/n/202' }))
    await page.getByRole('link', { name: '/n/202' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(200)
    await page.goto(`${own.origin}/#/requests/1`)
    await page.getByText('not kept any more').waitFor()
  })

  it('shows texts of requests as texts', async () => {
    const markup = '<img src=x onerror=alert(1)>'
    const own = await openDashboard(builtFiles())
    own.dashboard.add(
      reported({
        url: `/${markup}`,
        logs: [{ at: 1, level: markup, message: markup }],
        error: { ...ERROR, name: markup, message: markup, stack: markup },
      }),
    )
    const { page, problems } = await visit(own)
    await goTo(page, own, '#/requests/1')
    expect(await page.locator('img').count()).toBe(0)
    await page.getByText(markup).first().waitFor()
    expect(problems).toEqual([])
  })

  it('says when the command has ended', async () => {
    const own = await openDay()
    const { page } = await visit(own)
    own.dashboard.close()
    await page.getByText('blazon dev does not respond').waitFor()
    // The list is still there to read.
    expect(await page.locator('tbody tr').count()).toBe(DAY.length)
  })

  it('shows why the application does not run', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    const failure = { title: 'The application did not start.', details: 'src/a.ts:3', text: '' }
    own.dashboard.failed(failure, true)
    await page.getByText('The last change does not start, and the code before it serves').waitFor()
    own.dashboard.failed(failure, false)
    await page.getByText('The application does not run').waitFor()
    await page.getByRole('link', { name: 'Problems (4)' }).click()
    await page.getByText('src/a.ts:3').waitFor()
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })
})

const ERROR = {
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  name: RECORD.method,
  message: '',
  stack: '',
}
