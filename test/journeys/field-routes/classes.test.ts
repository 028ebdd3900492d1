import {
  Auth,
  type AuthGuard,
  type Class,
  Controller,
  compose,
  defineOption,
  get,
  HttpCode,
  Inject,
  inject,
  post,
  Requires,
  Sse,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { guard } from './notes-app.js'

class Greeting {
  readonly word: string = 'hello'
  to(name: string): string {
    return `${this.word} ${name}`
  }
}

const options = { providers: [Greeting], logger: false } as const
const create = (...controllers: Class[]) =>
  TestApp.create({ ...options, controllers, auth: { guard, credentials: ['x-user'] } })

async function dataOf(app: TestApp, path: string): Promise<unknown> {
  return (await app.request().get(path).expect(200)).body.data
}

class Base {
  protected readonly greeting: Greeting = inject(Greeting)
  hello = get('/hello', () => this.greeting.to('base'))
  @Auth() secret = get('/secret', () => this.greeting.to('you'))
  replaced = get('/replaced', { can: 'notes:read' }, () => 'base')
}

it('a class with field routes inherits fields with their decorators and options', async () => {
  @Controller('a')
  class A extends Base {
    more = get('/more', () => this.greeting.to('more'))
    override secret = get('/secret', () => 'replaced')
    override replaced = get('/replaced', () => 'derived')
  }
  @Controller('b')
  class B extends Base {}
  await using app = await create(A, B)
  const routes = app.getRouteTable().map(({ path, isProtected }) => [path, isProtected])
  expect(routes).toEqual([
    ['/a/hello', false],
    ['/a/secret', true],
    ['/a/replaced', true],
    ['/a/more', false],
    ['/b/hello', false],
    ['/b/secret', true],
    ['/b/replaced', true],
  ])
  expect(await dataOf(app, '/a/hello')).toBe('hello base')
  expect(await dataOf(app, '/a/more')).toBe('hello more')
  const secret = app.request().get('/a/secret')
  expect((await secret.set('x-user', 'ada')).body.data).toBe('replaced')
  // The base class requires an ability, which the guard does not grant.
  await app.request().get('/a/replaced').set('x-user', 'ada').expect(403)
})

it('field routes are read from abstract classes and mixins whose constructors call methods', async () => {
  abstract class Named {
    readonly name: string
    constructor() {
      if (new.target === Named) throw new Error('Named is abstract')
      this.name = this.makeName().toUpperCase()
    }
    abstract makeName(): string
    whoami = get('/name', () => this.name)
  }
  // biome-ignore lint/suspicious/noExplicitAny: TypeScript requires it of mixins
  const counted = <T extends abstract new (...args: any[]) => Named>(base: T) => {
    abstract class WithCount extends base {
      #count = 0
      count = get('/count', () => ++this.#count)
    }
    return WithCount
  }
  @Controller('c')
  class C extends counted(Named) {
    makeName() {
      return 'c'
    }
  }
  await using app = await create(C)
  expect([await dataOf(app, '/c/name'), await dataOf(app, '/c/count')]).toEqual(['C', 1])
})

it('field routes are read from a class whose constructor uses its dependencies', async () => {
  const seen: string[] = []
  @Controller('d')
  class D {
    static readonly inject = [Greeting]
    readonly #word: string
    readonly double = inject(Greeting).word.length * 2
    readonly letters = [...inject(Greeting).word]
    constructor(
      greeting: Greeting,
      private readonly other = inject(Greeting),
    ) {
      this.#word = `${greeting.word}!`
      void this.#prepare(greeting)
    }
    async #prepare(greeting: Greeting) {
      seen.push(await greeting.to('d'))
    }
    all = get('/', () => [this.#word, this.other.word, this.double, this.letters.length])
  }
  await using app = await create(D)
  expect(await dataOf(app, '/d')).toEqual(['hello!', 'hello', 10, 5])
  // The instance that only shows its fields does not go on after an `await`.
  expect(seen).toEqual(['hello d'])
})

it('field routes are read from a class that counts with its dependencies and creates objects of them', async () => {
  class Prices {
    readonly cents: number = 250
    readonly Kind: new () => { name: string } = class {
      readonly name = 'kind'
    }
  }
  @Controller('m')
  class M {
    readonly #prices = inject(Prices)
    readonly cents = BigInt(Math.round(Number(this.#prices.cents)))
    readonly length = new this.#prices.Kind().name.length
    all = get('/', () => [String(this.cents), this.length])
  }
  await using app = await TestApp.create({ ...options, controllers: [M], providers: [Prices] })
  expect(await dataOf(app, '/m')).toEqual(['250', 4])
})

it('field routes are read from a class that lists tokens for parameters with defaults', async () => {
  const missing = (): Greeting => {
    throw new Error('no greeting')
  }
  @Controller('n')
  class N {
    static readonly inject = [Greeting]
    constructor(private readonly greeting = missing()) {}
    all = get('/', () => this.greeting.word)
  }
  await using app = await create(N)
  expect(await dataOf(app, '/n')).toBe('hello')
})

it('@Inject injects fields into a class with field routes', async () => {
  @Controller('e')
  class E {
    @Inject(Greeting) private readonly greeting!: Greeting
    all = get('/', () => this.greeting.word)
  }
  await using app = await create(E)
  expect(await dataOf(app, '/e')).toBe('hello')
})

it('each field route has its own function, even if two share a handler', async () => {
  const echo = ({ path }: { path: string }) => path
  @Controller('f')
  class F {
    one = get('/one', echo)
    @Requires('notes:write') two = post('/two', echo)
    three = get('/three', { summary: 'Third' }, echo)
  }
  await using app = await create(F)
  expect(await dataOf(app, '/f/one')).toBe('/f/one')
  expect(await dataOf(app, '/f/three')).toBe('/f/three')
  await app.request().post('/f/two').expect(401)
  expect(app.document.paths['/f/three']?.get?.summary).toBe('Third')
})

it('field routes support the options of plugins and composed decorators', async () => {
  const Audit = defineOption<string>('Audit')
  const ForAdmins = compose(Auth(), Audit('admin'), HttpCode(202))
  const found: unknown[] = []
  @Controller('l')
  class L {
    @ForAdmins
    list = get('/', () => 1)
  }
  const canActivate: AuthGuard['canActivate'] = (_req, route) => {
    found.push(route?.option(Audit))
    return true
  }
  await using app = await TestApp.create({
    ...options,
    controllers: [L],
    auth: { guard: { canActivate } },
  })
  await app.request().get('/l').set('authorization', 'Bearer a').expect(202)
  expect(found).toEqual(['admin'])
})

it('a field route streams the values that a generator yields', async () => {
  @Controller('g')
  class G {
    readonly #items = ['a', 'b']
    @Sse(z.string())
    feed = get('/', async function* (this: G) {
      yield* this.#items
    })
  }
  await using app = await create(G)
  const { text } = await app.request().get('/g')
  expect(text).toContain('data: "a"')
  expect(text).toContain('data: "b"')
})

it('field routes run in two applications of one process with separate instances', async () => {
  let constructed = 0
  @Controller('h')
  class H {
    readonly number = ++constructed
    own = get('/', () => this.number)
  }
  await using first = await create(H)
  await using second = await create(H)
  // The first instance has stand-ins, and is made once for all applications.
  expect([await dataOf(first, '/h'), await dataOf(second, '/h')]).toEqual([2, 3])
  expect(constructed).toBe(3)
})

it('a class with field routes can be replaced in tests by an object or an instance', async () => {
  @Controller('i')
  class I {
    constructor(private readonly greeting = inject(Greeting)) {}
    all = get('/', () => this.greeting.word)
  }
  const start = (useValue: unknown) =>
    TestApp.create({ ...options, controllers: [I], testOverrides: [{ token: I, useValue }] })
  await using fake = await start({ all: () => 'fake' })
  expect(await dataOf(fake, '/i')).toBe('fake')
  await using own = await start(new I({ word: 'own', to: String }))
  expect(await dataOf(own, '/i')).toBe('own')
})

it('the handlers of field routes can be called in a test', () => {
  @Controller('j')
  class J {
    constructor(private readonly greeting: Greeting = inject(Greeting)) {}
    hello = get('/:name', ({ params }) => this.greeting.to(params['name'] ?? ''))
  }
  const request = { params: { name: 'ada' } } as unknown as Parameters<J['hello']>[0]
  expect(new J(new Greeting()).hello(request)).toBe('hello ada')
})

it('boot does not construct a class an additional time if it only seems to have field routes', async () => {
  let constructed = 0
  const get = (key: string) => key
  const req = { get }
  @Controller('k')
  class K {
    constructor() {
      constructed++
    }
    query = 1
    all = () => {
      const one = get('one')
      const two = req.get('two')
      return [one, two, this.get('three')]
    }
    get(key: string) {
      return key
    }
  }
  await expect(create(K)).resolves.toBeInstanceOf(TestApp)
  expect(constructed).toBe(1)
})
