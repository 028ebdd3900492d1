import {
  All,
  Auth,
  BadRequestError,
  Body,
  Can,
  type ConfigError,
  Controller,
  Delete,
  Get,
  Post,
  Public,
  type Request,
  Tenant,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

@Controller()
class NotesController {
  @Tenant() @Can('notes:write') @Post('notes') add() {}
  @Public() @Get('open') open() {}
}

const startNotes = async (more: TestOptions) => {
  app = await TestApp.create({
    controllers: [NotesController],
    auth: { guard: { canActivate: () => false } },
    logger: false,
    ...more,
  })
}

let called: string[] = []
let guarded = 0

@Auth()
@Controller('orders')
class OrdersController {
  @Get()
  list() {
    called.push('list')
  }

  @Can('orders:write')
  @Post()
  @Body(z.object({ total: z.number() }))
  create() {
    called.push('create')
  }

  @Can('orders:write', 'orders:delete')
  @Delete(':id')
  remove() {
    called.push('remove')
  }

  @Public()
  @Get('1')
  first() {
    called.push('first')
  }

  @Public()
  @Post('login')
  login() {
    called.push('login')
  }
}

@Controller('files')
class FilesController {
  @All('*path')
  any() {
    called.push('any')
  }
}

const guard = {
  async canActivate(req: Request) {
    guarded++
    const isAuditor = req.get('authorization') === 'Bearer auditor'
    if (isAuditor) req.user = { permissions: ['orders:read'] }
    return isAuditor
  },
}
const principals = {
  anonymous: null,
  clerk: { permissions: ['orders:write'] },
  admin: { roles: ['orders:write', 'orders:delete'] },
}

let app: TestApp
async function start(options: TestOptions = {}) {
  app = await TestApp.create({
    controllers: [OrdersController, FilesController],
    auth: { guard },
    contract: 'throw',
    ...options,
  })
}
beforeEach(() => {
  called = []
  guarded = 0
})
afterEach(() => app.close())

describe('the authMatrix() method', () => {
  it('returns a table of operations and principals', async () => {
    await start()
    const matrix = await app.authMatrix(principals)
    expect(String(matrix)).toBe(
      [
        '                    anonymous  clerk    admin',
        'GET /orders         401        allowed  allowed',
        'POST /orders        401        allowed  allowed',
        'DELETE /orders/:id  401        403      allowed',
        'GET /orders/1       allowed    allowed  allowed',
        'POST /orders/login  allowed    allowed  allowed',
        'ALL /files/*path    allowed    allowed  allowed',
      ].join('\n'),
    )
    expect(matrix.rows[2]).toEqual({
      operation: 'DELETE /orders/:id',
      handler: 'OrdersController.remove',
      access: { anonymous: 401, clerk: 403, admin: 'allowed' },
    })
  })

  it('calls no handler, requires no body, and adds only refusals to the coverage', async () => {
    await start()
    await app.authMatrix(principals, {
      unguarded: 'fail',
      except: ['POST /orders/login', 'FilesController.any'],
    })
    expect(called).toEqual([])
    const { operations, rows } = app.coverage()
    expect(operations.exercised).toBe(0)
    const removal = rows.find(({ operationId }) => operationId === 'Orders_remove')
    expect(removal).toMatchObject({ statuses: { 401: 2, 403: 1 }, missing: ['2XX'] })
    // Requests on other connections do call the handlers.
    await app.as(principals.clerk).request().delete('/orders/7').expect(403)
    await app.as(principals.admin).request().delete('/orders/7')
    expect(called).toEqual(['remove'])
  })

  it('calls the real guard for anonymous requests and for authenticated callers', async () => {
    await start()
    const auditor = app.with({ authorization: 'Bearer auditor' })
    const { rows } = await app.authMatrix({ auditor, anonymous: null })
    expect(rows.slice(0, 3).map(({ access }) => access)).toEqual([
      { auditor: 'allowed', anonymous: 401 },
      { auditor: 403, anonymous: 401 },
      { auditor: 403, anonymous: 401 },
    ])
    expect(guarded).toBe(6)
  })

  it('includes the refusals of middlewares', async () => {
    await start({
      middlewares: [
        (req, _res, next) =>
          next(req.get('x-tenant-id') === 'acme' ? undefined : new BadRequestError('No tenant')),
      ],
    })
    const admin = app.as(principals.admin)
    const matrix = await app.authMatrix({ admin, tenant: admin.asTenant('acme') })
    expect(matrix.rows[0]?.access).toEqual({ admin: 400, tenant: 'allowed' })
    // Only the framework's own refusal shows that no tenant was specified.
    expect(matrix.withoutTenant).toEqual([])
  })

  it('checks refusals against the document', async () => {
    await start({
      middlewares: [(_req, res) => void res.status(418).send('a teapot')],
    })
    await expect(app.authMatrix(principals)).rejects.toThrow('envelope: expected JSON')
  })

  it("with unguarded: 'fail', rejects with the names of unprotected operations other than GET", async () => {
    await start()
    const open = app.authMatrix(principals, {
      unguarded: 'fail',
      except: ['OrdersController.login'],
    })
    await expect(open).rejects.toThrow('ALL /files/*path (FilesController.any)')
    const all = app.authMatrix(principals, { unguarded: 'fail' })
    await expect(all).rejects.toThrow('POST /orders/login (OrdersController.login)')
    await expect(all).rejects.not.toThrow('DELETE')
  })

  it('rejects invalid principals and options', async () => {
    await start()
    const refused = (...given: unknown[]) =>
      app.authMatrix(...(given as [typeof principals])).then(
        () => [],
        (error: ConfigError) => error.problems.map(({ subject }) => subject),
      )
    expect(await refused({})).toEqual(['authMatrix({ … })'])
    expect(await refused(principals, { unguarded: 'fial' })).toEqual(['authMatrix({ unguarded })'])
    expect(await refused(principals, { ungarded: 'fail' })).toEqual(['authMatrix(): ungarded'])
    expect(await refused(principals, { except: 'POST /login' })).toEqual(['authMatrix({ except })'])
    expect(await refused({ admin: 'admin', none: undefined })).toEqual([
      'authMatrix({ admin })',
      'authMatrix({ none })',
    ])
  })

  it('rejects a TestApp as a principal', async () => {
    await start()
    const mistaken = { auditor: app.withAuth('auditor') }
    await expect(app.authMatrix(mistaken)).rejects.toThrow(
      "app.with({ authorization: 'Bearer …' })",
    )
  })

  it('reports principals without a tenant if operations require one', async () => {
    await startNotes({ tenant: {} })
    const member = { permissions: ['notes:write'] }
    const acme = app.as({ id: 1 }).asTenant('acme')
    const matrix = await app.authMatrix({ member, reader: { id: 1 }, acme })
    expect(matrix.withoutTenant).toEqual(['member', 'reader'])
    expect(String(matrix)).toBe(
      [
        '             member   reader   acme',
        'POST /notes  400      400      403',
        'GET /open    allowed  allowed  allowed',
        '',
        "400: the request has no tenant, so the access is unknown (member, reader). Set a tenant for the callers: { member: app.as(…).asTenant('acme') }.",
      ].join('\n'),
    )
    const whole = await app.authMatrix({ acme })
    expect(whole.withoutTenant).toEqual([])
    expect(String(whole).split('\n')).toHaveLength(3)
  })

  it('keeps the tenant of a caller if only the guard uses tenants', async () => {
    const tenantOf = () => undefined
    await startNotes({
      tenant: { header: false },
      auth: { guard: { canActivate: () => false, tenantOf } },
    })
    const acme = app.as({ permissions: ['notes:write'] }).asTenant('acme')
    const { rows } = await app.authMatrix({ acme })
    expect(rows.map(({ access }) => access['acme'])).toEqual(['allowed', 'allowed'])
  })

  it('decides with auth.can whether a principal has the abilities', async () => {
    await start({ auth: { guard, can: (user, abilities) => user?.['id'] === abilities.length } })
    const { rows } = await app.authMatrix({ one: { id: 1 }, two: { id: 2 } })
    expect(rows.map(({ access }) => access).slice(1, 3)).toEqual([
      { one: 'allowed', two: 403 },
      { one: 403, two: 'allowed' },
    ])
  })
})
