import {
  Auth,
  Controller,
  Get,
  getTenantId,
  inject,
  Post,
  type Request,
  type RequestHandler,
  runWithTenant,
  Tenant,
  tenantRouter,
} from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp, TestOptions } from 'blazon/testing'
import express from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TenantDatabase } from '../../conformance/tenant-database.js'
import { openEmbedded } from '../../integrations/postgres/embedded.js'

// Ends a test that hangs. No test measures time.

@Tenant()
@Auth()
@Controller('orders')
class OrdersController {
  private readonly db = inject(Database)

  @Get()
  async list() {
    const rows = await this.db.sql<{ note: string }>`select note from orders order by id`
    return rows.map(({ note }) => note)
  }

  @Post()
  async add() {
    const { db } = this
    await db.sql`insert into orders (note) values (${`by ${getTenantId()}`})`
    await db.afterCommit(() => void saved.push(getTenantId()))
    return { isSaved: saved.length > 0 }
  }
}

let saved: unknown[] = []
let database: TenantDatabase
let app: TestApp
beforeAll(async () => {
  database = await openEmbedded()
})
afterAll(() => database[Symbol.asyncDispose]())
afterEach(() => app.close())

async function start(options: TestOptions): Promise<void> {
  saved = []
  app = await database.start({
    controllers: [OrdersController],
    auth: { guard: { canActivate: () => true } },
    tenant: { authorize: (_req, id) => id === 'a' },
    logger: false,
    ...options,
  })
  await database.asOwner(
    `truncate orders, items; insert into orders (tenant_id, note) values ('a', 'of a'), ('b', 'of b')`,
  )
}

async function ask(tenant: string, path = '/orders') {
  const { status, body } = await app.asTenant(tenant).request().get(path)
  return status === 200 ? body.data : [status, body.code]
}

const notes = async () => {
  const rows = await app.get(Database).sql<{ note: string }>`select note from orders`
  return rows.map(({ note }) => note)
}

describe('the database of a request with tenant.authorize', () => {
  const places: Record<string, (query: () => Promise<unknown>) => TestOptions> = {
    'a middleware': (query) => ({
      middlewares: [(_req, _res, next) => void query().then(() => next(), next)],
    }),
    'the guard': (query) => ({
      auth: { guard: { canActivate: () => query().then(() => true) } },
    }),
    authorize: (query) => ({
      tenant: { authorize: (_req, id) => query().then(() => id === 'a') },
    }),
  }

  it.each(Object.keys(places))(
    'refuses a query before authorize has allowed the tenant: %s',
    async (place) => {
      await start(places[place]?.(notes) ?? {})
      expect(await ask('a')).toEqual([500, 'TENANT_UNAUTHORIZED'])
    },
  )

  it.each(Object.keys(places))(
    'returns the rows of the tenant that is passed to runWithTenant(): %s',
    async (place) => {
      const found: unknown[] = []
      const query = async () => void found.push(await runWithTenant('b', notes))
      await start(places[place]?.(query) ?? {})
      expect(await ask('a')).toEqual(['of a'])
      expect(found).toEqual([['of b']])
    },
  )

  it('refuses a query of the guard that runs after the response', async () => {
    let late: Promise<unknown> = Promise.resolve()
    let go = () => {}
    const begins = {
      canActivate: () => {
        const gone = new Promise<void>((resolve) => {
          go = resolve
        })
        late = gone.then(async () => [getTenantId(), await notes()])
        late.catch(() => {})
        return true
      },
    }
    await start({ auth: { guard: begins } })
    expect(await ask('a')).toEqual(['of a'])
    go()
    await expect(late).rejects.toMatchObject({ code: 'TENANT_UNAUTHORIZED' })
  })

  it('commits before the response is sent, and runs afterCommit as the tenant of the request', async () => {
    await start({})
    const { body } = await app.asTenant('a').request().post('/orders')
    expect(body.data).toEqual({ isSaved: false })
    expect(saved).toEqual(['a'])
    expect(await ask('a')).toEqual(['of a', 'by a'])
    expect((await app.asTenant('b').request().post('/orders')).status).toBe(403)
  })

  it('returns the rows of the tenant in a tenantRouter and refuses a query in a plain router', async () => {
    const rows: RequestHandler = async (_req: Request, res) => {
      res.json({ data: await notes() })
    }
    const router = () => express.Router().get('/rows', rows)
    await start({ middlewares: [tenantRouter(router(), { path: '/legacy' }), router()] })
    expect(await ask('a', '/legacy/rows')).toEqual(['of a'])
    expect(await ask('b', '/legacy/rows')).toEqual([403, 'TENANT_FORBIDDEN'])
    expect(await ask('a', '/rows')).toEqual([500, 'TENANT_UNAUTHORIZED'])
  })
})
