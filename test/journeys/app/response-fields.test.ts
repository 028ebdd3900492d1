import { type } from 'arktype'
import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Cache,
  Controller,
  Get,
  HttpCode,
  type Req,
  type Response,
  ResponseFields,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { Type } from 'typebox'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const User = z.object({ id: z.int(), name: z.string() })
const ROW = { id: 1, name: 'Ada', passwordHash: 'secret' }
const ADA = { id: 1, name: 'Ada' }
const Ok = (schema: object, more: object = {}) =>
  ApiResponseDoc({ status: 200, description: 'A user', schema: schema as z.ZodType, ...more })

let app: TestApp | undefined
const errors: { err: Error }[] = []
const logger = {
  info() {},
  warn() {},
  error: (facts: object) => void errors.push(facts as { err: Error }),
}

afterEach(async () => {
  await app?.close()
  errors.length = 0
})

async function start(Class: new () => object, options: AppOptions = {}): Promise<TestApp> {
  const fixed = { controllers: [Class], logger, contract: 'off', swagger: false } as const
  app = await TestApp.create({ ...fixed, responses: 'strip', ...options })
  return app
}

const read = async (path: string, init?: RequestInit) => {
  const response = await (app as TestApp).fetch(path, init)
  return { status: response.status, text: await response.text() }
}
const json = async (path: string) => JSON.parse((await read(path)).text)

/** A route whose schema and value a test chooses. */
function routeOf(schema: object, value: () => unknown, more: object = {}) {
  @Controller('user')
  class UserController {
    @Ok(schema, more) @Get() find() {
      return value()
    }
  }
  return UserController
}

@Controller('ways')
class WaysController extends BaseController {
  @Ok(User) @Get('returned') returned() {
    return ROW
  }
  @Ok(User) @Get('promised') async promised() {
    return ROW
  }
  @Ok(User) @Get('ok') okay(_req: Req, res: Response) {
    return this.ok(res, 'Found', ROW)
  }
  @Ok(User) @Get('json') json(_req: Req, res: Response) {
    res.json({ statusCode: 'success', status: 200, message: 'Mine', data: ROW, passwordHash: 1 })
  }
  @Ok(User) @Get('bare-json') bareJson(_req: Req, res: Response) {
    res.json(ROW)
  }
  @Ok(User) @Get('send') send(_req: Req, res: Response) {
    res.send(ROW)
  }
  @Ok(User) @Get('jsonp') jsonp(_req: Req, res: Response) {
    res.jsonp(ROW)
  }
  @Ok(User) @Get('later') later(_req: Req, res: Response) {
    setImmediate(() => res.json(ROW))
  }
  @Ok(User) @Get('etag') etag(_req: Req, res: Response) {
    res.setHeader('ETag', '"1"').json(ROW)
  }
  @Ok(User, { raw: true }) @Get('raw') raw() {
    return ROW
  }
  @Ok(User, { contentType: 'application/hal+json' }) @Get('hal') hal() {
    return ROW
  }
  @Ok(User) @Cache({ ttl: 60 }) @Get('cached') cached() {
    return ROW
  }
  @Ok(z.object({ statusCode: z.string(), status: z.int(), message: z.string(), data: User }))
  @Get('envelope')
  envelope() {
    return ROW
  }
  @ApiResponseDoc({ status: 404, description: 'None', schema: z.object({ reason: z.string() }) })
  @Ok(User)
  @Get('missing')
  missing(_req: Req, res: Response) {
    res.status(404).json({ reason: 'gone', passwordHash: 'secret' })
  }
  @HttpCode(201) @Ok(User) @Get('other-status') other() {
    return ROW
  }
}

describe("responses: 'strip'", () => {
  it.each(['returned', 'promised', 'ok', 'json', 'bare-json', 'send', 'jsonp', 'later', 'etag'])(
    'drops what the schema does not name, however the response is sent: %s',
    async (way) => {
      await start(WaysController)
      const { status, text } = await read(`/ways/${way}`)
      expect(status).toBe(200)
      expect(text).toContain('"name":"Ada"')
      expect(text).not.toMatch(/password|secret/)
    },
  )

  it('leaves the envelope as it is', async () => {
    await start(WaysController)
    const envelope = { statusCode: 'success', status: 200, message: 'OK', data: ADA }
    expect(await json('/ways/returned')).toEqual(envelope)
    expect(await json('/ways/envelope')).toEqual(envelope)
    expect(await json('/ways/ok')).toEqual({ ...envelope, message: 'Found' })
    expect(await json('/ways/json')).toEqual({ ...envelope, message: 'Mine' })
  })

  it('applies to responses without envelope', async () => {
    await start(WaysController)
    expect(await json('/ways/raw')).toEqual(ADA)
    expect(await json('/ways/hal')).toEqual(ADA)
    expect(await json('/ways/bare-json')).toEqual(ADA)
  })

  it('applies to each status by its own schema', async () => {
    await start(WaysController)
    expect(await read('/ways/missing')).toEqual({ status: 404, text: '{"reason":"gone"}' })
  })

  it('sends everything with a status that has no schema', async () => {
    await start(WaysController)
    expect(await json('/ways/other-status')).toMatchObject({ data: ROW })
  })

  it('stores the stripped response', async () => {
    await start(WaysController)
    const [first, second] = [await read('/ways/cached'), await read('/ways/cached')]
    expect(first.text).not.toContain('secret')
    expect(second).toEqual(first)
  })

  it.each([
    ['json replacer', (_key: string, value: unknown) => value],
    ['json spaces', 2],
    ['json escape', true],
  ])('works with the setting of Express: %s', async (name, value) => {
    await start(WaysController, {
      plugins: [{ name: 'p', setup: ({ express }) => void express.set(name, value) }],
    })
    for (const way of ['returned', 'send', 'jsonp']) {
      expect((await read(`/ways/${way}`)).text).not.toContain('secret')
    }
  })

  it('works with etag, and with a middleware that wraps res.json', async () => {
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

describe('the mode of a route', () => {
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

  it('is that of its method, else of its class, else of the application', async () => {
    await start(ModesController, { responses: { fields: 'check' } })
    expect(await json('/modes/class')).toMatchObject({ data: ADA })
    expect(await json('/modes/method')).toMatchObject({ data: ROW })
    expect((await read('/modes/check')).status).toBe(500)
  })

  it("is 'send' if nobody chooses", async () => {
    await start(WaysController, { responses: {} })
    expect(await json('/ways/returned')).toMatchObject({ data: ROW })
  })
})

const LIBRARIES: [string, object][] = [
  ['zod', z.object({ user: User, list: z.array(User), at: z.date().nullable() })],
  [
    'valibot',
    v.object({
      user: v.object({ id: v.number(), name: v.string() }),
      list: v.array(v.object({ id: v.number(), name: v.string() })),
      at: v.nullable(v.date()),
    }),
  ],
  [
    'arktype',
    type({
      user: { id: 'number', name: 'string' },
      list: type({ id: 'number', name: 'string' }).array(),
      at: 'Date|null',
    }),
  ],
  [
    'TypeBox',
    Type.Object({
      user: Type.Object({ id: Type.Integer(), name: Type.String() }),
      list: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
      at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    }),
  ],
]

describe('a schema', () => {
  it.each(LIBRARIES)('of %s names the fields', async (_, schema) => {
    const at = new Date(0)
    await start(routeOf(schema, () => ({ user: ROW, list: [ROW, ROW], at, secret: 1 })))
    const data = { user: ADA, list: [ADA, ADA], at: at.toISOString() }
    expect((await json('/user')).data).toEqual(data)
  })

  it('that allows other properties keeps them', async () => {
    const row = { a: 'a', secret: 'x' }
    const schema = z.object({
      loose: z.looseObject({ a: z.string() }),
      rest: z.object({ a: z.string() }).catchall(User),
      record: z.record(z.string(), User),
      listed: z.partialRecord(z.enum(['ada']), User),
      any: z.unknown(),
    })
    const value = {
      loose: row,
      rest: { a: 'a', b: ROW },
      record: { x: ROW },
      listed: { ada: ROW, b: ROW },
      any: row,
    }
    await start(routeOf(schema, () => value))
    expect((await json('/user')).data).toEqual({
      loose: row,
      rest: { a: 'a', b: ADA },
      record: { x: ADA },
      listed: { ada: ADA },
      any: row,
    })
  })

  it('of valibot that is loose keeps them, too', async () => {
    const schema = v.looseObject({ id: v.number() })
    await start(routeOf(schema, () => ROW))
    expect((await json('/user')).data).toEqual(ROW)
  })

  it('that contains itself names the fields at every depth', async () => {
    const Node = z.object({
      id: z.int(),
      get children() {
        return z.array(Node)
      },
    })
    const leaf = { id: 3, children: [], secret: 3 }
    await start(
      routeOf(Node, () => ({
        id: 1,
        children: [{ id: 2, children: [leaf], secret: 2 }],
        secret: 1,
      })),
    )
    const text = (await read('/user')).text
    expect(text).toContain('"id":3')
    expect(text).not.toContain('secret')
  })

  it('that contains itself below a pattern names the fields of every name', async () => {
    const Node = {
      type: 'object',
      properties: { name: { type: 'string' } },
      patternProperties: { '^child': { $ref: '#' } },
      allOf: [{ properties: { childOfAll: {} } }],
    }
    const child = { name: 'x', secret: 1 }
    await start(routeOf(Node, () => ({ ...child, childOfAll: child, childOfOne: child })))
    const { data } = await json('/user')
    expect(data).toEqual({ name: 'x', childOfAll: { name: 'x' }, childOfOne: { name: 'x' } })
  })

  it('of a union that contains itself is compared with each part once', async () => {
    let compared = 0
    const counted = Object.defineProperty({ type: 'string' }, 'minLength', {
      get: () => void compared++,
    })
    const Node = { $ref: '#/$defs/Node' }
    const alternative = (more: object) => ({
      type: 'object',
      properties: { name: counted, child: { ...Node }, ...more },
    })
    const union = { anyOf: [alternative({}), alternative({ size: { type: 'integer' } })] }
    let value: object = { name: null }
    for (let depth = 0; depth < 12; depth++) value = { name: 'x', child: value, secret: 1 }
    await start(routeOf({ ...Node, $defs: { Node: union } }, () => value))
    const { text } = await read('/user')
    expect(text).not.toContain('secret')
    expect(compared).toBeLessThan(2000)
  })
})

/** A union whose alternatives share `kind`, and one whose alternatives share nothing that tells them apart. */
const Cat = z.object({ kind: z.literal('cat'), name: z.string(), lives: z.int() })
const Dog = z.object({ kind: z.literal('dog'), name: z.string(), owner: z.string() })
const Tagged = z.discriminatedUnion('kind', [Cat, Dog])
const Plain = z.union([
  z.object({ id: z.int(), mail: z.string() }),
  z.object({ id: z.int(), phone: z.string() }),
])

describe('a union', () => {
  const UNIONS: [string, object, unknown, unknown][] = [
    [
      'keeps the names of the alternative with the tag',
      Tagged,
      { kind: 'cat', name: 'a', lives: 9, owner: 'x' },
      { kind: 'cat', name: 'a', lives: 9 },
    ],
    [
      'keeps the common names without a known tag',
      Tagged,
      { kind: 'cow', name: 'a', lives: 9, owner: 'x' },
      { kind: 'cow', name: 'a' },
    ],
    [
      'keeps the names of the alternative that fits',
      Plain,
      { id: 1, mail: 'm', phone: 2 },
      { id: 1, mail: 'm' },
    ],
    [
      'keeps the names of all alternatives that fit',
      Plain,
      { id: 1, mail: 'm', phone: 'p', x: 1 },
      { id: 1, mail: 'm', phone: 'p' },
    ],
    ['keeps the common names if none fits', Plain, { id: 1, mail: 1, phone: 1 }, { id: 1 }],
    ['with null keeps the names of the other alternative', User.nullable(), ROW, ADA],
    ['with text keeps the names of the object', z.union([z.string(), User]), ROW, ADA],
    [
      'in a list is decided for each item',
      z.array(Plain),
      [
        { id: 1, mail: 'm', phone: 2 },
        { id: 2, mail: 1, phone: 'p' },
      ],
      [
        { id: 1, mail: 'm' },
        { id: 2, phone: 'p' },
      ],
    ],
  ]

  it.each(UNIONS)('%s', async (_, schema, value, data) => {
    await start(routeOf(schema, () => value))
    expect((await json('/user')).data).toEqual(data)
  })
})

class Account {
  readonly id = 1
  readonly name = 'Ada'
  get passwordHash() {
    return 'secret'
  }
}
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

describe('an attempt to send the password', () => {
  const schema = z.object({ user: User, at: z.date(), text: z.string(), list: z.array(User) })
  const ATTEMPTS: [string, object][] = [
    ['an instance with a getter', { user: new Account() }],
    ['toJSON', { user: new AccountJson() }],
    ['toJSON of the whole', { toJSON: () => ({ user: ROW, passwordHash: 'secret' }) }],
    ['a Date', { at: new LyingDate() }],
    ['a proxy', { user: shifty() }],
    ['an object in place of text', { text: ROW }],
    ['an object in place of a list', { list: ROW }],
    ['a list in place of an object', { user: [ROW] }],
    ['a list in a list', { list: [[ROW]] }],
    ['a function with toJSON', { user: Object.assign(() => 1, { toJSON: () => ROW }) }],
    ['a String with fields', { text: Object.assign(new String('x'), ROW) }],
    ['a Buffer', { user: Buffer.from('secret') }],
    ['an Error', { user: Object.assign(new Error('secret'), ROW) }],
    ['an inherited field', { user: Object.create(ROW) }],
    ['__proto__', { user: JSON.parse('{"__proto__": {"passwordHash": "secret"}, "id": 1}') }],
    ['a symbol', { user: { ...ADA, [Symbol('passwordHash')]: 'secret' } }],
    ['a circle', { user: circle }],
    ['an array with fields', { list: Object.assign([ADA], { passwordHash: 'secret' }) }],
    ['an array with toJSON', { list: Object.assign([ADA], { toJSON: () => [ROW] }) }],
  ]

  it.each(ATTEMPTS)('by %s fails', async (_, value) => {
    await start(routeOf(schema, () => value))
    const { status, text } = await read('/user')
    expect(status).toBe(200)
    expect(text).not.toMatch(/password|secret|115,101,99/)
  })

  it.each(ATTEMPTS)('through a union, by %s fails', async (_, value) => {
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
    ['zod', z.string()],
    ['a list', z.array(z.string())],
  ])('in place of a whole body fails: %s', async (_, whole) => {
    await start(routeOf(whole, () => ROW, { raw: true }))
    expect(await read('/user')).toEqual({ status: 200, text: 'null' })
  })
})

describe('a value without a form in JSON', () => {
  const Tags = z.object({ tags: z.array(z.string()) })

  it.each(['strip', 'check'] as const)('inside data is a 500: %s', async (responses) => {
    await start(
      routeOf(Tags, () => ({ tags: new Set(['secret']) })),
      { responses },
    )
    expect((await read('/user')).status).toBe(500)
    expect(errors).toHaveLength(1)
    expect(errors[0]?.err.message).toMatch(/^UserController\.find.*a Set/)
  })

  it('that contains itself is a 500', async () => {
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

describe("responses: 'check'", () => {
  const LIES: [string, object, unknown, RegExp][] = [
    ['a field without a name', User, ROW, /does not name at 'data\.passwordHash'/],
    ['a field of another type', User, { ...ADA, id: 'secret' }, /schema at 'data\.id'/],
    ['a missing field', User, { id: 1 }, /schema at 'data\.name'/],
    ['an item of a list', z.array(User), [ADA, ROW], /at 'data\[1\]\.passwordHash'/],
    [
      'a key of a record',
      z.record(z.string(), User),
      { 'secret@x.org': ROW },
      /at 'data\.\*\.passwordHash'/,
    ],
    ['a value of no alternative', Tagged, { kind: 'cow' }, /schema at 'data\./],
    [
      'a date that is none',
      z.object({ at: z.date() }),
      { at: new Date(Number.NaN) },
      /at 'data\.at'/,
    ],
    ['a longer tuple', z.tuple([z.string()]), ['a', 'secret'], /at 'data(\[1\])?'/],
  ]

  it.each(LIES)(
    'refuses %s, and logs route and path but no value',
    async (_, schema, value, text) => {
      await start(
        routeOf(schema, () => value, {}),
        { responses: 'check' },
      )
      const response = await read('/user')
      const isEmpty = value === undefined
      expect(response.status).toBe(isEmpty ? 204 : 500)
      if (isEmpty) return
      expect(response.text).not.toMatch(/secret|password/)
      expect(JSON.parse(response.text)).toMatchObject({ message: 'Internal Server Error' })
      expect(errors).toHaveLength(1)
      expect(errors[0]?.err.message).toMatch(/^UserController\.find: the response 200/)
      expect(errors[0]?.err.message).toMatch(text)
      expect(String(errors[0]?.err.stack)).not.toContain('secret')
    },
  )

  it('sends what the schema describes', async () => {
    const value = { user: new Account(), list: [ADA], at: new Date(0) }
    await start(
      routeOf(LIBRARIES[0]?.[1] as object, () => value),
      { responses: 'check' },
    )
    expect(await json('/user')).toEqual({
      statusCode: 'success',
      status: 200,
      message: 'OK',
      data: { user: ADA, list: [ADA], at: new Date(0).toISOString() },
    })
  })

  it.each(['json', 'bare-json', 'send', 'jsonp', 'later', 'etag', 'raw', 'cached'])(
    'refuses a lie, however the response is sent: %s',
    async (way) => {
      await start(WaysController, { responses: 'check' })
      for (let i = 0; i < 2; i++) {
        const { status, text } = await read(`/ways/${way}`)
        expect(status).toBe(500)
        expect(text).not.toContain('secret')
      }
      expect(errors).toHaveLength(2)
    },
  )
})
