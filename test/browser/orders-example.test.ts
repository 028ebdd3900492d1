import { App } from 'blazon'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { options } from '../../examples/orders/app.js'
import { databases } from '../../examples/orders/databases.js'
import { demoToken } from '../../examples/orders/demo-token.js'
import { database } from '../../examples/orders/stores.js'
import { startPgliteFromTemplate } from '../pglite-template.js'
import { describeInChromium, pagesOfFile } from './chromium.js'

startPgliteFromTemplate()

/** Starts the example with an embedded database. Returns its address. */
async function start(): Promise<string> {
  const [kind] = databases
  const made = await kind?.make()
  const app = await App.create({
    ...options,
    plugins: made === undefined ? [] : [database(made.places)],
    rateLimit: false,
    logger: false,
  })
  onTestFinished(async () => {
    await app.close()
    await made?.drop?.()
  })
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  return `http://127.0.0.1:${port}`
}

const AS_CLERK = {
  authorization: `Bearer ${demoToken('clerk')}`,
  'content-type': 'application/json',
}

async function post(origin: string, path: string, body: object): Promise<void> {
  const sent = { method: 'POST', headers: AS_CLERK, body: JSON.stringify(body) }
  const response = await fetch(origin + path, sent)
  expect(response.status).toBe(201)
}

/** Adds a customer and an order of `sku`. */
async function place(origin: string, sku: string): Promise<void> {
  await post(origin, '/orders', {
    customerId: 1,
    shipTo: { street: 'Lange Gasse 1', city: 'Wien', country: 'at' },
    lines: [{ sku, quantity: 1, unitPrice: 100 }],
  })
}

async function openPage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/api-docs`)
  await page.locator('.btn.authorize').click()
  await page.locator('.auth-container input').fill(demoToken('clerk'))
  await page.locator('.auth-btn-wrapper .authorize').click()
  await page.locator('.auth-btn-wrapper .btn-done').click()
}

/** Opens an operation. */
async function operation(page: Page, id: string) {
  const found = page.locator(`[id="operations-Orders-${id}"]`)
  await found.locator('.opblock-summary-control').click()
  return found
}

const WIDTHS = [1280, 400]

describeInChromium('the documentation page of the orders example', () => {
  const open = pagesOfFile()

  it.each(WIDTHS)('sends an export request, at a width of %i px', async (width) => {
    const origin = await start()
    await post(origin, '/customers', { name: 'Ada', email: 'ada@example.com' })
    await place(origin, 'TEA')
    const { page, problems } = await open(origin, { viewport: { width, height: 900 } })
    await openPage(page, origin)
    const found = await operation(page, 'Orders_export')
    await found.locator('.content-type').first().selectOption('text/csv')
    await found.locator('.execute').click()
    const answer = found.locator('.live-responses-table .response')
    await expect.poll(() => answer.textContent()).toContain('customerId')
    expect(await answer.locator('.response-col_status').textContent()).toMatch(/^\s*200/)
    expect(problems).toEqual([])
  })

  it.each(WIDTHS)('shows the feed while it arrives, at a width of %i px', async (width) => {
    const origin = await start()
    await post(origin, '/customers', { name: 'Ada', email: 'ada@example.com' })
    const { page, problems } = await open(origin, { viewport: { width, height: 900 } })
    await openPage(page, origin)
    const found = await operation(page, 'Orders_feed')
    await found.locator('.execute').click()
    const stream = page.getByRole('region', { name: 'Stream' })
    await expect.poll(() => stream.getByRole('log').textContent()).toContain(': open')
    await place(origin, 'CUP')
    await expect.poll(() => stream.getByRole('log').textContent()).toContain('CUP')
    await stream.getByRole('button', { name: 'Stop' }).press('Enter')
    await expect.poll(() => stream.count()).toBe(0)
    const answer = found.locator('.live-responses-table .response')
    await expect.poll(() => answer.textContent()).toContain('CUP')
    expect(problems).toEqual([])
  })

  it.each(WIDTHS)('uploads a receipt, at a width of %i px', async (width) => {
    const origin = await start()
    await post(origin, '/customers', { name: 'Ada', email: 'ada@example.com' })
    await place(origin, 'TEA')
    const { page, problems } = await open(origin, { viewport: { width, height: 900 } })
    await openPage(page, origin)
    const found = await operation(page, 'Receipts_add')
    await found.locator('tr[data-param-name="id"] input').fill('1')
    const buffer = Buffer.from('%PDF-1.7\n%%EOF\n')
    const file = { name: 'receipt.pdf', mimeType: 'application/pdf', buffer }
    await found.locator('input[type=file]').setInputFiles(file)
    await found.locator('.execute').click()
    const answer = found.locator('.live-responses-table .response')
    await expect.poll(() => answer.textContent()).toMatch(/^\s*201/)
    expect(problems).toEqual([])
  })
})
