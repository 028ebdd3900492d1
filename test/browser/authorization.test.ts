import type { Page } from 'playwright-core'
import { afterEach, expect, it, vi } from 'vitest'
import { describeInChromium, pagesOfFile } from './chromium.js'
import { openShop } from './shop.js'

async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('.btn.authorize').click()
  await page.locator('.auth-container input').fill(token)
  await page.locator('.auth-btn-wrapper .authorize').click()
  await page.locator('.auth-btn-wrapper .btn-done').click()
}

/** Sends `GET /account/me` from the page. */
async function requestMe(page: Page): Promise<{ status: string; body: string }> {
  const operation = page.locator('#operations-Account-Account_me')
  if ((await operation.getAttribute('class'))?.includes('is-open') !== true) {
    await operation.locator('.opblock-summary-control').click()
  }
  await operation.locator('.try-out__btn').waitFor()
  const tryOut = operation.locator('.try-out__btn:not(.cancel)')
  if ((await tryOut.count()) > 0) await tryOut.click()
  await operation.locator('.execute').click()
  const answer = operation.locator('.live-responses-table .response')
  return {
    status: ((await answer.locator('.response-col_status').textContent()) ?? '').trim(),
    body: (await answer.locator('.highlight-code').first().textContent()) ?? '',
  }
}

/** The data of a page in storage and cookies. */
async function stored(page: Page): Promise<{ local: string; session: string; cookies: number }> {
  return {
    local: await page.evaluate('JSON.stringify({ ...localStorage })'),
    session: await page.evaluate('JSON.stringify({ ...sessionStorage })'),
    cookies: (await page.context().cookies()).length,
  }
}

describeInChromium('authorization on the documentation page', () => {
  const open = pagesOfFile()
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('sends the token, and shows the response of a protected operation', async () => {
    await using shop = await openShop()
    const { page, problems } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await authorize(page, 'ada')
    const answer = await requestMe(page)
    expect(answer.status).toMatch(/^200/)
    expect(answer.body).toContain('"id": "ada"')
    expect(shop.seen).toEqual(['Bearer ada'])
    expect(problems).toEqual([])
  })

  it('shows the 401 response for a wrong token, and for a missing token', async () => {
    await using shop = await openShop()
    const { page } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    const unknown = await requestMe(page)
    await authorize(page, 'eve')
    const refused = await requestMe(page)
    for (const { status, body } of [unknown, refused]) {
      expect(status).toMatch(/^401/)
      expect(body).toContain('"statusCode": "error"')
    }
    expect(shop.seen).toEqual([undefined, 'Bearer eve'])
  })

  it('shows a lock on protected operations only', async () => {
    await using shop = await openShop()
    const { page } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await page.locator('.opblock').first().waitFor()
    const locked = page.locator('.opblock:has(.authorization__btn)')
    expect(
      await locked.evaluateAll((found: { id: string }[]) => found.map(({ id }) => id)),
    ).toEqual([
      'operations-Orders-Orders_create',
      'operations-Orders-Orders_remove',
      'operations-Account-Account_me',
    ])
  })

  it('is kept after a page reload in development, but not in another tab', async () => {
    await using shop = await openShop()
    const { page, problems } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await authorize(page, 'ada')
    await page.reload()
    expect((await requestMe(page)).status).toMatch(/^200/)
    const left = await stored(page)
    expect(left).toMatchObject({ local: '{}', cookies: 0 })
    expect(left.session).toContain('ada')
    const other = await page.context().newPage()
    await other.goto(`${shop.url}/api-docs`)
    expect((await requestMe(other)).status).toMatch(/^401/)
    expect(problems).toEqual([])
  })

  it('is removed by a logout and stays removed after a reload in development', async () => {
    await using shop = await openShop()
    const { page } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await authorize(page, 'ada')
    await page.locator('.btn.authorize').click()
    await page.locator('.auth-btn-wrapper .btn', { hasText: 'Logout' }).click()
    await page.reload()
    expect((await requestMe(page)).status).toMatch(/^401/)
    expect((await stored(page)).session).not.toContain('ada')
  })

  it('is removed by a page reload in production, and is never stored', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    await using shop = await openShop()
    const { page, problems } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await authorize(page, 'ada')
    expect((await requestMe(page)).status).toMatch(/^200/)
    expect(await stored(page)).toEqual({ local: '{}', session: '{}', cookies: 0 })
    expect(problems).toEqual([])
    await page.reload()
    expect((await requestMe(page)).status).toMatch(/^401/)
  })

  it('works even if the stored value is broken', async () => {
    await using shop = await openShop()
    const { page, problems } = await open(shop.origin)
    await page.goto(`${shop.url}/api-docs`)
    await page.evaluate("sessionStorage.setItem('authorization of /api-docs.json', '{broken')")
    await page.reload()
    await authorize(page, 'ada')
    expect((await requestMe(page)).status).toMatch(/^200/)
    expect(problems).toEqual([])
  })
})
