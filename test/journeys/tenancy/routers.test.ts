import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  type AppOptions,
  createTenantMiddleware,
  type ErrorRequestHandler,
  getTenantId,
  type Middleware,
  type RequestHandler,
  runWithTenant,
  TenantContext,
} from 'blazon'
import express, { type Router } from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rounds } from '../../rounds.js'
import { keepAlive, send } from './crowd.js'
import { RowPool } from './row-pool.js'

const TENANTS = Array.from({ length: 20 }, (_, number) => `tenant-${number}`)
const REQUESTS = rounds(300, 40)

let pool = new RowPool()
const ends: (() => unknown)[] = []
beforeEach(() => {
  pool = new RowPool()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Queries the pool, and calls next() in its callback. */
const queries: RequestHandler = (_req, _res, next) => pool.query('any', () => next())
const queriesAndFails: RequestHandler = (_req, _res, next) =>
  pool.query('any', () => next('failed'))
const passesError: ErrorRequestHandler = (error, _req, _res, next) =>
  pool.query('any', () => next(error))
/** Calls the `next` that Express sets on the request. */
const queriesByRequest: RequestHandler = (req) => pool.query('any', () => req.next?.())
const rejects: RequestHandler = async () => {
  await new Promise<void>((resolve) => pool.query('any', () => resolve()))
  throw new Error('failed')
}
/** Sends the rows of the current tenant. */
const rows: RequestHandler = (_req, res) => {
  const found = getTenantId()
  pool.query(found, (_error, data) => res.json({ data, found }))
}
const rowsOfError: ErrorRequestHandler = (_error, req, res, next) => rows(req, res, next)

/** The ways in which middlewares and handlers can be nested. All of them respond to `GET /rows/1`. */
const NESTINGS: Record<string, () => Middleware[]> = {
  'a router': () => [express.Router().use(queries).get('/rows/:id', rows)],
  'a router that calls req.next': () => [
    express.Router().use(queriesByRequest).get('/rows/:id', rows),
  ],
  'a router in a router': () => {
    const inner = express.Router().use(queries).get('/:id', rows)
    return [express.Router().use(queries).use('/rows', queries, inner)]
  },
  'arrays of route middlewares': () => [
    express.Router().get('/rows/:id', [queries, [queries]] as RequestHandler[], queries, rows),
  ],
  'route().all().get()': () => {
    const router = express.Router()
    router.route('/rows/:id').all(queries).get(rows)
    return [router]
  },
  'a parameter callback': () => {
    const router = express.Router()
    router.param('id', queries)
    return [router.get('/rows/:id', rows)]
  },
  'several callbacks of one parameter': () => {
    const router = express.Router()
    router.param('id', queries)
    router.param('id', queries)
    return [router.get('/rows/:id', rows)]
  },
  'an Express application': () => [express().use(queries).get('/rows/:id', rows)],
  'a parameter callback of an Express application': () => [
    express().param('id', queries).get('/rows/:id', rows),
  ],
  'an Express application in an Express application': () => {
    const inner = express().use(queries).get('/:id', rows)
    return [express().use(queries).use('/rows', inner)]
  },
  'nested Express applications in a router': () => {
    const inner = express().use(queries).get('/:id', rows)
    return [express.Router().use(express().use('/rows', inner))]
  },
  'error middlewares': () => [
    express.Router().use(queriesAndFails).use(passesError).use('/rows', rowsOfError),
  ],
  'error middlewares of a route': () => [
    express.Router().get('/rows/:id', queriesAndFails, passesError, rowsOfError),
  ],
  'a handler that rejects': () => [express.Router().use(rejects).use(passesError, rowsOfError)],
  'error middlewares of the application': () => [queriesAndFails, passesError, rowsOfError],
  'a router that passes the request to another router': () => [
    express.Router().use(queries),
    express.Router().use(queries).get('/rows/:id', rows),
  ],
  'next(route)': () => {
    const leaves: RequestHandler = (_req, _res, next) => pool.query('any', () => next('route'))
    return [express.Router().get('/rows/:id', leaves).get('/rows/:id', rows)]
  },
  'next(router)': () => {
    const leaves: RequestHandler = (_req, _res, next) => pool.query('any', () => next('router'))
    const inner = express.Router().use(leaves)
    return [express.Router().use(inner).get('/rows/:id', rows)]
  },
}

/** Handlers that are added to a router after the start. */
const ADDITIONS: Record<string, (router: Router) => unknown> = {
  'use() and get()': (router) => router.use(queries).get('/rows/:id', rows),
  'a route': (router) => router.route('/rows/:id').get(queries).get(rows),
  'a parameter callback': (router) => {
    router.get('/rows/:id', rows)
    router.param('id', queries)
  },
  'a router to which handlers are added later': (router) => {
    const inner = express.Router()
    router.use('/rows', inner)
    inner.use(queries).get('/:id', rows)
  },
  'an Express application to which handlers are added later': (router) => {
    const inner = express()
    router.use('/rows', express().use(inner))
    inner.use(queries).get('/:id', rows)
  },
  'layers that replace others': (router) => {
    const { stack } = (router as Router & { router?: Router }).router ?? router
    const made = express.Router().use(queries).get('/rows/:id', rows).stack
    router.use(rows)
    stack.splice(0, 1, ...made)
  },
  'layers that are put before others': (router) => {
    const { stack } = (router as Router & { router?: Router }).router ?? router
    const made = express.Router().use(queries).get('/rows/:id', rows).stack
    router.use(rows)
    stack.unshift(...made)
  },
}

async function start(options: AppOptions): Promise<number> {
  const app = new App({ logger: false, tenant: {}, ...options })
  ends.push(() => app.close())
  return (await app.listen(0, '127.0.0.1')).port
}

/** Sends many concurrent requests of all tenants. Returns the ones that received rows of another tenant. */
async function strays(port: number): Promise<unknown[]> {
  const agent = keepAlive(25)
  ends.push(() => agent.destroy())
  const all = Array.from({ length: REQUESTS }, async (_, index) => {
    const tenant = TENANTS[index % TENANTS.length] as string
    const headers = { 'x-tenant-id': tenant }
    const { body } = await send(port, agent, { path: '/rows/1', headers })
    return { tenant, body }
  })
  return (await Promise.all(all)).filter(({ tenant, body }) => {
    return body?.found !== tenant || body.data[0] !== `row of ${tenant}`
  })
}

describe('the tenant in middlewares and routers', () => {
  it.each(Object.keys(NESTINGS))('stays the same through %s', async (nesting) => {
    const middlewares = (NESTINGS[nesting] as () => Middleware[])()
    expect(await strays(await start({ middlewares }))).toEqual([])
  })

  it('stays the same through a router of a plugin', async () => {
    const router = express.Router().use(queries).get('/rows/:id', rows)
    const plugins = [{ name: 'legacy', middlewares: [router] }]
    expect(await strays(await start({ plugins }))).toEqual([])
  })

  it.each(Object.keys(ADDITIONS))(
    'stays the same through handlers that are added after the start: %s',
    async (addition) => {
      const add = ADDITIONS[addition] as (router: Router) => unknown
      const router = express.Router()
      const port = await start({ middlewares: [router] })
      add(router)
      expect(await strays(port)).toEqual([])
    },
  )

  it.each(Object.keys(ADDITIONS))(
    'stays the same through handlers added to an empty Express application after the start: %s',
    async (addition) => {
      const add = ADDITIONS[addition] as (router: Router) => unknown
      const legacy = express()
      const port = await start({ middlewares: [legacy] })
      add(legacy as unknown as Router)
      expect(await strays(port)).toEqual([])
    },
  )

  it('stays the same if a middleware in a router sets it in a pool callback', async () => {
    const byHeader: RequestHandler = (req, _res, next) =>
      pool.query('any', () => runWithTenant(String(req.get('x-tenant-id')), next))
    const router = express.Router().use(byHeader, queries).get('/rows/:id', rows)
    const port = await start({ tenant: { header: 'x-none' }, middlewares: [router] })
    expect(await strays(port)).toEqual([])
  })
})

describe('a tenant that a middleware has set', () => {
  /** Sets the tenant, and keeps a function that runs code in the scope from before. */
  let before = (goOn: () => void) => goOn()
  const setsTenant: RequestHandler = (_req, _res, next) => {
    before = TenantContext.bind((goOn: () => void) => goOn())
    runWithTenant('acme', next)
  }
  const leavesScope: RequestHandler = (_req, _res, next) => before(() => next())
  const sendsTenant: RequestHandler = (_req, res) => {
    res.json({ data: getTenantId() })
  }

  it.each<[string, () => Middleware[]]>([
    ['in middlewares', () => [setsTenant, leavesScope, sendsTenant]],
    ['in a router', () => [express.Router().use(setsTenant, leavesScope, sendsTenant)]],
  ])('stays set even if a later middleware continues in the earlier scope: %s', async (_, make) => {
    const port = await start({ tenant: { header: 'x-none' }, middlewares: make() })
    const agent = keepAlive(1)
    ends.push(() => agent.destroy())
    expect((await send(port, agent, { path: '/', headers: {} })).body).toEqual({ data: 'acme' })
  })
})

describe('a router in several applications', () => {
  const shared = () => express.Router().use(queries).get('/rows/:id', rows)

  it('runs with the tenant of the request in each application', async () => {
    const router = shared()
    const [one, other] = [
      await start({ middlewares: [router] }),
      await start({ middlewares: [router], tenant: {} }),
    ]
    const [ofOne, ofOther] = await Promise.all([strays(one), strays(other)])
    expect([...ofOne, ...ofOther]).toEqual([])
  })

  it('is wrapped only once', async () => {
    const router = shared()
    await start({ middlewares: [router, router] })
    const before = router.stack.map(({ handle }) => handle)
    await start({ middlewares: [router] })
    expect(router.stack.map(({ handle }) => handle)).toEqual(before)
  })

  it('also runs with the tenant of the request in an Express application', async () => {
    const router = shared()
    const port = await start({ middlewares: [router] })
    const host = express().use(createTenantMiddleware(), router)
    const server = createServer(host).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    ends.push(() => server.close())
    const plain = createServer(express().use(express.Router().use('/rows', shared())))
    plain.listen(0, '127.0.0.1')
    ends.push(() => plain.close())
    const ports = [port, (server.address() as AddressInfo).port]
    const found = await Promise.all(ports.map(strays))
    expect(found.flat()).toEqual([])
  })

  it('still refuses a parameter callback that is not a function', async () => {
    const router = express.Router()
    await start({ middlewares: [router] })
    for (const callback of [undefined, 'rows']) {
      expect(() => router.param('id', callback as never)).toThrow(TypeError)
    }
  })

  it('keeps the names, parameter counts and properties of its handlers', async () => {
    const named = Object.assign(
      function named(_req: unknown, _res: unknown, next: () => void) {
        next()
      },
      { docs: { summary: 'a field of another package' } },
    )
    const router = express.Router().use(named, passesError)
    await start({ middlewares: [router] })
    const handles = router.stack.map(({ handle }) => handle)
    expect(handles.map(({ name }) => name)).toEqual([named.name, passesError.name])
    expect(handles.map(({ length }) => length)).toEqual([3, 4])
    expect((handles[0] as unknown as typeof named).docs).toBe(named.docs)
  })
})

it('an application without the tenant option leaves routers unchanged', async () => {
  const inner = express.Router().use(queries)
  const router = express.Router().use(queries, inner).get('/rows/:id', rows)
  const legacy = express().use(queries)
  const before = [router, inner, legacy.router].map((each) => Object.getOwnPropertyNames(each))
  const app = new App({ logger: false, middlewares: [router, legacy] })
  ends.push(() => app.close())
  await app.init()
  expect(router.stack[0]?.handle).toBe(queries)
  expect(inner.stack[0]?.handle).toBe(queries)
  expect(Object.getOwnPropertyNames(router.stack)).not.toContain('push')
  expect([router, inner, legacy.router].map((each) => Object.getOwnPropertyNames(each))).toEqual(
    before,
  )
})
