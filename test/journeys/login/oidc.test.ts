import { describe, expect, it } from 'vitest'
import { web } from './oidc-login.js'
import { ORIGIN, SESSION, startShop } from './support.js'

describe('a login at an issuer', () => {
  it('starts with state, nonce and a challenge, and stores them in one short-lived cookie', async () => {
    const { issuer, browser } = await startShop()
    const { status, location, lines, headers } = await browser().get('/login')
    const url = new URL(location)
    expect([status, url.origin + url.pathname]).toEqual([303, `${issuer.url}/authorize`])
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'shop',
      redirect_uri: `${ORIGIN}/login/callback`,
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(lines).toEqual([
      expect.stringMatching(
        /^__Host-login=[^;]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
    expect(headers['cache-control']).toBe('no-store')
  })

  it('ends with a session of the user, on the page where it started', async () => {
    const { browser } = await startShop()
    const ada = browser()
    expect(await ada.user()).toBe(401)
    const { status, location, headers } = await ada.login('/login?returnTo=/orders?page=2%23last')
    expect([status, location]).toEqual([303, `${ORIGIN}/orders?page=2#last`])
    expect(headers['cache-control']).toBe('no-store')
    expect([...ada.cookies.keys()]).toEqual([SESSION])
    expect(await ada.user()).toBe('ada')
  })

  it('reads the metadata of the issuer once, at the first login', async () => {
    const { issuer, browser } = await startShop()
    expect(issuer.requests).toEqual([])
    for (let i = 0; i < 2; i++) await browser().login()
    const count = (path: string) => issuer.requests.filter((each) => each === path).length
    expect(count('/.well-known/openid-configuration')).toBe(1)
    expect(count('/token')).toBe(2)
    expect(count('/keys')).toBe(1)
  })

  it('changes the session id, even for a user who is already logged in', async () => {
    const { app, issuer, browser } = await startShop()
    const ada = browser()
    const secrets = new Set<string | undefined>()
    for (let i = 0; i < 3; i++) {
      const old = browser()
      for (const [name, value] of ada.cookies) old.cookies.set(name, value)
      await ada.login()
      secrets.add(ada.cookies.get(SESSION))
      expect(await old.user()).toBe(401)
      expect(await ada.user()).toBe('ada')
    }
    expect(secrets.size).toBe(3)
    expect(await app.get(web.manager).list('ada')).toHaveLength(1)
    issuer.subject = 'bob'
    await ada.login()
    expect(await ada.user()).toBe('bob')
    expect(await app.get(web.manager).list('ada')).toEqual([])
  })

  it('stores no session for a visitor who does not come back', async () => {
    const { app, browser } = await startShop()
    for (let i = 0; i < 3; i++) expect((await browser().get('/login')).lines).toHaveLength(1)
    expect(await app.get(web.manager).list('ada')).toEqual([])
  })

  it('is documented with redirects, the session cookie, and refusals', async () => {
    const { app } = await startShop()
    const { paths } = app.document
    const statuses = (path: string, method: 'get' | 'post') =>
      Object.keys(paths[path]?.[method]?.responses ?? {})
    expect(statuses('/login', 'get')).toEqual(expect.arrayContaining(['303', '400', '503']))
    expect(statuses('/login/callback', 'get')).toEqual(
      expect.arrayContaining(['303', '401', '503']),
    )
    const redirect = paths['/login/callback']?.get?.responses['303'] as { headers: object }
    expect(Object.keys(redirect.headers)).toContain('Set-Cookie')
    expect(statuses('/login/logout', 'post')).toEqual(expect.arrayContaining(['303', '403']))
  })
})

describe('the page after a login', () => {
  it.each([
    ['/orders', '/orders'],
    ['orders', '/orders'],
    ['/a/../b', '/b'],
    ['?page=2', '/?page=2'],
    [`${ORIGIN}/orders`, '/orders'],
    ['/%2F%2Fevil.example', '/%2F%2Fevil.example'],
    ['/.//evil.example', '//evil.example'],
    ['/orders?to=//evil.example', '/orders?to=//evil.example'],
    ['', '/'],
  ])('is the page %j of the application', async (path, expected) => {
    const { browser } = await startShop()
    const { location } = await browser().login(`/login?returnTo=${encodeURIComponent(path)}`)
    expect(location).toBe(ORIGIN + expected)
  })

  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '\u0000//evil.example',
    'http:evil.example',
    'http://shop.example/',
    'https://evil.example',
    'https:\\\\evil.example',
    'HTTPS://EVIL.EXAMPLE',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'https://user@shop.example/',
    'https://shop.example:8443/',
    'https://',
    '//',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://shop.example/x',
    'file:///etc/passwd',
    '//evil.example/%2e%2e',
  ])('is the start page if `returnTo` is %j', async (path) => {
    const { browser } = await startShop()
    const { location } = await browser().login(`/login?returnTo=${encodeURIComponent(path)}`)
    expect(location).toBe(`${ORIGIN}/`)
  })

  it('stays on the host of the application even if `returnTo` names another host in any encoding', async () => {
    const { browser } = await startShop()
    for (const text of ['https:evil.example', '//evil.example', '/\\evil.example']) {
      let encoded = text
      for (let i = 0; i < 4; i++) {
        const { location } = await browser().login(`/login?returnTo=${encoded}`)
        expect(new URL(location).origin).toBe(ORIGIN)
        encoded = encodeURIComponent(encoded)
      }
    }
  })

  it('must be given as a single short string', async () => {
    const { browser } = await startShop()
    expect((await browser().get('/login?returnTo=/a&returnTo=//evil.example')).status).toBe(400)
    const long = `/login?returnTo=/${'a'.repeat(2000)}`
    expect((await browser().get(long)).status).toBe(400)
  })
})

describe('a logout', () => {
  it('ends the session in the application and at the issuer, and returns to the application', async () => {
    const { issuer, browser } = await startShop()
    const ada = browser()
    await ada.login()
    const thief = browser()
    for (const [name, value] of ada.cookies) thief.cookies.set(name, value)
    const { status, location } = await ada.post('/login/logout')
    expect([status, new URL(location).pathname]).toEqual([303, '/logout'])
    expect(ada.cookies.size).toBe(0)
    expect(await thief.user()).toBe(401)
    expect((await issuer.visit(location)).href).toBe(`${ORIGIN}/`)
    expect(issuer.subject).toBe('')
  })

  it('returns to the application if the issuer has no logout page, or if the visitor is anonymous', async () => {
    const { issuer, browser } = await startShop()
    issuer.mood.hasLogout = false
    const ada = browser()
    await ada.login()
    expect((await ada.post('/login/logout')).location).toBe(`${ORIGIN}/`)
    expect(await ada.user()).toBe(401)
    expect((await ada.post('/login/logout')).location).toBe(`${ORIGIN}/`)
  })

  it('cannot be requested by a page of another site', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.login()
    const { status, code } = await ada.post('/login/logout', 'cross-site')
    expect([status, code]).toEqual([403, 'CROSS_ORIGIN'])
    expect((await ada.get('/login/logout')).status).toBe(405)
    expect(await ada.user()).toBe('ada')
  })
})
