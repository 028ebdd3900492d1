import { scryptSync } from 'node:crypto'
import { beforeAll, expect, it, vi } from 'vitest'
import {
  describeWithServer,
  ownServerDatabase,
  type ServerDatabase,
} from '../../integrations/postgres/own-database.js'
import { SUPERUSER } from '../../integrations/postgres/server.js'
import { accountTables, web } from './accounts.js'
import { CHEAP, startAccounts, WatchedHashes } from './support.js'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const OTHER = 'staple battery horse'
const WRONG = 'incorrect horse battery'
const INVALID = { status: 400, code: 'VALIDATION_FAILED' }
const OWN_WORK = { method: 'argon2id', cost: CHEAP }

describeWithServer('the code in docs/passwords.md', () => {
  let database: ServerDatabase
  beforeAll(async () => {
    database = await ownServerDatabase()
    await database.run(accountTables(SUPERUSER))
    return () => database[Symbol.asyncDispose]()
  })
  const start = (...args: [hashes?: WatchedHashes, more?: object]) =>
    startAccounts(database, ...args)

  async function storedOf(email: string): Promise<string> {
    const [row] = await database.run('select password from accounts where email = $1', [email])
    return String(row?.['password'])
  }

  it('registers an account through a link, logs in, and stores the e-mail in lower case', async () => {
    const { send, register } = await start()
    await register('Ada@Example.com', PASSWORD)
    const { status, cookie } = await send('login', { email: EMAIL, password: PASSWORD })
    expect([status, cookie]).toEqual([204, expect.stringMatching(/^session=[\w-]{43}$/)])
    expect(await storedOf(EMAIL)).toMatch(
      /^\$argon2id\$v=19\$m=64,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
    )
  })

  it('accepts a password in another Unicode normalization form', async () => {
    const { send, register } = await start()
    await register(EMAIL, 'pässword of Ada'.normalize('NFC'))
    const password = 'pässword of Ada'.normalize('NFD')
    expect((await send('login', { email: EMAIL, password })).status).toBe(204)
  })

  it('takes the same steps for an unknown account and for a wrong password', async () => {
    const { send, register, hashes } = await start()
    await register(EMAIL, PASSWORD)
    const wrong = await send('login', { email: EMAIL, password: WRONG })
    const workOfWrong = hashes.work.splice(0)
    const unknown = await send('login', { email: 'eve@example.com', password: WRONG })
    expect(workOfWrong).toEqual([OWN_WORK])
    expect(hashes.work.splice(0)).toEqual(workOfWrong)
    expect(unknown).toEqual(wrong)
    expect(wrong).toMatchObject({ status: 401, code: 'LOGIN_FAILED', cookie: undefined })
    await send('login', { email: EMAIL, password: PASSWORD })
    expect(hashes.work).toEqual([OWN_WORK])
  })

  it('responds in the same way to a request for a link, with and without an account', async () => {
    const { send, register, hashes, links } = await start()
    await register(EMAIL, PASSWORD)
    links.length = 0
    const known = await send('link', { email: EMAIL })
    const unknown = await send('link', { email: 'eve@example.com' })
    expect(unknown).toEqual(known)
    expect(known.status).toBe(204)
    expect(links.map(({ to }) => to)).toEqual([EMAIL, 'eve@example.com'])
    expect(hashes.work).toEqual([])
  })

  it('sends at most three links to one address, without revealing the limit', async () => {
    const { send, links } = await start()
    const replies: unknown[] = []
    for (let i = 0; i < 5; i++) replies.push(await send('link', { email: EMAIL }))
    expect(replies).toEqual(replies.map(() => replies[0]))
    expect(links).toHaveLength(3)
  })

  it('stores only a digest of a link, and accepts the link once within 30 minutes', async () => {
    const { send, links } = await start()
    for (let i = 0; i < 3; i++) await send('link', { email: EMAIL })
    const [late, first, second] = links.map(({ token }) => token)
    const rows = JSON.stringify(await database.run('select * from password_links'))
    for (const { token } of links) expect(rows).not.toContain(token)
    await database.run(
      `update password_links set until = now() where digest =
        translate(rtrim(encode(sha256($1::bytea), 'base64'), '='), '+/', '-_')`,
      [late],
    )
    const use = (token: string | undefined) => send('password', { token, password: PASSWORD })
    expect(await use(late)).toMatchObject({ status: 400, code: 'LINK_INVALID' })
    expect(await use('x'.repeat(43))).toMatchObject({ status: 400, code: 'LINK_INVALID' })
    expect((await use(first)).status).toBe(204)
    expect(await use(first)).toMatchObject({ status: 400, code: 'LINK_INVALID' })
    // The other links of the address are dead, too.
    expect(await use(second)).toMatchObject({ status: 400, code: 'LINK_INVALID' })
    expect(await database.run('select * from password_links')).toEqual([])
  })

  it('computes no password hash for an invalid, used or expired link', async () => {
    const { send, links, hashes } = await start()
    for (let i = 0; i < 2; i++) await send('link', { email: EMAIL })
    const [late, used] = links.map(({ token }) => token)
    expect((await send('password', { token: used, password: PASSWORD })).status).toBe(204)
    await send('link', { email: EMAIL })
    await database.run('update password_links set until = now()')
    hashes.work.length = 0
    for (const token of ['made up', '', used, late, links.at(-1)?.token]) {
      const { status, code } = await send('password', { token, password: OTHER })
      expect([status, code]).toEqual([400, 'LINK_INVALID'])
    }
    expect(hashes.work).toEqual([])
  })

  it('accepts a link only once for concurrent requests', async () => {
    const { send, links } = await start()
    await send('link', { email: EMAIL })
    const body = { token: links[0]?.token, password: PASSWORD }
    const replies = await Promise.all([1, 2, 3, 4].map(() => send('password', body)))
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400])
  })

  it('ends all sessions of the user, and no other sessions, after a password change', async () => {
    const { app, send, register, links } = await start()
    await register(EMAIL, PASSWORD)
    await register('eve@example.com', PASSWORD)
    for (const email of [EMAIL, EMAIL, 'eve@example.com'])
      await send('login', { email, password: PASSWORD })
    await send('link', { email: EMAIL })
    await send('password', { token: links.at(-1)?.token, password: OTHER })
    expect(await app.get(web.manager).list('1')).toEqual([])
    expect(await app.get(web.manager).list('2')).toHaveLength(1)
    expect((await send('login', { email: EMAIL, password: PASSWORD })).status).toBe(401)
    expect((await send('login', { email: EMAIL, password: OTHER })).status).toBe(204)
  })

  it('starts no session with a password that is replaced while it is checked', async () => {
    const { app, send, register, links, hashes } = await start()
    await register(EMAIL, PASSWORD)
    await send('link', { email: EMAIL })
    hashes.before = async () => {
      hashes.before = () => {}
      const reset = { token: links.at(-1)?.token, password: OTHER }
      expect((await send('password', reset)).status).toBe(204)
    }
    const login = await send('login', { email: EMAIL, password: PASSWORD })
    expect(login).toMatchObject({ status: 401, cookie: undefined })
    expect(await app.get(web.manager).list('1')).toEqual([])
  })

  it('replaces an outdated hash (of another method or cost) only at the next successful login', async () => {
    const salt = Buffer.alloc(16, 7)
    const code = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const key = scryptSync(PASSWORD, salt, 32, { N: 2 ** 12, r: 8, p: 1 })
    const scrypt = `$scrypt$ln=12,r=8,p=1$${code(salt)}$${code(key)}`
    const cheaper = await new WatchedHashes({ cost: { ...CHEAP, m: 32 } }).hash(PASSWORD)
    for (const old of [scrypt, cheaper]) {
      const { send, hashes } = await start()
      await database.run('insert into accounts (email, password) values ($1, $2)', [EMAIL, old])
      expect((await send('login', { email: EMAIL, password: WRONG })).status).toBe(401)
      expect(await storedOf(EMAIL)).toBe(old)
      expect((await send('login', { email: EMAIL, password: PASSWORD })).status).toBe(204)
      expect(await storedOf(EMAIL)).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
      hashes.work.length = 0
      expect((await send('login', { email: EMAIL, password: PASSWORD })).status).toBe(204)
      expect(hashes.work).toEqual([OWN_WORK])
      await database.run('delete from accounts')
    }
  })

  it('computes two hashes at once, queues 20 requests, and refuses further requests with 503', async () => {
    const { send, hashes } = await start()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    hashes.before = () => held
    const statuses: number[] = []
    const sent = Array.from({ length: 30 }, async (_, i) => {
      const reply = await send('login', { email: `user${i}@example.com`, password: WRONG })
      statuses.push(reply.status)
      return reply
    })
    await vi.waitFor(() => expect(statuses).toHaveLength(8), { timeout: 60_000 })
    expect(hashes.running).toBe(2)
    release()
    const replies = await Promise.all(sent)
    expect(statuses.slice(0, 8)).toEqual(Array(8).fill(503))
    expect(statuses.slice(8)).toEqual(Array(22).fill(401))
    expect(hashes.most).toBe(2)
    const refused = replies.filter(({ status }) => status === 503)
    for (const { code, headers } of refused)
      expect([code, headers['retry-after']]).toEqual(['TOO_MANY_LOGINS', '1'])
  })

  it('continues after the computation of a hash has failed', async () => {
    const { send, hashes } = await start()
    hashes.before = () => Promise.reject(new Error('no memory'))
    const body = { email: EMAIL, password: WRONG }
    for (let i = 0; i < 3; i++) expect((await send('login', body)).status).toBe(500)
    hashes.before = () => {}
    expect((await send('login', body)).status).toBe(401)
  })

  it('allows ten attempts per account from all addresses together, even for an unknown account', async () => {
    const { send, register, hashes, links } = await start()
    await register(EMAIL, PASSWORD)
    const ends: unknown[] = []
    for (const email of [EMAIL, 'nobody@example.com']) {
      for (let i = 0; i < 10; i++)
        expect((await send('login', { email, password: WRONG })).status).toBe(401)
      hashes.work.length = 0
      const { headers, ...rest } = await send('login', { email, password: PASSWORD })
      expect(hashes.work).toEqual([])
      const wait = Number(headers['retry-after'])
      expect(wait > 800 && wait <= 900).toBe(true)
      ends.push(rest)
    }
    expect(ends[0]).toMatchObject({ status: 429, code: 'TOO_MANY_ATTEMPTS', cookie: undefined })
    expect(ends[1]).toEqual(ends[0])
    await send('link', { email: EMAIL })
    await send('password', { token: links.at(-1)?.token, password: OTHER })
    expect((await send('login', { email: EMAIL, password: OTHER })).status).toBe(204)
    await database.run("update login_attempts set since = now() - interval '16 minutes'")
    const later = await send('login', { email: 'nobody@example.com', password: PASSWORD })
    expect(later.status).toBe(401)
  })

  it('allows ten attempts even if they are concurrent', async () => {
    const { send } = await start(new WatchedHashes({ cost: CHEAP, waiting: 100 }))
    const body = { email: EMAIL, password: WRONG }
    const replies = await Promise.all(Array.from({ length: 15 }, () => send('login', body)))
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])
  })

  it('allows ten requests per minute for each address', async () => {
    const { send } = await start(undefined, { rateLimit: {} })
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      const { status } = await send('login', { email: `user${i}@example.com`, password: WRONG })
      statuses.push(status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  })

  it('resets the number of attempts after a successful login', async () => {
    const { send, register } = await start()
    await register(EMAIL, PASSWORD)
    for (let i = 0; i < 9; i++) await send('login', { email: EMAIL, password: WRONG })
    expect((await send('login', { email: EMAIL, password: PASSWORD })).status).toBe(204)
    expect((await send('login', { email: EMAIL, password: WRONG })).status).toBe(401)
  })

  it('refuses short and very long passwords immediately', async () => {
    const { send, hashes } = await start()
    for (const password of ['short', 'x'.repeat(201), '', 7])
      expect(await send('password', { token: 'x', password })).toMatchObject(INVALID)
    const long = { email: EMAIL, password: 'x'.repeat(201) }
    expect(await send('login', long)).toMatchObject(INVALID)
    expect(hashes.work).toEqual([])
  })
})
