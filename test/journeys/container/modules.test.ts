import { App, Controller, Get, inject, type Module } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

class Repository {
  readonly name: string = 'real'
}

class Service {
  readonly repository = inject(Repository)
}

@Controller('names')
class NamesController {
  readonly service = inject(Service)
  @Get() get() {
    return this.service.repository.name
  }
}

describe('modules', () => {
  it('contribute providers and controllers in any order', async () => {
    const data: Module = { providers: [Repository] }
    const domain: Module = { providers: [Service] }
    const app = await TestApp.create({
      contract: 'throw',
      controllers: [NamesController],
      modules: [domain, data],
    })
    expect((await app.request().get('/names')).body.data).toBe('real')
    await app.close()
  })

  it('are used once when they are imported several times or in a circle', async () => {
    const data: Module = { name: 'data', providers: [Repository] }
    const a: Module & { imports: Module[] } = { imports: [data], controllers: [NamesController] }
    const b: Module = { imports: [data, a], providers: [Service] }
    a.imports.push(b)
    const app = await App.create({ modules: [a, b, data] })
    expect(app.getRouteTable()).toHaveLength(1)
    await app.close()
  })

  it('do not share providers that they do not export', async () => {
    class Secret {}
    const closed: Module = {
      name: 'closed',
      providers: [Secret, Repository],
      exports: [Repository],
    }
    @Controller()
    class Outside {
      readonly secret = inject(Secret)
      @Get() get() {}
    }
    const [problem] = await bootProblems({ modules: [closed], controllers: [Outside] })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_MISSING', subject: 'Secret' })
    expect(problem?.cause).toContain("Only module 'closed' provides Secret")
    expect(problem?.remedy).toBe("Add Secret to the `exports` of module 'closed'.")
  })

  it('can each have a private provider for the same token', async () => {
    class Reader {
      readonly url = inject<string>('url')
    }
    class Writer {
      readonly url = inject<string>('url')
    }
    const reading: Module = {
      providers: [Reader, { token: 'url', useValue: 'replica' }],
      exports: [Reader],
    }
    const writing: Module = {
      providers: [Writer, { token: 'url', useValue: 'primary' }],
      exports: [Writer],
    }
    const app = await App.create({ modules: [reading, writing] })
    expect([app.get(Reader).url, app.get(Writer).url]).toEqual(['replica', 'primary'])
    expect(() => app.get('url')).toThrow(/does not export it/)
    await app.close()
  })

  it('can have a private asynchronous provider for a token that other modules also provide', async () => {
    class Orders {
      readonly db = inject<string>('db')
    }
    const orders: Module = {
      providers: [{ token: 'db', useFactory: async () => 'private' }, Orders],
      exports: [Orders],
    }
    const report = {
      token: 'report',
      useFactory: async (made: Orders) => `report of ${made.db}`,
      inject: [Orders],
    }
    // It needs the report, which must not wait for it.
    const shared = {
      token: 'db',
      useFactory: async (made: string) => `shared, with ${made}`,
      inject: ['report'],
    }
    const app = await App.create({ providers: [report, shared], modules: [orders] })
    expect(app.get('db')).toBe('shared, with report of private')
    await app.close()
  })

  it('inject private providers into their controllers', async () => {
    const names: Module = {
      providers: [Service, Repository],
      controllers: [NamesController],
      exports: [],
    }
    const app = await TestApp.create({ contract: 'throw', modules: [names] })
    expect((await app.request().get('/names')).body.data).toBe('real')
    await app.close()
  })

  it('cause a boot error when they provide one token differently', async () => {
    const twice: Module[] = [
      { name: 'a', providers: [Repository] },
      { name: 'b', providers: [{ token: Repository, useValue: { name: 'other' } }] },
    ]
    const [problem] = await bootProblems({ modules: twice })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_DUPLICATE', subject: 'Repository' })
    expect(problem?.cause).toContain("module 'a'")
    expect(problem?.cause).toContain("module 'b'")
    const app = await App.create({
      modules: [{ providers: [Repository] }, { providers: [Repository] }],
    })
    await app.close()
  })

  it('can be instances of a class that has the fields of a module', async () => {
    class Data implements Module {
      readonly providers = [Repository]
    }
    class Nothing {
      readonly size = 1
    }
    const app = await App.create({ modules: [new Data()] })
    expect(app.get(Repository).name).toBe('real')
    await app.close()
    const [problem] = await bootProblems({ modules: [new Nothing() as Module] })
    expect(problem?.cause).toBe('It is an instance of Nothing, which has no fields of a module.')
  })

  it('can list one provider in two ways that have the same result', async () => {
    const shared = { token: 'shared', useValue: 1 }
    const app = await App.create({
      modules: [
        { providers: [Repository, shared] },
        { providers: [{ token: Repository, useClass: Repository }, shared] },
      ],
    })
    expect(app.get(Repository).name).toBe('real')
    await app.close()
  })

  it('cause a boot error when they are undefined or export a missing provider', async () => {
    const wrong: Module = { name: 'wrong', exports: [Repository] }
    const problems = await bootProblems({ modules: [undefined as never, wrong] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_MODULE_INVALID', 'modules[0]'],
      ['E_MODULE_INVALID', "module 'wrong'"],
    ])
  })
})

describe('the testOverrides option', () => {
  const testOverrides = [{ token: Repository, useValue: { name: 'fake' } }]

  it.each([
    ['of a module', { modules: [{ providers: [Repository, Service] }] }],
    [
      'of a module that exports it',
      { modules: [{ providers: [Repository, Service], exports: [Repository, Service] }] },
    ],
    [
      'of a module that keeps it private',
      { modules: [{ providers: [Repository, Service], exports: [Service] }] },
    ],
    [
      'of an imported module',
      { modules: [{ imports: [{ providers: [Repository] }], providers: [Service] }] },
    ],
    ['of the option `providers`', { providers: [Repository, Service] }],
    ['of a plugin', { plugins: [{ name: 'data', providers: [Repository, Service] }] }],
    ['that is in no list', { providers: [Service] }],
  ])('overrides a provider %s', async (_, options) => {
    const app = await TestApp.create({
      contract: 'throw',
      controllers: [NamesController],
      ...options,
      testOverrides,
    })
    expect((await app.request().get('/names')).body.data).toBe('fake')
    await app.close()
  })

  it('does not create the provider that it replaces', async () => {
    let made = 0
    const useFactory = () => {
      made++
      return { name: 'real' }
    }
    const providers = [Service, { token: Repository, useFactory }]
    const app = await TestApp.create({
      contract: 'throw',
      controllers: [NamesController],
      providers,
      testOverrides,
    })
    expect(made).toBe(0)
    await app.close()
  })

  it('has no effect on an App, which logs a warning', async () => {
    const warnings: object[] = []
    const logger = { info() {}, error() {}, warn: (facts: object) => warnings.push(facts) }
    const app = await App.create({ providers: [Repository], testOverrides, logger })
    expect(app.get(Repository).name).toBe('real')
    expect(warnings).toEqual([{ code: 'W_OVERRIDE_IGNORED' }])
    await app.close()
  })
})
