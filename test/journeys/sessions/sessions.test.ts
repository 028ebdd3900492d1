import { Controller, Get, Post, type Request } from 'blazon'
import { memorySessions, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { Browser, failing, startShop } from './support.js'

const SECRET = /^session=[\w-]{43}$/

describe('a session', () => {
  it('does not exist until a value is written', async () => {
    const { browser } = await startShop()
    const ada = browser()
    for (const path of ['plain', 'cart', 'maybe']) {
      const { status, line } = await ada.get(path)
      expect([status, line]).toEqual([200, undefined])
    }
    expect((await ada.get('cart')).data).toEqual({ cart: [], visits: 0, isLoggedIn: false })
    expect((await ada.post('set', {})).line).toBeUndefined()
    expect((await ada.post('unset')).line).toBeUndefined()
    expect((await ada.post('regenerate')).line).toBeUndefined()
    expect((await ada.post('logout')).line).toBeUndefined()
  })

  it('starts with the first value, without a login', async () => {
    const { browser } = await startShop()
    const ada = browser()
    const { line } = await ada.post('set', { cart: ['tea'] })
    expect(line).toMatch(
      /^session=[\w-]{43}; Max-Age=1209600; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/,
    )
    expect((await ada.get('cart')).data).toMatchObject({ cart: ['tea'], isLoggedIn: false })
    expect((await ada.get('cart')).line).toBeUndefined()
    expect((await browser().get('cart')).data.cart).toEqual([])
  })

  it('keeps its values after a login, and reveals them to no other user', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.post('set', { cart: ['tea'] })
    await ada.login(7)
    expect((await ada.get('cart')).data).toMatchObject({ cart: ['tea'], isLoggedIn: true })
    expect((await ada.get('me')).data).toEqual({ id: 7 })
    await ada.login(7, ['admin'])
    expect((await ada.get('cart')).data.cart).toEqual(['tea'])
    await ada.login(8)
    expect((await ada.get('cart')).data.cart).toEqual([])
  })

  it('adds no-store to every response whose request has used it', async () => {
    const { browser } = await startShop()
    const ada = browser()
    const replies = [await ada.get('cart'), await ada.login(), await ada.get('me')]
    replies.push(
      await ada.post('set', { visits: 2 }),
      await browser().get('me'),
      await ada.get('lost'),
    )
    for (const { headers } of replies) {
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['vary']).toContain('Cookie')
    }
    const { headers } = await ada.get('plain')
    expect([headers['cache-control'], headers['vary'] ?? '']).not.toContain('no-store')
  })

  it('ends after a new idle time that is shorter than the original one', async () => {
    // One store for both applications.
    const store = failing(memorySessions(), () => false)
    const before = await startShop({ store, idle: '2h' })
    const ada = before.browser()
    await ada.login(7)
    const after = await startShop({ store, idle: '30m' })
    expect((await after.browser(ada.cookie).get('me')).status).toBe(200)
    await after.app.clock.advance('31m')
    expect((await before.browser(ada.cookie).get('me')).status).toBe(200)
    expect((await after.browser(ada.cookie).get('me')).status).toBe(401)
  })

  it('is admitted by the guard only with a user and the required abilities', async () => {
    const { browser } = await startShop()
    const ada = browser()
    expect((await ada.get('me')).status).toBe(401)
    await ada.post('set', { cart: ['tea'] })
    expect((await ada.get('me')).status).toBe(401)
    await ada.login(7)
    expect((await ada.get('me')).status).toBe(200)
    expect((await ada.get('admin')).status).toBe(403)
    await ada.login(7, ['admin'])
    expect((await ada.get('admin')).status).toBe(200)
    expect((await ada.get('maybe')).data.user).toMatchObject({ id: 7 })
  })

  it('loads its user with findUser() for each request', async () => {
    const roles = new Map([['7', ['admin']]])
    const { browser } = await startShop({
      findUser: async (id) =>
        roles.has(id) ? { id: Number(id), roles: roles.get(id) ?? [] } : null,
    })
    const ada = browser()
    await ada.login(7)
    expect((await ada.get('admin')).status).toBe(200)
    roles.set('7', [])
    expect((await ada.get('admin')).status).toBe(403)
    roles.clear()
    expect((await ada.get('me')).status).toBe(401)
  })

  it('refuses values that do not match its schema, and keeps its previous values', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.post('set', { cart: ['tea'] })
    expect((await ada.post('set', { cart: ['x'.repeat(40_000)] })).status).toBe(500)
    expect((await ada.get('cart')).data.cart).toEqual(['tea'])
  })

  it('leaves out stored values that do not match a new schema, which is logged once', async () => {
    let isOld = true
    const Values = z.object({
      n: z
        .number()
        .refine(() => isOld, 'is not a letter')
        .optional(),
    })
    const web = sessions({ schema: Values })
    @Controller('shop')
    class NewerController {
      @Post('set') async set(req: Request) {
        await (await web.of(req)).set({ n: 1 })
      }
      @Get('values') async values(req: Request) {
        return (await web.of(req)).data
      }
    }
    await using app = await TestApp.create({ controllers: [NewerController], plugins: [web] })
    const ada = new Browser(app)
    await ada.post('set')
    expect((await ada.get('values')).data).toEqual({ n: 1 })
    isOld = false
    for (let i = 0; i < 2; i++) expect((await ada.get('values')).data).toEqual({})
    expect(app.logs).toMatchObject([{ level: 'warn', facts: { issues: 'is not a letter' } }])
  })

  it('can remove a value', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.post('set', { theme: 'dark', visits: 3 })
    await ada.post('unset')
    expect((await ada.get('cart')).data).toEqual({
      cart: [],
      visits: 3,
      isLoggedIn: false,
      id: expect.any(String),
    })
  })

  it('never shows the secret of the cookie as its id', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.login()
    const { id } = (await ada.get('cart')).data
    expect(ada.cookie).toMatch(SECRET)
    expect(id).not.toBe(ada.id)
    expect((await browser(`session=${id}`).get('me')).status).toBe(401)
  })
})

describe('the id of a session', () => {
  it('changes at a login, a change of rights and on request; the old id is invalid at once', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.post('set', { cart: ['tea'] })
    const ids = [ada.cookie as string]
    for (const step of [
      () => ada.login(7),
      () => ada.login(7, ['x']),
      () => ada.post('regenerate'),
    ]) {
      await step()
      ids.push(ada.cookie as string)
    }
    expect(new Set(ids).size).toBe(4)
    for (const old of ids.slice(0, -1)) {
      expect((await browser(old).get('me')).status).toBe(401)
      expect((await browser(old).get('cart')).data.cart).toEqual([])
    }
    expect((await ada.get('cart')).data.cart).toEqual(['tea'])
  })

  it('is invalid after a logout, even in a copy of the cookie', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.login()
    const thief = browser(ada.cookie)
    expect((await thief.get('me')).status).toBe(200)
    const { line } = await ada.post('logout')
    expect(line).toMatch(/^session=; Max-Age=0; Path=\//)
    expect(ada.cookie).toBeUndefined()
    expect((await thief.get('me')).status).toBe(401)
    expect((await thief.get('cart')).data.isLoggedIn).toBe(false)
  })

  it('is never chosen by the client', async () => {
    const { browser } = await startShop()
    const chosen = `session=${'A'.repeat(43)}`
    const victim = browser(chosen)
    await victim.login(7)
    expect(victim.cookie).not.toBe(chosen)
    expect((await browser(chosen).get('me')).status).toBe(401)
    await browser(chosen).post('set', { cart: ['x'] })
    expect((await browser(chosen).get('cart')).data.cart).toEqual([])
  })

  it('cannot be planted by another visitor before login (session fixation)', async () => {
    const { browser } = await startShop()
    const attacker = browser()
    await attacker.post('set', { cart: ['x'] })
    const planted = attacker.cookie as string
    const victim = browser(planted)
    await victim.login(7)
    expect((await browser(planted).get('me')).status).toBe(401)
    expect((await victim.get('me')).data.id).toBe(7)
  })
})

describe('a session over time', () => {
  it('ends when it is not used, and is extended while it is used', async () => {
    const { app, browser } = await startShop({ idle: '1h', absolute: '1d' })
    const ada = browser()
    await ada.login()
    for (let i = 0; i < 5; i++) {
      await app.clock.advance('50m')
      expect((await ada.get('me')).status).toBe(200)
    }
    await app.clock.advance('61m')
    expect((await ada.get('me')).status).toBe(401)
    expect((await ada.get('cart')).data.isLoggedIn).toBe(false)
  })

  it('ends after the absolute time, even if it is used or its id changes', async () => {
    const { app, browser } = await startShop({ idle: '1h', absolute: '2h' })
    const ada = browser()
    const bob = browser()
    await ada.login()
    await bob.login()
    for (let i = 0; i < 3; i++) {
      await app.clock.advance('39m')
      expect((await ada.get('me')).status).toBe(200)
    }
    await bob.login()
    await ada.post('regenerate')
    await app.clock.advance('4m')
    expect((await ada.get('me')).status).toBe(401)
  })

  it('is written once per twentieth of the idle time, not at every read', async () => {
    const store = memorySessions()
    let touched = 0
    const counting = {
      ...failing(store, () => false),
      touch: (...args: Parameters<typeof store.touch>) => {
        touched++
        return store.touch(...args)
      },
    }
    const { app, browser } = await startShop({ idle: '100s', absolute: '1d', store: counting })
    const ada = browser()
    await ada.login()
    for (let i = 0; i < 20; i++) {
      await app.clock.advance('1s')
      await ada.get('me')
    }
    expect(touched).toBe(4)
  })

  it('is refused if it expires while its user is looked up', async () => {
    const gates = [gate(), gate()].map((waiting) => ({ waiting, begun: gate() }))
    let asked = 0
    const findUser = async (id: string) => {
      const at = gates[asked++]
      at?.begun.open()
      await at?.waiting.opened
      return { id }
    }
    const timeouts = { handler: '1h' } as const
    const { app, browser } = await startShop({ findUser, idle: '10m', app: { timeouts } })
    const bob = browser()
    await bob.login()
    for (const [index, { waiting, begun }] of gates.entries()) {
      const response = bob.get('me')
      await begun.opened
      if (index === 1) await app.clock.advance('11m')
      waiting.open()
      expect((await response).status).toBe(index === 1 ? 401 : 200)
    }
  })

  it('is not extended if the clock is set back', async () => {
    const { app, browser } = await startShop({ idle: '1h', absolute: '2h' })
    const ada = browser()
    await ada.login()
    app.clock.set(new Date(app.clock.now() - 3_600_000))
    expect((await ada.get('me')).status).toBe(200)
    await app.clock.advance('3h')
    expect((await ada.get('me')).status).toBe(401)
  })
})

describe('parallel requests with one session', () => {
  it('create one session with all values, even for parallel writes of one request', async () => {
    const created: string[] = []
    const inner = memorySessions()
    const create: typeof inner.create = (record) => {
      created.push(record.id)
      return inner.create(record)
    }
    const { browser } = await startShop({ store: { ...failing(inner, () => false), create } })
    const ada = browser()
    expect((await ada.post('both')).status).toBe(204)
    expect((await ada.get('cart')).data).toMatchObject({ cart: ['tea'], visits: 1 })
    expect(created).toHaveLength(1)
  })

  it("keep each other's stored values", async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.post('set', { visits: 1 })
    const all = [ada.post('set', { cart: ['tea'] }), ada.post('set', { theme: 'dark' })]
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200])
    expect((await ada.get('cart')).data).toMatchObject({ cart: ['tea'], theme: 'dark', visits: 1 })
  })

  it('count exactly if they use update()', async () => {
    const { browser } = await startShop()
    const ada = browser()
    await ada.post('set', { visits: 0 })
    await Promise.all(Array.from({ length: 5 }, () => ada.post('visit')))
    expect((await ada.get('cart')).data.visits).toBe(5)
  })

  it('result in a 409 response if another request has changed the same value or ended the session', async () => {
    const inner = memorySessions()
    let before: (() => unknown) | undefined
    const store = {
      ...failing(inner, () => false),
      write: async (...args: Parameters<typeof inner.write>) => {
        const run = before
        before = undefined
        await run?.()
        return inner.write(...args)
      },
    }
    const { browser } = await startShop({ store })
    const ada = browser()
    await ada.post('set', { visits: 1 })
    const other = browser(ada.cookie)
    before = () => other.post('set', { visits: 2 })
    const conflict = await ada.post('set', { visits: 3 })
    expect([conflict.status, conflict.code]).toEqual([409, 'SESSION_CONFLICT'])
    expect((await ada.get('cart')).data.visits).toBe(2)
    before = () => other.post('set', { visits: 10 })
    await ada.post('visit')
    expect((await ada.get('cart')).data.visits).toBe(11)
    before = () => other.post('logout')
    const gone = await ada.post('set', { visits: 4 })
    expect([gone.status, gone.code]).toEqual([409, 'SESSION_CONFLICT'])
    expect((await ada.get('cart')).data.visits).toBe(0)
  })
})

describe('the sessions of a user', () => {
  it('can be listed, and ended individually or together', async () => {
    const { browser } = await startShop()
    const [phone, laptop, other, stranger] = [browser(), browser(), browser(), browser()]
    for (const each of [phone, laptop, other]) await each.login(7)
    await stranger.login(8)
    const devices = (await phone.get('devices')).data as { id: string }[]
    expect(devices).toHaveLength(3)
    const { id } = (await other.get('cart')).data
    const foreign = await stranger.send('delete', `devices/${id}`)
    expect(foreign.data).toEqual({ isRevoked: false })
    expect((await other.get('me')).status).toBe(200)
    expect((await phone.send('delete', `devices/${id}`)).data).toEqual({ isRevoked: true })
    expect((await other.get('me')).status).toBe(401)
    expect((await phone.post('logout-others')).data).toEqual({ count: 1 })
    expect([await phone.get('me'), await laptop.get('me')].map(({ status }) => status)).toEqual([
      200, 401,
    ])
    expect((await stranger.get('me')).status).toBe(200)
  })
})

describe('an outage of the session store', () => {
  it('results in a 503 response for requests with a session, and no user becomes anonymous', async () => {
    let isDown = false
    const { browser } = await startShop({ store: failing(memorySessions(), () => isDown) })
    const ada = browser()
    await ada.login()
    isDown = true
    for (const path of ['me', 'maybe', 'cart', 'devices']) {
      const { status, code, line } = await ada.get(path)
      expect([path, status, code, line]).toEqual([path, 503, 'SESSIONS_UNAVAILABLE', undefined])
    }
    expect((await ada.post('logout')).status).toBe(503)
    const bob = browser()
    expect((await bob.get('cart')).status).toBe(200)
    expect((await bob.get('me')).status).toBe(401)
    expect((await bob.login()).line).toBeUndefined()
    expect((await ada.get('plain')).status).toBe(200)
    isDown = false
    expect((await ada.get('me')).status).toBe(200)
  })
})

describe('sessions in memory', () => {
  it('are refused in production, where processes need a shared store', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(startShop()).rejects.toMatchObject({ problems: [{ code: 'E_SESSIONS_MEMORY' }] })
    const store = failing(memorySessions(), () => false)
    const { browser } = await startShop({ store })
    expect((await browser().login()).status).toBe(204)
  })
})
