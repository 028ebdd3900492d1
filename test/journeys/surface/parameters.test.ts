import {
  type Class,
  Controller,
  defineParameter,
  type FieldError,
  ForbiddenError,
  Get,
  type Plugin,
  Query,
  type Request,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { turns } from '../turns.js'

const start = (controllers: Class[], options: TestOptions = {}) =>
  TestApp.create({ controllers, contract: 'throw', ...options })

let reads: string[] = []

const Ip = defineParameter((req) => {
  reads.push('ip')
  return req.get('x-ip') ?? 'none'
})

const CurrentOrg = defineParameter(
  async (req) => {
    reads.push('org')
    return req.get('x-org')
  },
  { in: 'header', name: 'X-Org', schema: z.coerce.number().int() },
)

const Limit = defineParameter((req) => req.query['limit'], {
  in: 'query',
  name: 'limit',
  schema: { type: 'integer', minimum: 1, default: 20 },
})

const ItemId = defineParameter((req) => req.params['id'], {
  in: 'path',
  name: 'id',
  schema: z.coerce.number(),
})

const Flag = defineParameter((req) => req.query['flag'], { in: 'query', name: 'flag' })

const OfOrg = defineParameter((req) => `org ${CurrentOrg.of(req)}`)

const Allowed = defineParameter((req) => {
  if (req.get('x-blocked') === 'yes') throw new ForbiddenError('Blocked')
  if (req.get('x-broken') === 'yes') throw new Error('Broken')
  return true
})

const Later = defineParameter(async () => 1)

@Controller('items')
class Items {
  @Get(':id')
  @CurrentOrg()
  @Limit()
  @ItemId()
  @Flag()
  @OfOrg()
  @Ip()
  get(req: Request) {
    const ip: string = Ip.of(req)
    const org: number = CurrentOrg.of(req)
    const id: number = ItemId.of(req)
    return { ip, org, id, limit: Limit.of(req), flag: Flag.of(req), text: OfOrg.of(req) }
  }

  @Get()
  @Allowed()
  list(req: Request) {
    return { first: Ip.of(req), second: Ip.of(req), allowed: Allowed.of(req) }
  }

  @Get('forgotten/org')
  forgotten(req: Request) {
    return CurrentOrg.of(req)
  }

  @Get('forgotten/later')
  later(req: Request) {
    return Later.of(req)
  }
}

describe('a decorator from defineParameter() on a method', () => {
  it('provides a validated and converted value to the handler, and reads it only once', async () => {
    await using app = await start([Items])
    reads = []
    const { body } = await app.request().get('/items/7').set({ 'x-org': '3', 'x-ip': '::1' })
    expect(body.data).toEqual({ ip: '::1', org: 3, id: 7, limit: 20, text: 'org 3' })
    expect(reads).toEqual(['org', 'ip'])
    const other = await app.request().get('/items/8?limit=5&flag=on').set('x-org', '4')
    expect(other.body.data).toMatchObject({ org: 4, id: 8, limit: 5, flag: 'on', ip: 'none' })
  })

  it('refuses the first invalid value with its location, and prevents later functions from running', async () => {
    await using app = await start([Items])
    const ask = async (path: string, org: string) => {
      const { status, body } = await app.request().get(path).set('x-org', org)
      return [status, body.code, ...body.errors.map((error: FieldError) => [error.in, error.path])]
    }
    reads = []
    const refused = [400, 'VALIDATION_FAILED']
    expect(await ask('/items/x?limit=0', 'y')).toEqual([...refused, ['headers', 'x-org']])
    expect(await ask('/items/x?limit=0', '1')).toEqual([...refused, ['query', 'limit']])
    expect(await ask('/items/x?limit=1', '1')).toEqual([...refused, ['params', 'id']])
    expect(reads).toEqual(['org', 'org', 'org'])
  })

  it('refuses with the status from `errors.status`, which the document also contains', async () => {
    await using app = await start([Items], { errors: { status: { validation: 422 } } })
    await app.request().get('/items/1').set('x-org', 'y').expect(422)
    expect(Object.keys(app.document.paths['/items/{id}']?.get?.responses ?? {})).toContain('422')
    expect(app.document.paths['/items']?.get?.responses).not.toHaveProperty('422')
  })

  it.each(['constructor', '__proto__'])(
    'can have the name of a built-in property: %s',
    async (name) => {
      const Named = defineParameter(
        ({ query }) => (Object.hasOwn(query, name) ? 'sent' : undefined),
        {
          in: 'query',
          name,
          schema: z.string().optional(),
        },
      )
      @Controller('names')
      class Names {
        @Named()
        @Get()
        get(req: Request) {
          return { type: typeof Named.of(req) }
        }
      }
      await using app = await start([Names])
      expect((await app.request().get('/names')).body.data).toEqual({ type: 'undefined' })
      const { body } = await app.request().get(`/names?${name}=1`)
      expect(body.data).toEqual({ type: 'string' })
    },
  )

  it('uses generic messages if `validation.messages` is generic', async () => {
    await using app = await start([Items], { validation: { messages: 'generic' } })
    const { body } = await app.request().get('/items/1').set('x-org', 'secret')
    expect(body.errors).toEqual([{ in: 'headers', path: 'x-org', message: 'is not valid' }])
  })

  it('refuses with an HttpError that its function throws, and with a 500 for other errors', async () => {
    await using app = await start([Items], { contract: 'off' })
    const ask = async (headers: Record<string, string>) =>
      (await app.request().get('/items').set(headers)).status
    expect(await ask({ 'x-blocked': 'yes' })).toBe(403)
    expect(await ask({ 'x-broken': 'yes' })).toBe(500)
    expect(await ask({})).toBe(200)
  })

  it('can be read with of() on routes without it if it is synchronous and has no schema', async () => {
    await using app = await start([Items], { contract: 'off' })
    reads = []
    const { body } = await app.request().get('/items').set('x-ip', '::1')
    expect(body.data).toEqual({ first: '::1', second: '::1', allowed: true })
    expect(reads).toEqual(['ip'])
    expect((await app.request().get('/items/forgotten/org')).status).toBe(500)
    expect((await app.request().get('/items/forgotten/later')).status).toBe(500)
    const failures = app.logs
      .filter(({ level }) => level === 'error')
      .map(({ facts }) => String(facts['err']))
    expect(failures[0]).toMatch(/'x-org'.*does not have the decorator/)
    expect(failures[1]).toMatch(/asynchronous/)
  })

  it('causes no unhandled rejection if its asynchronous function fails on a route without it', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const Failing = defineParameter(async () => {
      throw new Error('no database')
    })
    expect(() => Failing.of({} as Request)).toThrow('asynchronous')
    await turns()
    expect(unhandled).toEqual([])
  })

  it('adds the parameter to the document only for its own routes', async () => {
    await using app = await start([Items])
    const describe = (path: string) =>
      app.document.paths[path]?.get?.parameters?.map(({ in: place, name, required, schema }) => [
        place,
        name,
        required,
        schema.type,
      ])
    expect(describe('/items/{id}')).toEqual([
      ['path', 'id', true, 'number'],
      ['header', 'x-org', true, 'integer'],
      ['query', 'limit', undefined, 'integer'],
      ['query', 'flag', undefined, undefined],
    ])
    expect(describe('/items')).toBeUndefined()
  })

  it('receives generated values from fuzz()', async () => {
    await using app = await start([Items])
    const report = await app.fuzz({
      seed: 2,
      runs: 15,
      operations: ({ handler }) => handler === 'Items.get',
    })
    expect(report.operations).toBe(1)
  })

  it('adds no step to routes that do not use it', async () => {
    let used: (string | null)[] = []
    const reader: Plugin = {
      name: 'reader',
      setup: ({ model }) => {
        used = model.routes.map(({ handler, definedParameters }) =>
          definedParameters === null ? null : String(handler),
        )
      },
    }
    await using _app = await start([Items], { plugins: [reader] })
    expect(used).toEqual(['get', 'list', null, null])
  })

  it('prevents the handler from running if the request times out while its function waits', async () => {
    let open = (_: unknown) => {}
    let isWaiting = false
    let handled = 0
    const Slow = defineParameter(
      () =>
        new Promise((resolve) => {
          open = resolve
          isWaiting = true
        }),
    )
    @Controller('slow')
    class SlowItems {
      @Slow()
      @Get()
      get() {
        handled++
      }
    }
    await using app = await start([SlowItems], { timeouts: { handler: '1s' }, contract: 'off' })
    const pending = app
      .request()
      .get('/slow')
      .then(({ status }) => status)
    await expect
      .poll(async () => {
        await app.clock.advance('2s')
        return isWaiting
      })
      .toBe(true)
    expect(await pending).toBe(503)
    open(1)
    await turns()
    expect(handled).toBe(0)
  })
})

describe('the parameters of an overridden method', () => {
  it('are read together with the parameters of the subclass, each only once', async () => {
    const read: string[] = []
    const noting = (name: string) =>
      defineParameter(() => {
        read.push(name)
        return name
      })
    const [OfBase, Kept, OfClass] = [noting('base'), noting('kept'), noting('class')]
    class Base {
      @OfBase()
      @Kept()
      @Get()
      get(_req: Request): unknown {
        return []
      }
    }
    @Controller('inherited')
    class Inherited extends Base {
      @OfClass()
      @Kept()
      override get() {
        return [...read].sort()
      }
    }
    await using app = await start([Inherited])
    const { body } = await app.request().get('/inherited')
    expect(body.data).toEqual(['base', 'class', 'kept'])
    await app.request().get('/inherited')
    expect(read.sort()).toEqual(['base', 'base', 'class', 'class', 'kept', 'kept'])
  })
})

describe('two parameters with the same name', () => {
  const own = () => defineParameter((req) => req.get('x-a'), { in: 'header', name: 'x-a' })
  const [A, B] = [own(), own()]

  @Controller('both')
  class Both {
    @A()
    @B()
    @Get()
    get(req: Request) {
      return [A.of(req), B.of(req)]
    }

    @Get('query')
    @Query('flag', z.string().optional())
    @Flag()
    query(req: Request) {
      return Flag.of(req) ?? null
    }
  }

  it('do not affect each other, and are one parameter in the document', async () => {
    await using app = await start([Both])
    expect((await app.request().get('/both').set('x-a', '1')).body.data).toEqual(['1', '1'])
    expect((await app.request().get('/both/query?flag=x')).body.data).toBe('x')
    expect(app.document.paths['/both']?.get?.parameters).toHaveLength(1)
    expect(app.document.paths['/both/query']?.get?.parameters).toHaveLength(1)
  })
})

describe('a subclass of a controller with parameters', () => {
  class Base {
    @Ip()
    @Get()
    get(req: Request) {
      return { ip: Ip.of(req) }
    }
  }
  @Controller('sub')
  class Sub extends Base {
    @Flag()
    override get(req: Request) {
      return { ...super.get(req), flag: Flag.of(req) }
    }
  }

  it('keeps the parameters of an overridden method', async () => {
    await using app = await start([Sub])
    const { body } = await app.request().get('/sub?flag=1').set('x-ip', '::1')
    expect(body.data).toEqual({ ip: '::1', flag: '1' })
  })
})

describe('an invalid use of defineParameter()', () => {
  const read = () => 1
  it.each<[string, () => unknown, RegExp]>([
    ['a value that is not a function', () => defineParameter('x' as never), /not a function/],
    [
      '`in`',
      () => defineParameter(read, { in: 'cookie' as never, name: 'a' }),
      /'header', 'query'/,
    ],
    ['`name`', () => defineParameter(read, { in: 'query' }), /together/],
    ['`in` beside `name`', () => defineParameter(read, { name: 'a' }), /together/],
    ['an empty `name`', () => defineParameter(read, { in: 'query', name: '' }), /together/],
    ['`in` beside `schema`', () => defineParameter(read, { schema: z.string() }), /also set `in`/],
    [
      '`schema`',
      () => defineParameter(read, { in: 'query', name: 'a', schema: undefined as never }),
      /circular/,
    ],
  ])('causes a TypeError about %s', (_, define, message) => {
    expect(define).toThrow(TypeError)
    expect(define).toThrow(message)
  })

  it('causes a ConfigError if the decorator has no parentheses or has an argument', () => {
    const bare = Ip as unknown as (...args: unknown[]) => unknown
    expect(() => bare(() => 1, { kind: 'method', name: 'get' })).toThrow('parentheses are missing')
    expect(() => bare('x')).toThrow('takes no arguments')
  })

  it('causes a boot error for an invalid schema or an unknown path parameter', async () => {
    const Wrong = defineParameter(read, { in: 'query', name: 'a', schema: 'text' as never })
    const Broken = defineParameter(read, { in: 'query', name: 'a', schema: { type: 'strnig' } })
    @Controller('wrong')
    class WrongItems {
      @Wrong()
      @Get('schema')
      schema() {}

      @ItemId()
      @Get('path/:idd')
      path() {}
    }
    @Controller('broken')
    class BrokenItems {
      @Broken()
      @Get()
      get() {}
    }
    const problems = await bootProblems({ controllers: [WrongItems] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_SCHEMA_INVALID WrongItems.schema',
      'E_PARAMS_UNKNOWN_KEY WrongItems.path',
    ])
    const [broken] = await bootProblems({ controllers: [BrokenItems] })
    expect([broken?.code, broken?.subject]).toEqual(['E_SCHEMA_INVALID', 'BrokenItems.get'])
  })
})
