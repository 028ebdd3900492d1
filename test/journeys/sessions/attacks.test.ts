import type { Request } from 'blazon'
import { memorySessions } from 'blazon/sessions'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { failing, startShop } from './support.js'

const SITE = 'https://shop.example'
/** What a browser sends from a page of the site, and from others. */
const OWN: Record<string, string>[] = [
  { 'sec-fetch-site': 'same-origin', origin: SITE },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: SITE },
  { origin: 'https://shop.example:443' },
  { origin: SITE, host: 'shop.example:443' },
]
const FOREIGN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'https://blog.shop.example' },
  { 'sec-fetch-site': 'cross-site', origin: 'null' },
  { 'sec-fetch-site': 'cross-site', origin: SITE },
  { 'sec-fetch-site': '' },
  { 'sec-fetch-site': 'Same-Origin' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  { origin: 'https://evil.example' },
  { origin: 'https://blog.shop.example' },
  { origin: 'https://shop.example.evil.example' },
  { origin: 'https://shop.example:8443' },
  { origin: 'https://shop.example, https://evil.example' },
  { origin: 'https://user@evil.example' },
  { origin: 'file://shop.example' },
  { origin: 'null' },
  { origin: '' },
]

async function startSite(options: Parameters<typeof startShop>[0] = {}) {
  const { browser } = await startShop(options)
  return (headers: Record<string, string> = {}, cookie?: string) => {
    const one = browser(cookie)
    one.headers = { host: 'shop.example', ...headers }
    return one
  }
}

/** A user who is logged in, and the cookie. */
async function loggedIn(open: Awaited<ReturnType<typeof startSite>>) {
  const user = open(OWN[0])
  await user.login(7)
  return user.cookie as string
}

describe('a request that can change data', () => {
  it.each(OWN)('is accepted from a page of the same origin: %o', async (headers) => {
    const open = await startSite()
    const cookie = await loggedIn(open)
    expect((await open(headers, cookie).post('pay')).data).toEqual({ paidBy: 7 })
    expect((await open(headers).login()).line).toMatch(/^__Host-session=/)
  })

  it.each(FOREIGN)('is refused from another origin, on every route: %o', async (headers) => {
    const open = await startSite()
    const cookie = await loggedIn(open)
    for (const path of ['pay', 'set', 'ignore', 'logout', 'login', 'nowhere']) {
      const { status, code, line } = await open(headers, cookie).post(path, { id: 8 })
      expect([path, status, code, line]).toEqual([path, 403, 'CROSS_ORIGIN', undefined])
    }
    const deleted = await open(headers, cookie).send('delete', 'item')
    expect([deleted.status, deleted.code]).toEqual([403, 'CROSS_ORIGIN'])
    expect((await open({}, cookie).get('cart')).data).toMatchObject({ isLoggedIn: true, visits: 0 })
  })

  it.each(FOREIGN)('cannot create a session from a page of another origin: %o', async (headers) => {
    const open = await startSite()
    const { status, code, line } = await open(headers).login(666)
    expect([status, code, line]).toEqual([403, 'CROSS_ORIGIN', undefined])
    expect((await open(headers).post('set', { visits: 1 })).line).toBeUndefined()
    // Without a cookie and a session, a page of another origin has no authority of a visitor.
    expect((await open(headers).post('ignore')).status).toBe(200)
  })

  it('is refused with a cookie but without Origin and Sec-Fetch-Site, as old browsers send it', async () => {
    const open = await startSite()
    const cookie = await loggedIn(open)
    const { status, code } = await open({}, cookie).post('pay')
    expect([status, code]).toEqual([403, 'CROSS_ORIGIN'])
    expect((await open({}).login(7)).line).toMatch(/^__Host-session=/)
  })

  it('is accepted from trusted origins', async () => {
    const open = await startSite({ trustedOrigins: ['https://admin.example'] })
    const cookie = await loggedIn(open)
    const origin = 'https://admin.example'
    for (const headers of [{ origin }, { origin, 'sec-fetch-site': 'cross-site' }])
      expect((await open(headers, cookie).post('pay')).status).toBe(200)
    const other = { origin: 'http://admin.example', 'sec-fetch-site': 'cross-site' }
    expect((await open(other, cookie).post('pay')).status).toBe(403)
  })

  it('is compared with the host that a proxy reports only if trustProxy is set', async () => {
    const forwarded = { host: '10.0.0.7', 'x-forwarded-host': 'shop.example', origin: SITE }
    for (const [trustProxy, status] of [
      [true, 200],
      [false, 403],
    ] as const) {
      const open = await startSite({ app: { trustProxy } })
      const cookie = await loggedIn(open)
      expect((await open(forwarded, cookie).post('pay')).status).toBe(status)
      const evil = {
        host: '10.0.0.7',
        'x-forwarded-host': 'shop.example',
        origin: 'https://10.0.0.8',
      }
      expect((await open(evil, cookie).post('pay')).status).toBe(403)
    }
  })

  it('is refused over TLS if it comes from a page without TLS', async () => {
    const open = await startSite({ app: { trustProxy: true } })
    const cookie = await loggedIn(open)
    const headers = { origin: 'http://shop.example', 'x-forwarded-proto': 'https' }
    expect((await open(headers, cookie).post('pay')).status).toBe(403)
  })

  it('is also checked if a middleware has replaced its method', async () => {
    const override = (req: Request, _res: unknown, next: () => void) => {
      const method = req.get('x-method')
      if (method !== undefined) req.method = method
      next()
    }
    const open = await startSite({ app: { middlewares: [override] } })
    const cookie = await loggedIn(open)
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await open({ ...headers, 'x-method': 'DELETE' }, cookie).get('item')).status).toBe(403)
    expect((await open({ ...headers, 'x-method': 'GET' }, cookie).post('cart')).status).toBe(403)
    const own = { 'sec-fetch-site': 'same-origin', 'x-method': 'DELETE' }
    expect((await open(own, cookie).get('item')).status).toBe(200)
  })

  it('is never a GET or HEAD request, because links use these methods', async () => {
    const open = await startSite()
    const cookie = await loggedIn(open)
    const page = open({ 'sec-fetch-site': 'cross-site' }, cookie)
    expect((await page.get('me')).status).toBe(200)
    expect((await page.send('head', 'me')).status).toBe(200)
    expect((await page.get('visit')).status).toBe(204)
    expect((await page.get('cart')).data.visits).toBe(1)
  })
})

describe('a refusal of a request from another origin', () => {
  it.each<[string, Record<string, string>]>([
    ['A request with this cookie must have the header Origin or Sec-Fetch-Site', {}],
    ['A page of another origin has sent this request', { 'sec-fetch-site': 'cross-site' }],
    ['A page of another origin has sent this request', { origin: 'https://evil.example' }],
  ])('has the message "%s" for a request with %j', async (message, headers) => {
    const { app } = await startShop()
    for (const cookie of ['session=x', 'theme=dark,session=x']) {
      const { body } = await app
        .request()
        .post('/shop/ignore')
        .set({ cookie, ...headers })
      expect([body.code, body.message]).toEqual(['CROSS_ORIGIN', message])
    }
  })

  it('never concerns an OPTIONS request', async () => {
    const { app } = await startShop()
    const headers = { cookie: '__Host-session=x', 'sec-fetch-site': 'cross-site' }
    expect((await app.request().options('/shop/me').set(headers)).status).toBe(200)
  })
})

describe('a session cookie', () => {
  it.each<[string, string]>([
    ['localhost:3000', 'session'],
    ['LOCALHOST', 'session'],
    ['shop.localhost', 'session'],
    ['127.0.0.1:3000', 'session'],
    ['127.1.2.3', 'session'],
    ['[::1]:3000', 'session'],
    ['localhost.example', '__Host-session'],
    ['notlocalhost', '__Host-session'],
    ['127.0.0.1.example', '__Host-session'],
    ['10.0.0.1', '__Host-session'],
  ])('for the host %s has the name %s', async (host, name) => {
    const open = await startSite()
    const { line } = await open({ host, 'sec-fetch-site': 'same-origin' }).login()
    expect(line?.split('=')[0]).toBe(name)
    expect(line?.includes('; Secure')).toBe(name.startsWith('__Host-'))
  })

  it('has the prefix __Host- and the attribute Secure outside of localhost', async () => {
    const open = await startSite()
    const { line } = await open(OWN[0]).login()
    expect(line).toMatch(
      /^__Host-session=[\w-]{43}; Max-Age=\d+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    )
  })

  it('has the prefix __Host- in production, even if a proxy sends a local Host header', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { browser } = await startShop({
      store: failing(memorySessions(), () => false),
      app: { swagger: { enabled: false } },
    })
    const ada = browser()
    ada.headers = { ...ada.headers, host: '127.0.0.1:3000' }
    expect((await ada.login()).line).toMatch(/^__Host-session=.*; Secure;/)
  })

  it('is ignored without the prefix __Host-, because a subdomain can set it', async () => {
    const open = await startSite()
    const cookie = await loggedIn(open)
    const tossed = cookie.replace('__Host-', '')
    expect((await open({}, tossed).get('me')).status).toBe(401)
    expect((await open({}, `${tossed}; ${cookie}`).get('me')).status).toBe(200)
    const other = await loggedIn(open)
    expect((await open({}, `${other.replace('__Host-', '')}; ${cookie}`).get('me')).status).toBe(
      200,
    )
  })

  it('is ignored if it occurs twice', async () => {
    const open = await startSite()
    const [one, two] = [await loggedIn(open), await loggedIn(open)]
    for (const cookie of [`${one}; ${two}`, `${one}; ${one}`, `${one}; __Host-session=`]) {
      expect((await open({}, cookie).get('me')).status).toBe(401)
      expect((await open({}, cookie).get('cart')).data.isLoggedIn).toBe(false)
    }
  })

  it('is ignored after tampering, without a query to the store', async () => {
    const open = await startSite()
    const cookie = await loggedIn(open)
    const id = cookie.split('=')[1] as string
    const first = id[0] === 'A' ? 'B' : 'A'
    const texts = [
      first + id.slice(1),
      id.slice(1),
      `${id}A`,
      `"${id}"`,
      id.toLowerCase(),
      id.toUpperCase(),
      encodeURIComponent(`${id} `),
      `${id}.${id}`,
      '',
      '=',
      `%${id.slice(1)}`,
      '../'.repeat(10),
      'x'.repeat(8000),
    ]
    for (const text of texts) {
      const { status } = await open({}, `__Host-session=${text}`).get('me')
      expect([text, status]).toEqual([text, 401])
    }
    for (const name of ['__host-session', '__Host-Session', ' __Host-session x', '__Host-session2'])
      expect((await open({}, `${name}=${id}`).get('me')).status).toBe(401)
    expect((await open({}, `a=b; ${cookie} ; c="d;e"`).get('me')).status).toBe(200)
    expect((await open({}, `${'a=b; '.repeat(1500)}${cookie}`).get('me')).status).toBe(200)
  })

  it('is ignored if its value is sent in another header or in the query', async () => {
    const open = await startSite()
    const id = (await loggedIn(open)).split('=')[1] as string
    for (const headers of [{ authorization: `Bearer ${id}` }, { session: id }, { 'x-session': id }])
      expect((await open(headers as Record<string, string>).get('me')).status).toBe(401)
    expect((await open().get(`me?session=${id}&__Host-session=${id}`)).status).toBe(401)
  })
})

describe('a session of a tenant', () => {
  const tenants = { app: { tenant: { authorize: () => true } } }
  const at = (tenant: string) => ({ ...OWN[0], 'x-tenant-id': tenant })

  it('results in a 401 response for a request to another tenant or to no tenant', async () => {
    const open = await startSite(tenants)
    const ada = open(at('acme'))
    await ada.login(7)
    expect((await ada.get('me')).status).toBe(200)
    for (const headers of [at('globex'), { ...OWN[0] }]) {
      const thief = open(headers, ada.cookie)
      expect((await thief.get('me')).status).toBe(401)
      expect((await thief.get('cart')).data).toMatchObject({ isLoggedIn: false })
    }
  })

  it('is listed and revoked only for its own tenant', async () => {
    const open = await startSite(tenants)
    const [one, other] = [open(at('acme')), open(at('globex'))]
    await one.login(7)
    await other.login(7)
    expect((await one.get('devices')).data).toHaveLength(1)
    expect((await one.post('logout-others')).data).toEqual({ count: 0 })
    const { id } = (await one.get('cart')).data
    expect((await other.send('delete', `devices/${id}`)).data).toEqual({ isRevoked: false })
    expect((await other.get('me')).status).toBe(200)
  })

  it('can be valid for all tenants if `bindTenant` is false', async () => {
    const open = await startSite({ ...tenants, bindTenant: false })
    const ada = open(at('acme'))
    await ada.login(7)
    expect((await open(at('globex'), ada.cookie).get('me')).status).toBe(200)
  })
})
