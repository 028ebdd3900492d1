import {
  Auth,
  Cache,
  Controller,
  Get,
  getTenantId,
  InjectionToken,
  inject,
  RateLimit,
  type Request,
  type RequestHandler,
  requireTenantId,
  runWithTenant,
  Tenant,
  tenantScoped,
  type User,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeEach } from 'vitest'

export const Rows = new InjectionToken<{ readonly all: () => string }>('Rows')

@Tenant()
@Auth()
@Controller('rows')
class RowsController {
  private readonly rows = inject(Rows)

  @Get()
  list() {
    return { tenant: getTenantId(), rows: this.rows.all() }
  }

  @Get('fails')
  fails() {
    throw new Error('unexpected')
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  cached() {
    return { rows: this.rows.all() }
  }

  @RateLimit({ limit: 1, window: '1m', by: 'tenant' })
  @Get('limited')
  limited() {
    return { tenant: getTenantId() }
  }
}

@Controller('login')
class LoginController {
  @Get()
  login() {
    return { tenant: getTenantId() ?? null, acting: runWithTenant('acme', requireTenantId) }
  }
}

/** The places that ran in the test, each with the tenant of its scope. */
export let seen: [where: string, tenant: string | undefined][] = []
export let app: TestApp
export const note = (where: string) => void seen.push([where, getTenantId()])

export const guard = {
  canActivate(req: Request) {
    note('guard')
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id }
    return id !== undefined
  },
}
const USERS: Record<string, string> = { ada: 'acme', zoe: 'zeta' }
export const authorize = (_req: Request, id: string, user: User | undefined) => {
  note('authorize')
  return user !== undefined && USERS[user['id']] === id
}

/** Resets this state before each test of the file that calls it, and closes the application after the test. */
export function useRowsApp(): void {
  beforeEach(() => {
    seen = []
  })
  afterEach(() => app?.close())
}

export async function start(options: TestOptions = {}): Promise<void> {
  app = await TestApp.create({
    controllers: [RowsController, LoginController],
    auth: { guard },
    tenant: { authorize },
    providers: [tenantScoped(Rows, (id) => ({ all: () => `rows of ${id}` }))],
    logger: false,
    ...options,
  })
}

export async function ask(user: string | undefined, tenant: string | undefined, path = '/rows') {
  const headers = { ...(user && { 'x-user': user }), ...(tenant && { 'x-tenant-id': tenant }) }
  const { status, body } = await app.with(headers).request().get(path)
  return { status, code: body.code, data: body.data }
}

export const noting =
  (where: string): RequestHandler =>
  (_req, _res, next) => {
    note(where)
    next()
  }
