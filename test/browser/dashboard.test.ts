import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  APP_PORT,
  builtFiles,
  type OpenDashboard,
  openDashboard,
} from '../cli/dashboard/open-dashboard.js'
import { DAY, RECORD, reported } from '../cli/dashboard/records.js'
import { ROUTE } from '../cli/dashboard/routes.js'
import { workingApp } from '../cli/dashboard/work.js'
import { violations } from './axe.js'
import { describeInChromium, pagesOfFile } from './chromium.js'

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
  '#/work',
  '#/work/job%2F1',
]

/** A dashboard that has seen a day of an application. */
async function openDay(): Promise<OpenDashboard> {
  const own = await openDashboard(builtFiles())
  const app = workingApp()
  own.dashboard.addRoutes(app, [ROUTE])
  own.dashboard.serves(app, APP_PORT)
  for (const each of DAY) own.dashboard.add(each)
  return own
}

async function goTo(page: Page, own: OpenDashboard, view: string): Promise<void> {
  await page.goto(`${own.origin}/${view}`)
  await page
    .locator(READY[view] ?? '.details')
    .first()
    .waitFor()
}

const READY: Readonly<Record<string, string>> = {
  '#/requests': 'tbody tr',
  '#/routes': 'td.access',
  '#/work': 'td.status',
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
    'has no accessibility violations and fits the window, at $width px in $scheme mode',
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

  it('removes the token from the URL, and keeps it for this tab only', async () => {
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

  it('can be used with the keyboard alone to open, copy, find again and filter requests', async () => {
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
    await tabTo(/^GET \/orders\/7/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'GET /orders/7' }).waitFor()
    await expect.poll(focused).toContain('/orders/7')

    await tabTo(/^Copy$/)
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(`curl 'http://localhost:${APP_PORT}/orders/7'`)
    expect(copied).toContain('$AUTHORIZATION"')

    await page.getByRole('link', { name: 'All requests' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.details').waitFor({ state: 'detached' })
    expect(await focused()).toBe('GET /orders/7')
    await page.getByLabel('Filter').focus()
    await page.keyboard.type('post 422')
    await expect.poll(() => page.locator('tbody tr:visible').count()).toBe(1)
    await page.getByText('1 of 5 requests').waitFor()
    expect(problems).toEqual([])
  })

  it('opens a route, and returns to the same route in the list', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own, { viewport: { width: 400, height: 800 } })
    await goTo(page, own, '#/routes')
    // The link past the head changes nothing of the view.
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
    await page.getByRole('link', { name: ROUTE.path }).click()
    await page.getByRole('heading', { name: ROUTE.path }).waitFor()
    await page.getByRole('link', { name: 'All routes' }).click()
    await page.locator('.details').waitFor({ state: 'detached' })
    const focused = await page.evaluate<string>('document.activeElement.textContent')
    expect(focused).toContain(ROUTE.path)
    expect(problems).toEqual([])
  })

  it('shows a job with its statements, and runs a dead job again by keyboard', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    await page.getByRole('link', { name: 'Work' }).press('Enter')
    await page.getByRole('link', { name: 'receipt' }).press('Enter')
    await page.getByText('insert into receipts (order_id) values ($1)').waitFor()
    await page.getByText('The printer has no paper').waitFor()
    await page.getByRole('button', { name: 'retry' }).press('Enter')
    await page.getByText('The job will run once more.').waitFor()
    await page.getByRole('heading', { name: 'waiting receipt' }).waitFor()
    expect(await page.getByRole('button', { name: 'retry' }).count()).toBe(0)
    await page.getByRole('link', { name: 'All work' }).press('Enter')
    await page.locator('.details').waitFor({ state: 'detached' })
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('receipt')
    expect(problems).toEqual([])
  })

  it('shows new requests as they arrive', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    own.dashboard.add(reported({ url: '/live' }))
    await page.getByRole('link', { name: 'GET /live' }).waitFor()
    expect(problems).toEqual([])
  })

  it('keeps only the last 200 requests', async () => {
    const own = await openDashboard(builtFiles())
    for (let i = 1; i <= 201; i++) own.dashboard.add(reported({ url: `/n/${i}` }))
    const { page } = await visit(own)
    own.dashboard.add(reported({ url: '/n/202' }))
    await page.getByRole('link', { name: '/n/202' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(200)
    await page.goto(`${own.origin}/#/requests/1`)
    await page.getByText('no longer stored').waitFor()
  })

  it('displays markup in requests as plain text', async () => {
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

  it('shows that the command has ended', async () => {
    const own = await openDay()
    const { page } = await visit(own)
    own.dashboard.close()
    await page.getByText('blazon dev does not respond').waitFor()
    // The list is still there to read.
    expect(await page.locator('tbody tr').count()).toBe(DAY.length)
  })

  it('shows that the application has failed to start', async () => {
    const own = await openDay()
    const { page, problems } = await visit(own)
    own.dashboard.failed('The application did not start: its process ended with status 1.')
    await page.getByText('with status 1. The terminal shows the reason.').waitFor()
    expect(await violations(page)).toEqual([])
    own.dashboard.serves(workingApp(), APP_PORT)
    await page.getByText('The application is running.').waitFor()
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
