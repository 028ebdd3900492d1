import * as nest from '@nestjs/common'
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core'
import { type AppOptions, type Class, Injectable, type Module } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootWarnings } from '../../support.js'
import { decorate, decorateParameter } from './foreign.js'
import {
  AuditInterceptor,
  ErrorFilter,
  JwtGuard,
  makeController,
  problemsOf,
  TrimPipe,
} from './nest-parts.js'

describe('scopes of NestJS', () => {
  class Service {}

  it.each([
    ['REQUEST', nest.Scope.REQUEST],
    ['TRANSIENT', nest.Scope.TRANSIENT],
  ])(
    'cause an error on a provider, on a controller and in a provider object: %s',
    async (name, scope) => {
      class Scoped {}
      decorate(Scoped, null, nest.Injectable({ scope }))
      const controller = makeController()
      decorate(controller, null, nest.Controller({ path: 'users', scope }))
      const problems = await problemsOf(controller, {
        providers: [Scoped, { provide: 'object', useClass: Service, scope } as never],
        modules: [
          { name: 'more', providers: [{ provide: 'again', useFactory: () => 1, scope } as never] },
        ],
      })
      const lines = problems.map(({ code, subject }) => `${code} ${subject}`)
      expect(lines.sort()).toEqual([
        'E_FOREIGN_DECORATOR Scoped',
        'E_FOREIGN_DECORATOR UsersController',
        'E_FOREIGN_DECORATOR UsersController',
        "E_FOREIGN_PROVIDER 'again'",
        "E_FOREIGN_PROVIDER 'object'",
      ])
      const scoped = problems.filter(({ cause }) => cause.includes(`Scope.${name}`))
      expect(scoped).toHaveLength(4)
      for (const { remedy } of scoped) expect(remedy).toContain('req')
    },
  )

  it('cause an error if they are durable', async () => {
    const object = { provide: 'object', useClass: Service, durable: true } as never
    const problems = await problemsOf(makeController(), { providers: [object] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      "E_FOREIGN_PROVIDER 'object'",
    ])
  })

  it('cause no error if they are Scope.DEFAULT', async () => {
    class Plain {}
    decorate(Plain, null, nest.Injectable({ scope: nest.Scope.DEFAULT }))
    class Bare {}
    decorate(Bare, null, nest.Injectable())
    const object = { provide: 'object', useClass: Service, scope: nest.Scope.DEFAULT } as never
    const options = { controllers: [makeController()], providers: [Plain, Bare, object] }
    expect(await bootWarnings({ ...options, strict: true })).toEqual([])
  })

  it('cause an immediate error in the options of the @Injectable decorator of Blazon', () => {
    const wrong = Injectable as unknown as (options: object) => unknown
    expect(() => wrong({ scope: nest.Scope.REQUEST })).toThrow('E_DECORATOR_TARGET')
  })
})

describe('NestJS injection', () => {
  it('causes an error on a field and on a constructor parameter', async () => {
    class Config {}
    class Service {
      declare config: Config
      constructor(readonly other: Config) {}
    }
    decorateParameter(Service, undefined, 0, nest.Inject('OTHER'))
    ;(nest.Inject('CONFIG') as (...args: unknown[]) => void)(Service.prototype, 'config')
    Reflect.defineMetadata('design:paramtypes', [Config], Service)
    const problems = await problemsOf(makeController(), { providers: [Config, Service] })
    expect(problems.map(({ code, subject, cause }) => [code, subject, cause])).toEqual([
      ['E_FOREIGN_DECORATOR', 'Service', expect.stringContaining('@Inject() of NestJS')],
      ['E_FOREIGN_DECORATOR', 'Service', expect.stringContaining('@Inject() on a field of NestJS')],
    ])
  })
})

describe('the types that a compiler emits for constructor parameters', () => {
  it('cause an error that names the class if one of them is undefined', async () => {
    class Service {
      constructor(readonly other: object) {}
    }
    Reflect.defineMetadata('design:paramtypes', [undefined], Service)
    const problems = await problemsOf(makeController(), { providers: [Service] })
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'E_PROVIDER_MISSING',
        subject: 'Service',
        cause: expect.stringContaining('Its constructor parameter 0'),
      }),
    ])
  })
})

describe('NestJS tokens', () => {
  it.each([
    ['APP_GUARD', APP_GUARD, JwtGuard, 'auth.guard'],
    ['APP_PIPE', APP_PIPE, TrimPipe, 'schema'],
    ['APP_INTERCEPTOR', APP_INTERCEPTOR, AuditInterceptor, 'intercept'],
    ['APP_FILTER', APP_FILTER, ErrorFilter, 'error middleware'],
  ])('cause an error in every list of providers: %s', async (name, provide, useClass, remedy) => {
    const provider = { provide, useClass: useClass as Class }
    const places: AppOptions[] = [
      { providers: [provider] },
      { modules: [{ providers: [provider] }] },
      { modules: [{ providers: [provider], exports: [] }] },
      { plugins: [{ name: 'x', providers: [{ provide, useValue: new useClass() }] }] },
      { providers: [{ token: provide, useFactory: () => new useClass() }] },
    ]
    for (const options of places) {
      const problems = await problemsOf(makeController(), options)
      expect(problems).toEqual([
        expect.objectContaining({ code: 'E_FOREIGN_PROVIDER', subject: name }),
      ])
      expect(problems[0]?.remedy).toContain(remedy)
    }
  })
})

describe('NestJS modules', () => {
  class UsersModule {}
  decorate(UsersModule, null, nest.Module({ providers: [], controllers: [] }))

  it.each([
    ['a class with @Module', UsersModule, 'UsersModule'],
    ['a dynamic module', { module: UsersModule, providers: [] }, 'UsersModule'],
    ['a forward reference', nest.forwardRef(() => UsersModule), 'forwardRef'],
    ['an instance of a module', new UsersModule(), 'UsersModule'],
    ['a promise of a module', Promise.resolve({ providers: [] }), 'promise'],
  ])(
    'cause an error that contains the name of the module, even if it is nested: %s',
    async (_, module, name) => {
      for (const modules of [[module], [{ name: 'outer', imports: [module] }]]) {
        const problems = await problemsOf(makeController(), { modules: modules as Module[] })
        const found = problems.filter(({ code }) => code === 'E_MODULE_INVALID')
        expect(found).toHaveLength(1)
        expect(found[0]?.cause).toContain(name)
        expect(found[0]?.cause).not.toContain('{}')
      }
    },
  )
})
