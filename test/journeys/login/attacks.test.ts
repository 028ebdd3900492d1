import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import type { LocalIssuer } from './issuer.js'
import { web } from './oidc-login.js'
import { type Browser, PENDING, SESSION, startShop } from './support.js'

const FAILED = [401, 'LOGIN_FAILED']
const UNAVAILABLE = [503, 'ISSUER_UNAVAILABLE']

/** The status and the code of an answer that must not log anybody in. */
async function refused(browser: Browser, answer: string) {
  const had = browser.cookies.get(SESSION)
  const { status, code, lines } = await browser.get(answer)
  expect(lines.filter((line) => line.startsWith(SESSION))).toEqual([])
  expect(browser.cookies.get(SESSION)).toBe(had)
  expect(browser.cookies.has(PENDING)).toBe(false)
  return [status, code]
}

function changed(answer: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(answer, 'https://shop.example')
  change(url.searchParams)
  return url.pathname + url.search
}

describe('a response from the issuer', () => {
  it.each<[string, (query: URLSearchParams) => void]>([
    ['another state', (query) => query.set('state', 'A'.repeat(43))],
    ['no state', (query) => query.delete('state')],
    ['an empty state', (query) => query.set('state', '')],
    ['two states', (query) => query.append('state', query.get('state') as string)],
    ['no code', (query) => query.delete('code')],
    ['two codes', (query) => query.append('code', 'another')],
    ['a code that was never issued', (query) => query.set('code', 'another')],
    ['another issuer (RFC 9207)', (query) => query.set('iss', 'https://evil.example')],
    ['an issuer with an additional slash', (query) => query.set('iss', `${query.get('iss')}/`)],
    ['no issuer, although this issuer always sends it', (query) => query.delete('iss')],
    ['two issuers', (query) => query.append('iss', 'https://evil.example')],
    ['an id token beside the code', (query) => query.set('id_token', 'a.b.c')],
    ['the parameter `response`', (query) => query.set('response', 'a.b.c')],
    ['no parameter', (query) => [...query.keys()].forEach((name) => void query.delete(name))],
  ])('starts no session with %s', async (_, change) => {
    const { issuer, browser } = await startShop()
    const ada = browser()
    const answer = changed(await ada.answer(), change)
    expect(await refused(ada, answer)).toEqual(FAILED)
    expect(await ada.user()).toBe(401)
    // The login is over, also for the right answer.
    const { code, state, iss } = { code: 'x', state: 'y', iss: issuer.url }
    expect(await refused(ada, `/login/callback?code=${code}&state=${state}&iss=${iss}`)).toEqual(
      FAILED,
    )
  })

  it.each<[string, LocalIssuer['mood']['claims']]>([
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'another shop' }],
    ['two audiences and another authorized party', { aud: ['shop', 'other'], azp: 'other' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an expiration time in the past', { exp: Math.floor(Date.now() / 1000) - 3600 }],
    ['no expiration time', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is not text', { sub: 7 }],
  ])('starts no session if the id token has %s', async (_, claims) => {
    const { issuer, browser } = await startShop()
    Object.assign(issuer.mood.claims, claims)
    const ada = browser()
    expect(await refused(ada, await ada.answer())).toEqual(FAILED)
    expect(await ada.user()).toBe(401)
  })

  it('starts no session if the id token is signed with another key', async () => {
    const { issuer, browser } = await startShop()
    const ada = browser()
    await ada.login()
    issuer.mood.forgedKey = (await generateKeyPair('ES256')).privateKey
    issuer.subject = 'admin'
    const eve = browser()
    expect(await refused(eve, await eve.answer())).toEqual(FAILED)
    expect(await eve.user()).toBe(401)
    expect(await ada.user()).toBe('ada')
  })

  it('is accepted only once, even if it is sent again with a copy of all cookies', async () => {
    const { app, browser } = await startShop()
    const ada = browser()
    const answer = await ada.answer()
    const thief = browser()
    for (const [name, value] of ada.cookies) thief.cookies.set(name, value)
    expect((await ada.get(answer)).status).toBe(303)
    expect(await refused(ada, answer)).toEqual(FAILED)
    expect(await ada.user()).toBe('ada')
    expect(await refused(thief, answer)).toEqual(FAILED)
    expect(await thief.user()).toBe(401)
    expect(await app.get(web.manager).list('ada')).toHaveLength(1)
  })

  it('is refused ten minutes after the start of the login', async () => {
    const { app, browser } = await startShop()
    const [ada, bob] = [browser(), browser()]
    await app.clock.advance(0)
    const [early, late] = [await ada.answer(), await bob.answer()]
    await app.clock.advance('599s')
    expect((await ada.get(early)).status).toBe(303)
    await app.clock.advance('1s')
    expect(await refused(bob, late)).toEqual(FAILED)
  })

  it('is accepted only for the latest login that its browser has started', async () => {
    const { browser } = await startShop()
    const ada = browser()
    const [first, second] = [await ada.answer(), await ada.answer()]
    expect((await ada.get(second)).status).toBe(303)
    await ada.get('/login')
    expect(await refused(ada, first)).toEqual(FAILED)
    expect(await ada.user()).toBe('ada')
  })
})

describe('a response that belongs to the login of another browser', () => {
  it('starts no session, so that no visitor is logged in as the attacker (login CSRF)', async () => {
    const { issuer, browser } = await startShop()
    issuer.subject = 'eve'
    const planted = await browser().answer()
    issuer.subject = 'ada'
    const [fresh, waiting, member] = [browser(), browser(), browser()]
    await waiting.answer()
    await member.login()
    for (const victim of [fresh, waiting, member])
      expect(await refused(victim, planted)).toEqual(FAILED)
    expect(await fresh.user()).toBe(401)
    expect(await waiting.user()).toBe(401)
    expect(await member.user()).toBe('ada')
  })

  it('starts no session if an attacker moves its code to another login (code injection)', async () => {
    const { issuer, browser } = await startShop()
    const stolen = new URLSearchParams((await browser().answer()).split('?')[1]).get('code')
    issuer.subject = 'eve'
    const eve = browser()
    const injected = changed(await eve.answer(), (query) => query.set('code', stolen as string))
    expect(await refused(eve, injected)).toEqual(FAILED)
    expect(await eve.user()).toBe(401)
  })

  it('is refused with a forged login cookie', async () => {
    const { browser } = await startShop()
    const ada = browser()
    const answer = await ada.answer()
    const signed = ada.cookies.get(PENDING) as string
    const text = decodeURIComponent(signed)
    for (const forged of [
      text.replace('"until":1', '"until":9'),
      text.slice(0, text.lastIndexOf('.')),
      text.replace(/^j:/, ''),
      `${text}A`,
      'j:{}',
      '',
    ]) {
      const eve = browser()
      eve.cookies.set(PENDING, encodeURIComponent(forged))
      const { status, code, lines } = await eve.get(answer)
      expect([forged, status, code]).toEqual([forged, ...FAILED])
      expect(lines.filter((line) => line.startsWith(SESSION))).toEqual([])
    }
    ada.cookies.set('login', signed)
    ada.cookies.delete(PENDING)
    expect(await refused(ada, answer)).toEqual(FAILED)
  })
})

describe('a refusal of the issuer', () => {
  it.each([
    ['access_denied', FAILED],
    ['login_required', FAILED],
    ['invalid_scope', FAILED],
    ['server_error', UNAVAILABLE],
    ['temporarily_unavailable', UNAVAILABLE],
  ])(
    'with the error %s results in %j, and its description is not repeated',
    async (error, expected) => {
      const { issuer, browser } = await startShop()
      const error_description = '<script>alert(1)</script>'
      issuer.mood.parameters = { code: undefined, error, error_description }
      const ada = browser()
      const answer = await ada.answer()
      const { status, code, body } = await ada.get(answer)
      expect([status, code]).toEqual(expected)
      expect(JSON.stringify(body)).not.toContain('script')
      expect(await ada.user()).toBe(401)
    },
  )

  it('is treated as a failed login if its state belongs to another login', async () => {
    const { issuer, browser } = await startShop()
    issuer.mood.parameters = { code: undefined, error: 'server_error', state: 'another' }
    const ada = browser()
    expect(await refused(ada, await ada.answer())).toEqual(FAILED)
  })
})

const MOODS: [string, LocalIssuer['mood']['answer']][] = [
  ['closes connections', 'cut'],
  ['answers with 500', { status: 500, body: '{}' }],
  ['answers with 503 and a page', { status: 503, body: '<html>' }],
  ['answers with a page instead of JSON', { status: 200, body: '<html>' }],
]

describe('an issuer that cannot be used', () => {
  it.each(MOODS)(
    'causes a 503 response at the start of a login as long as it %s',
    async (_, answer) => {
      const { app, issuer, browser } = await startShop()
      issuer.mood.answer = answer
      const ada = browser()
      for (let i = 0; i < 2; i++) {
        const { status, code, lines } = await ada.get('/login')
        expect([status, code, lines]).toEqual([...UNAVAILABLE, []])
      }
      expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(2)
      issuer.mood.answer = null
      expect((await ada.login()).status).toBe(303)
      expect(await ada.user()).toBe('ada')
    },
  )

  it.each(MOODS)('causes a 503 response at the end of a login if it %s', async (_, answer) => {
    const { app, issuer, browser } = await startShop()
    const ada = browser()
    const path = await ada.answer()
    issuer.mood.answer = answer
    expect(await refused(ada, path)).toEqual(UNAVAILABLE)
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(1)
    issuer.mood.answer = null
    expect(await ada.user()).toBe(401)
    expect((await ada.login()).status).toBe(303)
  })

  it('does not end sessions or delay a logout', async () => {
    const { issuer, browser } = await startShop()
    const ada = browser()
    await ada.login()
    issuer.mood.answer = 'cut'
    expect(await ada.user()).toBe('ada')
    const { status, location } = await ada.post('/login/logout')
    expect([status, new URL(location).pathname]).toEqual([303, '/logout'])
    expect(await ada.user()).toBe(401)
  })

  it('causes a 503 response and a log line with the reason if the client secret is wrong', async () => {
    const { app, browser } = await startShop({}, 'a wrong secret')
    const ada = browser()
    expect(await refused(ada, await ada.answer())).toEqual(UNAVAILABLE)
    const [entry] = app.logs.filter(({ level }) => level === 'error')
    const facts = entry?.facts as { err: { cause: { error: string } } } | undefined
    expect(facts?.err.cause.error).toBe('invalid_client')
    expect(JSON.stringify(app.logs)).not.toContain('a wrong secret')
  })
})
