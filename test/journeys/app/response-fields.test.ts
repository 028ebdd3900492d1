import { Controller, Get, type Req, type Response, ResponseFields } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Account,
  ADA,
  errors,
  json,
  Ok,
  ROW,
  read,
  routeOf,
  start,
  User,
  WaysController,
} from './response-fields-app.js'

describe("the option responses: 'strip'", () => {
  it.each(['returned', 'promised', 'ok', 'json', 'bare-json', 'send', 'jsonp', 'later', 'etag'])(
    'removes fields that the schema does not describe from the response of /ways/%s',
    async (way) => {
      await start(WaysController)
      const { status, text } = await read(`/ways/${way}`)
      expect(status).toBe(200)
      expect(text).toContain('"name":"Ada"')
      expect(text).not.toMatch(/password|secret/)
    },
  )

  it('does not change the envelope', async () => {
    await start(WaysController)
    const envelope = { statusCode: 'success', status: 200, message: 'OK', data: ADA }
    expect(await json('/ways/returned')).toEqual(envelope)
    expect(await json('/ways/envelope')).toEqual(envelope)
    expect(await json('/ways/ok')).toEqual({ ...envelope, message: 'Found' })
    expect(await json('/ways/json')).toEqual({ ...envelope, message: 'Mine' })
  })

  it('applies to responses without an envelope', async () => {
    await start(WaysController)
    expect(await json('/ways/raw')).toEqual(ADA)
    expect(await json('/ways/hal')).toEqual(ADA)
    expect(await json('/ways/bare-json')).toEqual(ADA)
  })

  it('uses the schema of the status that is sent', async () => {
    await start(WaysController)
    expect(await read('/ways/missing')).toEqual({ status: 404, text: '{"reason":"gone"}' })
  })

  it('removes nothing if the sent status has no schema', async () => {
    await start(WaysController)
    expect(await json('/ways/other-status')).toMatchObject({ data: ROW })
  })

  it('caches the filtered response', async () => {
    await start(WaysController)
    const [first, second] = [await read('/ways/cached'), await read('/ways/cached')]
    expect(first.text).not.toContain('secret')
    expect(second).toEqual(first)
  })

  it.each([
    ['json replacer', (_key: string, value: unknown) => value],
    ['json spaces', 2],
    ['json escape', true],
  ])('removes fields even with the Express setting %s', async (name, value) => {
    await start(WaysController, {
      plugins: [{ name: 'p', setup: ({ express }) => void express.set(name, value) }],
    })
    for (const way of ['returned', 'send', 'jsonp']) {
      expect((await read(`/ways/${way}`)).text).not.toContain('secret')
    }
  })

  it('removes fields even with `etag: true` and a middleware that wraps res.json', async () => {
    await start(WaysController, { etag: true, middlewares: [wrapJson] })
    expect((await read('/ways/returned')).text).not.toContain('secret')
  })
})

function wrapJson(_req: Req, res: Response, next: () => void) {
  const original = res.json
  res.json = function json(body) {
    return original.call(this, { ...body, seen: true })
  }
  next()
}

describe('the responses mode of a route', () => {
  @Controller('modes')
  @ResponseFields('strip')
  class ModesController {
    @Ok(User) @Get('class') ofClass() {
      return ROW
    }
    @ResponseFields('send') @Ok(User) @Get('method') ofMethod() {
      return ROW
    }
    @ResponseFields('check') @Ok(User) @Get('check') check() {
      return ROW
    }
  }

  it('is set by its method, else by its class, else by the application', async () => {
    await start(ModesController, { responses: { fields: 'check' } })
    expect(await json('/modes/class')).toMatchObject({ data: ADA })
    expect(await json('/modes/method')).toMatchObject({ data: ROW })
    expect((await read('/modes/check')).status).toBe(500)
  })

  it("is 'send' by default", async () => {
    await start(WaysController, { responses: {} })
    expect(await json('/ways/returned')).toMatchObject({ data: ROW })
  })
})

class AccountJson extends Account {
  toJSON() {
    return { ...ROW, toJSON: () => ROW }
  }
}
class LyingDate extends Date {
  override toJSON() {
    return { passwordHash: 'secret' } as never
  }
}
/** Shows other fields each time it is read. */
const shifty = () => {
  let reads = 0
  const late = () => (reads++ > 0 ? ROW : ADA)
  return new Proxy({} as Record<string | symbol, unknown>, {
    ownKeys: () => Object.keys(late()),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    get: (_, name) =>
      name === 'toJSON' && reads > 3 ? () => ROW : (ROW as Record<string | symbol, unknown>)[name],
  })
}
const circle: Record<string, unknown> = { ...ROW }
circle.self = circle

describe('an attempt to send a password', () => {
  const schema = z.object({ user: User, at: z.date(), text: z.string(), list: z.array(User) })
  const ATTEMPTS: [string, object][] = [
    ['an instance with a getter', { user: new Account() }],
    ['an object with toJSON', { user: new AccountJson() }],
    ['a body with toJSON', { toJSON: () => ({ user: ROW, passwordHash: 'secret' }) }],
    ['a Date with toJSON', { at: new LyingDate() }],
    ['a proxy', { user: shifty() }],
    ['an object instead of a string', { text: ROW }],
    ['an object instead of a list', { list: ROW }],
    ['a list instead of an object', { user: [ROW] }],
    ['a list in a list', { list: [[ROW]] }],
    ['a function with toJSON', { user: Object.assign(() => 1, { toJSON: () => ROW }) }],
    ['a String with fields', { text: Object.assign(new String('x'), ROW) }],
    ['a Buffer', { user: Buffer.from('secret') }],
    ['an Error', { user: Object.assign(new Error('secret'), ROW) }],
    ['an inherited field', { user: Object.create(ROW) }],
    ['a __proto__ key', { user: JSON.parse('{"__proto__": {"passwordHash": "secret"}, "id": 1}') }],
    ['a symbol key', { user: { ...ADA, [Symbol('passwordHash')]: 'secret' } }],
    ['a circular object', { user: circle }],
    ['an array with fields', { list: Object.assign([ADA], { passwordHash: 'secret' }) }],
    ['an array with toJSON', { list: Object.assign([ADA], { toJSON: () => [ROW] }) }],
  ]

  it.each(ATTEMPTS)('fails with %s, even after valid responses', async (_, value) => {
    let current: object = value
    await start(routeOf(schema, () => current))
    const first = await read('/user')
    current = { user: ROW, at: new Date(0), text: 'x', list: [ROW, ADA, ROW] }
    for (let n = 0; n < 2; n++) expect((await read('/user')).text).not.toMatch(/password|secret/)
    current = value
    const { status, text } = await read('/user')
    expect(first.text).not.toMatch(/password|secret|115,101,99/)
    expect(status).toBe(200)
    expect(text).not.toMatch(/password|secret|115,101,99/)
  })

  it.each(ATTEMPTS)('fails with %s in a union', async (_, value) => {
    const other = schema.extend({ kind: z.literal('x') })
    await start(
      routeOf(
        z.intersection(z.union([schema, other]), z.object({ more: z.string().optional() })),
        () => value,
      ),
    )
    const { text } = await read('/user')
    expect(text).not.toMatch(/password|secret|115,101,99/)
  })

  it.each([
    ['a string', z.string()],
    ['a list', z.array(z.string())],
  ])('fails with an object as the whole body if the schema is %s', async (_, whole) => {
    await start(routeOf(whole, () => ROW, { raw: true }))
    expect(await read('/user')).toEqual({ status: 200, text: 'null' })
  })
})

describe('a value that cannot be serialized as JSON', () => {
  const Tags = z.object({ tags: z.array(z.string()) })

  it.each(['strip', 'check'] as const)(
    'results in a 500 response if it is a Set in the data: %s',
    async (responses) => {
      await start(
        routeOf(Tags, () => ({ tags: new Set(['secret']) })),
        { responses },
      )
      expect((await read('/user')).status).toBe(500)
      expect(errors).toHaveLength(1)
      expect(errors[0]?.err.message).toMatch(/^UserController\.find.*a Set/)
    },
  )

  it('results in a 500 response if it contains itself', async () => {
    const Self = z.object({
      get self() {
        return Self
      },
    })
    await start(routeOf(Self, () => circle))
    expect((await read('/user')).status).toBe(500)
    expect(errors[0]?.err.message).toMatch(/contains itself/)
  })
})
