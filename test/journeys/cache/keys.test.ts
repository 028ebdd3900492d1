import { once } from 'node:events'
import { request } from 'node:http'
import {
  All,
  Auth,
  type AuthGuard,
  Cache,
  Can,
  Controller,
  Get,
  type Req,
  type Request,
  UnauthorizedError,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nameTenant } from './support.js'

let calls = 0
let key: (req: Request) => unknown

/** Reads the user as JSON from a header, so that tests can send any id. */
class HeaderGuard implements AuthGuard {
  canActivate(req: Request) {
    const user = req.get('x-user')
    if (user === undefined) throw new UnauthorizedError()
    req.user = JSON.parse(user)
    return true
  }
}

@Controller()
class KeysController {
  @Cache({ ttl: 60 })
  @Get('open/:id')
  open(req: Request) {
    return { call: ++calls, url: req.url }
  }

  @Cache({ ttl: 60 })
  @Auth()
  @Get('mine')
  mine(req: Req<{ auth: true }>) {
    return { call: ++calls, id: req.user.id ?? req.user.sub }
  }

  @Cache({ ttl: 60 })
  @Can('read')
  @Get('abilities')
  abilities() {
    return { call: ++calls }
  }

  @Cache({ ttl: 60, key: (req) => key(req) as string })
  @Get('own')
  own() {
    return { call: ++calls }
  }

  @Cache({ ttl: 60 })
  @All('posted')
  posted(req: Request) {
    return { call: ++calls, body: req.body ?? 'none' }
  }

  @Cache({ ttl: 60, tags: (req) => req.query.tags as string[] })
  @Get('tagged')
  tagged() {
    return { call: ++calls }
  }
}

let app: TestApp
beforeEach(async () => {
  calls = 0
  app = await TestApp.create({
    controllers: [KeysController],
    auth: { guard: new HeaderGuard() },
    middlewares: [nameTenant],
    contract: 'throw',
  })
})
afterEach(() => app.close())

const stateOf = async (path: string, headers: Record<string, string> = {}) =>
  (await app.request().get(path).set(headers)).headers['x-cache']

describe('a GET request with a body', () => {
  const ask = async (body?: object, type = 'application/json') => {
    const asked = app.request().get('/posted')
    const { headers, body: answer } = await (body === undefined
      ? asked
      : asked.set('Content-Type', type).send(body))
    return [headers['x-cache'], answer.data]
  }

  it('bypasses the cache, and its response is not stored', async () => {
    expect(await ask({ a: 1 })).toEqual(['BYPASS', { call: 1, body: { a: 1 } }])
    expect(await ask({ a: 2 })).toEqual(['BYPASS', { call: 2, body: { a: 2 } }])
    expect(await ask()).toEqual(['MISS', { call: 3, body: 'none' }])
    expect(await ask({ a: 1 })).toEqual(['BYPASS', { call: 4, body: { a: 1 } }])
    expect(await ask()).toEqual(['HIT', { call: 3, body: 'none' }])
  })

  it('uses the cache if the body is empty', async () => {
    await ask()
    const { headers } = await app.request().get('/posted').set('Content-Length', '0')
    expect(headers['x-cache']).toBe('HIT')
  })

  it('bypasses the cache if the body is chunked', async () => {
    await ask()
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
    const to = { path: '/posted', headers, createConnection: app.connect }
    const [answer] = await once(request(to).end('{"a":3}'), 'response')
    answer.resume()
    expect(answer.headers['x-cache']).toBe('BYPASS')
  })
})

describe('the default cache key', () => {
  it.each([
    ['/open/1', '/open/1'],
    ['/open/1?', '/open/1'],
    ['/open/1?a=1&b=2', '/open/1?b=2&a=1'],
    ['/open/1?a=1&&b=2', '/open/1?&b=2&a=1'],
    ['/open/1?c=3&a=1&b=2', '/open/1?a=1&b=2&c=3'],
    ['/open/1?tag=x&tag=y&b=1', '/open/1?b=1&tag=x&tag=y'],
  ])('is the same for %s and %s', async (a, b) => {
    expect([await stateOf(a), await stateOf(b)]).toEqual(['MISS', 'HIT'])
  })

  it.each([
    ['/open/1', '/open/2'],
    ['/open/1', '/open/1?a=1'],
    ['/open/1?a=1&b=2', '/open/1?a=1%26b=2'],
    ['/open/1?a=1&b=2', '/open/1%3Fa=1&b=2'],
    ['/open/1?tag=x&tag=y', '/open/1?tag=y&tag=x'],
    ['/open/1?a=x&a[]=y', '/open/1?a[]=y&a=x'],
    ['/open/1?a%5B0%5D=x&a=y', '/open/1?a=y&a%5B0%5D=x'],
    ['/open/1?%E0%A4%A=1&b=2', '/open/1?b=1&%E0%A4%A=2'],
    ['/open/a', '/open/A'],
  ])('is different for %s and %s', async (a, b) => {
    expect([await stateOf(a), await stateOf(b)]).toEqual(['MISS', 'MISS'])
    expect([await stateOf(a), await stateOf(b)]).toEqual(['HIT', 'HIT'])
  })

  it('is not used for requests with credentials on a route without a guard', async () => {
    for (const headers of [{ Authorization: 'Bearer a' }, { Cookie: 'sid=1' }]) {
      expect(await stateOf('/open/1', headers)).toBe('BYPASS')
      expect(await stateOf('/open/1', headers)).toBe('BYPASS')
    }
    expect(await stateOf('/open/1')).toBe('MISS')
    expect(await stateOf('/open/1', { Cookie: 'sid=1' })).toBe('BYPASS')
    expect(calls).toBe(6)
  })

  it('contains the user of a protected route', async () => {
    const users = [{ id: 1 }, { id: '1' }, { id: 2 }, { sub: 'ada' }, { id: null, sub: 'bob' }]
    for (const expected of ['MISS', 'HIT']) {
      for (const user of users) {
        const { headers, body } = await app
          .request()
          .get('/mine')
          .set('X-User', JSON.stringify(user))
          .set('Authorization', 'Bearer a')
        expect(headers['x-cache']).toBe(expected)
        expect(body.data.id).toBe(user.id ?? user.sub)
      }
    }
  })

  it.each([{}, { id: '' }, { id: { toString: 'a' } }, { id: ['a'] }, { id: true }])(
    'is not used for the user %j, who has no usable ID',
    async (user) => {
      const headers = { 'X-User': JSON.stringify(user) }
      expect(await stateOf('/mine', headers)).toBe('BYPASS')
      expect(await stateOf('/mine', headers)).toBe('BYPASS')
    },
  )

  it('is computed only after the guard and the abilities were checked', async () => {
    const may = { 'X-User': '{"id":1,"roles":["read"]}' }
    expect([await stateOf('/abilities', may), await stateOf('/abilities', may)]).toEqual([
      'MISS',
      'HIT',
    ])
    expect((await app.request().get('/abilities')).status).toBe(401)
    const demoted = { 'X-User': '{"id":1,"roles":[]}' }
    expect((await app.request().get('/abilities').set(demoted)).status).toBe(403)
  })

  it('is different for each tenant', async () => {
    const seen = new Map<string, unknown>()
    for (const expected of ['MISS', 'HIT']) {
      for (const id of ['acme', 'acme-2', 'Acme', 'a:b', '__proto__', '']) {
        const caller = id === '' ? app.request() : app.asTenant(id).request()
        const { headers, body } = await caller.get('/open/1')
        expect(headers['x-cache']).toBe(expected)
        if (expected === 'MISS') seen.set(id, body.data.call)
        expect(body.data.call).toBe(seen.get(id))
      }
    }
  })
})

describe('the key option', () => {
  it('alone determines which requests share a response', async () => {
    key = (req) => `own ${req.query.a}`
    expect(await stateOf('/own?a=1')).toBe('MISS')
    expect(await stateOf('/own?a=1&b=2')).toBe('HIT')
    expect(await stateOf('/own?a=2')).toBe('MISS')
  })

  it('never gives access to the response of another tenant, whatever string it returns', async () => {
    key = (req) => String(req.query.key)
    const call = async (tenant: string, each: string) =>
      (await app.asTenant(tenant).request().get('/own').query({ key: each })).body.data.call
    expect(await call('a', 'b:c')).toBe(1)
    expect(await call('a:b', 'c')).toBe(2)
    expect(await call('a%3Ab', 'c')).toBe(3)
    expect((await app.request().get('/own').query({ key: 'a:b:c' })).body.data.call).toBe(4)
    // Two owners have the same stored key: each gets its own response, or none.
    expect(await call('a', 'b:c')).toBe(5)
    expect(await call('a:b', 'c')).toBe(2)
  })

  it.each([
    ['throws', () => (undefined as never as { a: string }).a],
    ['returns an empty string', () => ''],
    ['returns a number', () => 7],
    ['returns a promise', () => Promise.resolve('a')],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
  ])('disables the cache for the request, and causes one warning, if it %s', async (_, run) => {
    key = run
    for (const call of [1, 2, 3]) {
      const { headers, body, status } = await app.request().get('/own')
      expect([status, headers['x-cache'], body.data.call]).toEqual([200, 'BYPASS', call])
    }
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toMatch(/KeysController\.own.*not cached/)
  })

  it('can return any nonempty string', async () => {
    for (const each of [
      '__proto__',
      'constructor',
      '*',
      ' ',
      '\u0000',
      '\ud800',
      'ü:{}',
      'x'.repeat(9999),
    ]) {
      key = () => each
      expect([await stateOf('/own'), await stateOf('/own')]).toEqual(['MISS', 'HIT'])
    }
  })
})

describe('the tags option', () => {
  it('disables the cache for the request if it does not return a list of strings', async () => {
    expect(await stateOf('/tagged')).toBe('BYPASS')
    const { decisions } = app.explain(await app.request().get('/tagged'))
    const reason = 'the function that returns its tags has failed'
    expect(decisions.findLast(({ by }) => by === 'cache')).toMatchObject({ reason })
    expect(await stateOf('/tagged?tags=a')).toBe('BYPASS')
    expect(await stateOf('/tagged?tags=a&tags=b')).toBe('MISS')
    expect(await stateOf('/tagged?tags=a&tags=b')).toBe('HIT')
  })
})
