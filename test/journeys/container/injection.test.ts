import { App, Controller, Get, Inject, Injectable, InjectionToken, inject } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

const Name = new InjectionToken<string>('Name')

@Injectable()
class Greeter {
  readonly name = inject(Name)
  greet() {
    return `hello ${this.name}`
  }
}

const named = { token: Name, useValue: 'Ada' }

describe('dependency injection', () => {
  it('supports fields, constructor defaults and `static inject`', async () => {
    @Injectable()
    class ByStatic {
      static readonly inject = [Greeter, Name]
      constructor(
        readonly greeter: Greeter,
        readonly name: string,
        readonly optional = 'default',
      ) {}
    }
    @Injectable()
    class ByDefault {
      constructor(readonly greeter = inject(Greeter)) {}
    }
    @Injectable()
    class ByField {
      @Inject(Greeter) readonly greeter!: Greeter
    }
    const app = await App.create({ providers: [named] })
    const byStatic = app.get(ByStatic)
    expect(byStatic.greeter.greet()).toBe('hello Ada')
    expect([byStatic.name, byStatic.optional]).toEqual(['Ada', 'default'])
    expect(app.get(ByDefault).greeter).toBe(byStatic.greeter)
    expect(app.get(ByField).greeter).toBe(byStatic.greeter)
    await app.close()
  })

  it('supports injected fields of a base class', async () => {
    class Base {
      @Inject(Name) readonly name!: string
    }
    @Injectable()
    class Derived extends Base {
      @Inject(Greeter) readonly greeter!: Greeter
    }
    const app = await App.create({ providers: [named] })
    expect(app.get(Derived).name).toBe('Ada')
    expect(app.get(Derived).greeter).toBeInstanceOf(Greeter)
    await app.close()
  })

  it('uses the token of the subclass for a field that the subclass injects again', async () => {
    const Other = new InjectionToken<string>('Other')
    class Base {
      @Inject(Name) readonly name!: string
      @Inject(Name) readonly inherited!: string
    }
    @Injectable()
    class Derived extends Base {
      @Inject(Other) override readonly name = ''
    }
    @Injectable()
    class Further extends Derived {
      @Inject(Other) override readonly inherited = ''
    }
    const providers = [named, { token: Other, useValue: 'Bob' }]
    const app = await App.create({ providers })
    const [derived, further] = [app.get(Derived), app.get(Further)]
    expect([derived.name, derived.inherited]).toEqual(['Bob', 'Ada'])
    expect([further.name, further.inherited]).toEqual(['Bob', 'Bob'])
    await app.close()
  })

  it('creates one instance per application', async () => {
    const one = await App.create({ providers: [named] })
    const two = await App.create({ providers: [{ token: Name, useValue: 'Bob' }] })
    expect(one.get(Greeter)).toBe(one.get(Greeter))
    expect(two.get(Greeter)).not.toBe(one.get(Greeter))
    expect([one.get(Greeter).name, two.get(Greeter).name]).toEqual(['Ada', 'Bob'])
    await Promise.all([one.close(), two.close()])
  })

  it('returns undefined for an optional token without a provider', async () => {
    @Injectable()
    class Optional {
      readonly missing = inject(Name, { optional: true })
    }
    const app = await App.create()
    expect(app.get(Optional).missing).toBeUndefined()
    await app.close()
  })

  it('supports classes, values, factories and aliases, under `token` or `provide`', async () => {
    class Impl {
      readonly kind = 'impl'
    }
    const providers = [
      Impl,
      named,
      { provide: 'class', useClass: Impl },
      { token: 'factory', useFactory: (name: string) => name.length, inject: [Name] },
      { provide: 'alias', useExisting: 'factory' },
      { token: 'null', useValue: null },
    ]
    const app = await App.create({ providers })
    expect(app.get(Impl)).toBeInstanceOf(Impl)
    expect(app.get('class')).toBeInstanceOf(Impl)
    expect(app.get('class')).not.toBe(app.get(Impl))
    expect([app.get('factory'), app.get('alias'), app.get('null')]).toEqual([3, 3, null])
    await app.close()
  })

  it('calls the factory of a token that has no provider, once per application', async () => {
    const Greeting = new InjectionToken('Greeting', {
      useFactory: () => ({ text: `hello ${inject(Name)}` }),
    })
    @Injectable()
    class Welcome {
      readonly greeting = inject(Greeting)
    }
    const module = { name: 'private', providers: [Welcome], exports: [Welcome] }
    const app = await App.create({ providers: [named], modules: [module] })
    expect(app.get(Greeting).text).toBe('hello Ada')
    expect(app.get(Welcome).greeting).toBe(app.get(Greeting))
    const other = await App.create({
      providers: [named, { token: Greeting, useValue: { text: 'moin' } }, Welcome],
    })
    expect(other.get(Welcome).greeting.text).toBe('moin')
    await Promise.all([app.close(), other.close()])
    const [problem] = await bootProblems({ providers: [Welcome] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_MISSING', subject: 'Name' })
    expect(problem?.cause).toContain('Welcome -> Greeting -> Name')
  })

  it("waits for the asynchronous dependencies of a token's own factory", async () => {
    const Size = new InjectionToken('Size', { useFactory: () => inject<string>('late').length })
    const late = { token: 'late', useFactory: async () => 'four' }
    const size = { token: 'size', useFactory: (value: number) => value, inject: [Size] }
    const app = await App.create({ providers: [size, late] })
    expect([app.get(Size), app.get('size')]).toEqual([4, 4])
    await app.close()
  })

  it('does not inject a subclass in place of its base class', async () => {
    class Repository {}
    class Cached extends Repository {}
    const app = await App.create({ providers: [Repository, Cached] })
    expect(app.get(Repository)).not.toBeInstanceOf(Cached)
    await app.close()
  })

  it('accepts tokens that are names of object properties', async () => {
    const providers = ['__proto__', 'constructor', 'toString'].map((token) => ({
      token,
      useValue: `value of ${token}`,
    }))
    const app = await App.create({ providers })
    for (const { token, useValue } of providers) expect(app.get(token)).toBe(useValue)
    await app.close()
  })

  it('leaves an injected field undefined in an object that is created with new', () => {
    class ByField {
      @Inject(Greeter) readonly greeter!: Greeter
    }
    expect(new ByField().greeter).toBeUndefined()
  })

  it('reports the chain of tokens when app.get() fails', async () => {
    const app = await App.create()
    expect(() => app.get(Greeter)).toThrow(/Nothing provides Name. Injected by: Greeter -> Name/)
    await app.close()
  })

  it('has the original error as its cause when app.get() fails in a constructor', async () => {
    const thrown = new TypeError('no configuration')
    @Injectable()
    class Broken {
      constructor() {
        throw thrown
      }
    }
    const app = await App.create()
    const failed = (() => {
      try {
        return app.get(Broken)
      } catch (error) {
        return error
      }
    })() as Error
    expect(failed.message).toContain(
      'Its constructor or factory threw TypeError: no configuration.',
    )
    expect(failed.message).not.toContain('Injected by')
    expect(failed.cause).toBe(thrown)
    await app.close()
  })

  it('refuses inject() outside construction', () => {
    expect(() => inject(Greeter)).toThrow(/inject\(Greeter\) was called outside construction/)
  })
})

describe('asynchronous factories', () => {
  it('are awaited once and injected into all dependents', async () => {
    let calls = 0
    const useFactory = async () => {
      calls++
      await new Promise((resolve) => setTimeout(resolve, 5))
      return { connected: true }
    }
    class One {
      readonly db = inject<{ connected: boolean }>('db')
    }
    class Two {
      readonly db = inject<{ connected: boolean }>('db')
    }
    const providers = [
      One,
      Two,
      { token: 'pool', useFactory: async (db: object) => ({ db }), inject: ['db'] },
      { token: 'db', useFactory },
    ]
    const app = await App.create({ providers })
    expect(app.get(One).db).toEqual({ connected: true })
    expect(app.get(Two).db).toBe(app.get(One).db)
    expect(app.get<{ db: object }>('pool').db).toBe(app.get(One).db)
    expect(calls).toBe(1)
    await app.close()
  })

  it('do not cause a second construction of a class', async () => {
    let constructed = 0
    class Service {
      // Before the dependency: a construction that stops there counts, too.
      readonly number = ++constructed
      readonly db = inject('db')
    }
    const app = await App.create({
      providers: [Service, { token: 'db', useFactory: async () => ({}) }],
    })
    expect(constructed).toBe(1)
    await app.close()
  })

  it('cause one boot error when they reject', async () => {
    @Controller()
    class Home {
      readonly db = inject('db')
      @Get() get() {}
    }
    const failing = {
      token: 'db',
      useFactory: async () => {
        throw new Error('connection refused')
      },
    }
    const [problem, ...others] = await bootProblems({ controllers: [Home], providers: [failing] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_FAILED', subject: "'db'" })
    expect(problem?.cause).toContain('connection refused')
    expect(others).toEqual([])
  })
})

describe('boot errors of the container', () => {
  it('contain the chain to a missing provider and the remedy', async () => {
    class Missing {}
    class Repository {
      readonly missing = inject(Missing)
    }
    class Service {
      readonly repository = inject(Repository)
    }
    @Controller()
    class Home {
      readonly service = inject(Service)
      @Get() get() {}
    }
    const providers = [Service, Repository]
    const problems = await bootProblems({ controllers: [Home], modules: [{ providers }] })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ code: 'E_PROVIDER_MISSING', subject: 'Missing' })
    expect(problems[0]?.cause).toMatch(/Injected by: .*Service -> Repository -> Missing/)
    expect(problems[0]?.remedy).toContain('providers')
  })

  it('report a circular dependency of classes', async () => {
    @Injectable()
    class Hen {
      readonly egg: unknown = inject(Egg)
    }
    @Injectable()
    class Egg {
      readonly hen: unknown = inject(Hen)
    }
    const [problem] = await bootProblems({ providers: [Hen] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_CIRCULAR' })
    expect(problem?.cause).toContain('Hen -> Egg -> Hen')
  })

  it('report a circular dependency through an asynchronous factory', async () => {
    class Egg {
      readonly hen = inject('hen')
    }
    const hen = { token: 'hen', useFactory: async (egg: Egg) => ({ egg }), inject: [Egg] }
    const [problem] = await bootProblems({ providers: [hen, Egg] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_CIRCULAR' })
    expect(problem?.cause).toContain("'hen' -> Egg -> 'hen'")
  })

  it('report a circular dependency that appears only after an asynchronous factory has resolved', async () => {
    const slow = {
      token: 'slow',
      useFactory: () => new Promise((resolve) => setTimeout(() => resolve('here'), 5)),
    }
    class Middle {
      readonly slow = inject('slow')
      readonly first = inject('first')
    }
    const first = {
      token: 'first',
      useFactory: (...made: unknown[]) => made,
      inject: ['slow', Middle],
    }
    const [problem] = await bootProblems({ providers: [first, Middle, slow] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_CIRCULAR' })
    expect(problem?.cause).toContain("'first' -> Middle -> 'first'")
  })

  it('contain the error of a constructor as text and as cause', async () => {
    const thrown = new TypeError('no configuration')
    class Broken {
      constructor() {
        throw thrown
      }
    }
    const failure = await App.create({ providers: [Broken] }).catch((error) => error)
    expect(failure.problems).toMatchObject([{ code: 'E_PROVIDER_FAILED', subject: 'Broken' }])
    expect(failure.problems[0].cause).toContain('TypeError: no configuration')
    expect(failure.cause).toBe(thrown)
    expect(Object.keys(failure)).not.toContain('problems')
  })

  it('name the class when a constructor parameter has no token', async () => {
    class Undescribed {
      constructor(readonly name: string) {}
    }
    class Circular {
      static readonly inject = [undefined]
      constructor(readonly other = {}) {}
    }
    const problems = await bootProblems({ providers: [Undescribed, Circular] })
    expect(problems).toMatchObject([
      { code: 'E_PROVIDER_MISSING', subject: 'Undescribed' },
      { code: 'E_PROVIDER_MISSING', subject: 'Circular' },
    ])
    expect(problems[0]?.remedy).toContain('inject(Token)')
    expect(problems[1]?.cause).toContain('circular import')
  })

  it('mention a circular import when a token is undefined', async () => {
    class Circular {
      readonly other = inject(undefined as never)
    }
    const [problem] = await bootProblems({ providers: [Circular] })
    expect(problem?.remedy).toContain('circular import')
  })

  it('describe a class without a name', async () => {
    const unnamed = (() => class {})()
    class Service {
      readonly other = inject(unnamed)
    }
    const [problem] = await bootProblems({ providers: [Service] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_MISSING', subject: 'an anonymous class' })
    expect(problem?.cause).toContain('Injected by: Service -> an anonymous class.')
  })

  it('are caused by a factory that returns undefined', async () => {
    const [problem] = await bootProblems({
      providers: [{ token: 'nothing', useFactory: () => undefined }],
    })
    expect(problem?.cause).toContain('returned undefined')
  })

  it.each([
    ['undefined', undefined],
    ['an empty object', {}],
    ['a token without a recipe', { token: 'x' }],
    ['a recipe without a token', { useValue: 1 }],
    ['an undefined value', { token: 'x', useValue: undefined }],
  ])('are caused by %s as a provider', async (_, provider) => {
    const [problem] = await bootProblems({ providers: [provider as never] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_INVALID', subject: 'providers' })
  })
})
