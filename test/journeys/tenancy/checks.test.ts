import {
  type AppOptions,
  type AuthGuard,
  Controller,
  Get,
  type RequestHandler,
  Tenant,
  type TenantOptions,
} from 'blazon'
import { memorySessions, sessions } from 'blazon/sessions'
import { afterEach, describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

@Tenant()
@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return []
  }
}

@Controller('health')
class HealthController {
  @Get()
  get() {
    return 'ok'
  }
}

describe('the tenant option', () => {
  it.each<[string, unknown]>([
    ['tenant', true],
    ['tenant', 'x-org'],
    ['tenant', null],
    ['tenant.header', 'x tenant'],
    ['tenant.header', ''],
    ['tenant.header', true],
    ['tenant.header', 7],
    // When a request has several of these headers, Node keeps the first one or joins them in another way.
    ['tenant.header', 'Authorization'],
    ['tenant.header', 'host'],
    ['tenant.header', 'If-Unmodified-Since'],
    ['tenant.header', 'cookie'],
    ['tenant.header', 'user-agent'],
    ['tenant.jwtClaim', ''],
    ['tenant.jwtClaim', ['org']],
    ['tenant.strategies', () => 'acme'],
    ['tenant.strategies', ['host']],
    ['tenant.pattern', '[a-z]+'],
    ['tenant.onMismatch', 'ignore'],
    ['tenant.required', 'yes'],
    ['tenant.store', () => null],
    ['tenant.store', null],
    ['tenant.positiveTtl', 'soon'],
    ['tenant.negativeTtl', -1],
    ['tenant.authorize', true],
    ['tenant.authorize', null],
  ])('is refused if %s is %j', async (subject, value) => {
    const [, name] = subject.split('.')
    const tenant = (name === undefined ? value : { [name]: value }) as TenantOptions
    const problems = await bootProblems({ tenant, controllers: [HealthController] })
    expect(problems).toMatchObject([{ code: 'E_OPTION_INVALID', subject }])
  })

  it.each([
    ['a b', "'a b' is not a header name."],
    ['', "'' is not a header name."],
    [true, 'true is not a header name.'],
    ['Authorization', /^If a request has several Authorization headers, Node reports/],
  ])('causes an error that explains why the header name %j is invalid', async (header, cause) => {
    const tenant = { header } as TenantOptions
    const [problem] = await bootProblems({ tenant, controllers: [HealthController] })
    expect(problem?.cause).toMatch(cause)
  })

  it('causes an error for an unknown field', async () => {
    const tenant = { authorise: () => true } as TenantOptions
    expect(await bootProblems({ tenant, controllers: [HealthController] })).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'tenant.authorise' },
    ])
  })

  it('causes no warning with all known fields', async () => {
    const tenant: TenantOptions = {
      header: 'X-Org',
      jwtClaim: 'org',
      strategies: [() => undefined],
      pattern: /^[a-z]+$/,
      onMismatch: 'reject',
      store: { find: (id) => ({ id }) },
      positiveTtl: '5m',
      negativeTtl: 0,
      required: true,
      authorize: () => true,
    }
    expect(await bootWarnings({ tenant, controllers: [OrdersController] })).toEqual([])
  })
})

describe('the boot check for unverified tenants', () => {
  const before = process.env.NODE_ENV
  afterEach(() => {
    process.env.NODE_ENV = before
  })
  const codes = async (options: AppOptions) =>
    (await bootWarnings({ controllers: [OrdersController], ...options })).map(({ code }) => code)
  const guard = { canActivate: () => true }
  /** A store that production accepts. */
  const shared = Object.assign(memorySessions(), { isShared: true, forApplication: undefined })

  it('causes a warning in production if `tenant.authorize` is missing', async () => {
    expect(await codes({ tenant: {} })).toEqual([])
    process.env.NODE_ENV = 'production'
    expect(await codes({ tenant: {} })).toEqual(['W_TENANT_UNVERIFIED'])
    expect(await codes({ tenant: { store: { find: () => null } } })).toEqual([
      'W_TENANT_UNVERIFIED',
    ])
    expect(await codes({ tenant: { authorize: () => true } })).toEqual([])
  })

  it('causes a warning that names each guard that only identifies the user', async () => {
    process.env.NODE_ENV = 'production'
    const guards = {
      own: guard,
      silent: class {
        canActivate = () => true
      },
    }
    const named = async (auth: NonNullable<AppOptions['auth']>, tenant: TenantOptions = {}) =>
      (await bootWarnings({ controllers: [OrdersController], tenant, auth })).map(
        ({ text }) => text,
      )
    expect(await named({ guard })).toEqual([expect.stringContaining('auth.guard')])
    expect(await named({ guards })).toEqual([
      expect.stringContaining('auth.guards.own, auth.guards.silent'),
    ])
    const web = sessions({ store: shared, bindTenant: false })
    expect(await codes({ tenant: {}, auth: { guard: web }, plugins: [web] })).toEqual([
      'W_TENANT_UNVERIFIED',
    ])
    expect(await named({ guards }, { authorize: () => true })).toEqual([])
  })

  it('causes no warning if the guard confirms the tenant or declares `checksTenant`', async () => {
    process.env.NODE_ENV = 'production'
    class Stating {
      static readonly checksTenant = true
      canActivate = () => true
    }
    const guards = [{ ...guard, tenantOf: () => 'acme' }, { ...guard, checksTenant: true }, Stating]
    for (const each of guards)
      expect(await codes({ tenant: {}, auth: { guard: each } })).toEqual([])
    const web = sessions({ store: shared })
    expect(await codes({ tenant: {}, auth: { guard: web }, plugins: [web] })).toEqual([])
  })

  it('causes an error if `checksTenant` is not a boolean, or is not static in a guard class', async () => {
    const subjects = async (given: unknown) =>
      (await bootProblems({ auth: { guard: given as AuthGuard } })).map(({ subject }) => subject)
    expect(await subjects({ ...guard, checksTenant: 'yes' })).toEqual(['auth.guard.checksTenant'])
    class Hiding {
      readonly checksTenant = true
      canActivate = () => true
    }
    expect(await subjects(Hiding)).toEqual(['auth.guard'])
  })

  it('prevents a strict application from starting in production', async () => {
    process.env.NODE_ENV = 'production'
    const strict = { tenant: {}, controllers: [OrdersController], strict: true }
    expect(await bootProblems(strict)).toMatchObject([
      { code: 'W_TENANT_UNVERIFIED', subject: 'tenant' },
    ])
    expect(await bootProblems({ ...strict, auth: { guard } })).toMatchObject([
      { code: 'W_TENANT_UNVERIFIED', subject: 'auth.guard' },
    ])
  })
})

describe('the boot check for @Tenant without a tenant source', () => {
  const middleware: RequestHandler = (_req, _res, next) => next()
  const controllers = [OrdersController]

  it('causes a warning that lists the routes', async () => {
    const [warning] = await bootWarnings({ controllers })
    expect(warning?.code).toBe('W_TENANT_WITHOUT_SOURCE')
    expect(warning?.text).toContain('OrdersController.list')
    expect(await bootWarnings({ controllers, tenant: { header: false } })).toHaveLength(1)
  })

  it('causes no warning if an option or a middleware can set the tenant', async () => {
    const enough: AppOptions[] = [
      { tenant: {} },
      { tenant: { header: false, jwtClaim: 'org' } },
      { tenant: { header: false, strategies: [() => 'acme'] } },
      { middlewares: [middleware] },
      { plugins: [{ name: 'org', middlewares: [middleware] }] },
    ]
    for (const options of enough)
      expect(await bootWarnings({ controllers, ...options })).toEqual([])
  })

  it('causes no warning if the tenant is optional or no route requires one', async () => {
    @Tenant({ optional: true })
    @Controller()
    class OptionalController {
      @Get()
      get() {
        return 1
      }
    }
    expect(await bootWarnings({ controllers: [OptionalController, HealthController] })).toEqual([])
  })
})

describe('the @Tenant decorator', () => {
  it.each([[{ optional: 'yes' }], [{ option: true }], [null], ['acme'], [true]])(
    'refuses invalid options: %j',
    async (options) => {
      @Tenant(options as never)
      @Controller('a')
      class ByClass {
        @Get()
        get() {
          return 1
        }
      }
      @Controller('b')
      class ByMethod {
        @Tenant(options as never)
        @Get()
        get() {
          return 1
        }
      }
      const problems = await bootProblems({ controllers: [ByClass, ByMethod], tenant: {} })
      expect(problems).toMatchObject([
        { code: 'E_OPTION_INVALID', subject: 'ByClass @Tenant' },
        { code: 'E_OPTION_INVALID', subject: 'ByMethod.get @Tenant' },
      ])
    },
  )

  it('throws immediately if it is used without parentheses', () => {
    const bare = Tenant as unknown as (target: unknown, context?: unknown) => void
    expect(() => {
      @bare
      class Bare {}
      return Bare
    }).toThrow(/@Tenant/)
  })

  it('overrides the class decorator if it is on a method, and is inherited', async () => {
    @Tenant()
    @Controller('base')
    class Base {
      @Tenant({ optional: true })
      @Get('one')
      one() {
        return 1
      }
      @Get('two')
      two() {
        return 2
      }
    }
    @Controller('sub')
    class Sub extends Base {}
    const [warning] = await bootWarnings({ controllers: [Sub] })
    expect(warning?.text).toContain('Sub.two')
    expect(warning?.text).not.toContain('Sub.one')
  })
})
