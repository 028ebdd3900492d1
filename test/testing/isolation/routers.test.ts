import {
  Auth,
  Body,
  Controller,
  getTenantId,
  HttpCode,
  type Middleware,
  Post,
  type Request,
  type RequestHandler,
  requireTenantId,
  Tenant,
  tenantRouter,
  type User,
} from 'blazon'
import { type IsolationOptions, TestApp, type TestOptions } from 'blazon/testing'
import express, { type Router } from 'express'
import { describe, expect, it } from 'vitest'
import { Pool } from '../../journeys/tenancy/crowd.js'
import { Note, Notes } from './notes.js'

const SEEDS = [1, 2, 3]

let notes = new Notes()
let pool = new Pool()

@Tenant()
@Auth()
@Controller('notes')
class NotesController {
  @Post()
  @HttpCode(201)
  @Body(Note)
  add(req: Request) {
    return notes.add(requireTenantId(), req.body.text)
  }
}

async function prove(
  middlewares: Middleware[],
  options: TestOptions = {},
  how: IsolationOptions = {},
) {
  notes = new Notes()
  pool = new Pool()
  await using app = await TestApp.create({
    controllers: [NotesController],
    auth: { guard: { canActivate: () => false } },
    tenant: {},
    logger: false,
    middlewares,
    ...options,
  })
  return await app.proveIsolation({
    tenants: ['acme', 'globex'],
    as: (tenant) => ({ tenant }),
    seed: 1,
    ...how,
  })
}

const verdictsOf = ({ verdicts }: Awaited<ReturnType<typeof prove>>) =>
  Object.fromEntries(verdicts.map(({ operation, verdict }) => [operation, verdict]))

/** Continues in the callback of the request that has released the pool. */
const waitsForPool: RequestHandler = (_req, _res, next) =>
  pool.acquire((release) => {
    next()
    setImmediate(release)
  })
const ownNotes: RequestHandler = async (_req, res) => {
  res.json({ data: await notes.of(getTenantId() ?? 'nobody') })
}
const notesOfHeader: RequestHandler = async (req, res) => {
  res.json({ data: await notes.of(String(req.get('x-tenant-id'))) })
}

const hidden =
  (router: Router): RequestHandler =>
  (req, res, next) =>
    router(req, res, next)

describe('a router that continues in the callback of a pool', () => {
  const router = () => express.Router().use('/legacy', waitsForPool).get('/legacy/rows', ownNotes)
  const requests = ['/legacy/rows']

  it.each(SEEDS)('leaks if a function hides it from the framework (seed %i)', async (seed) => {
    const report = await prove([hidden(router())], {}, { seed, requests })
    expect(verdictsOf(report)).toEqual({ 'POST /notes': 'PASS', 'GET /legacy/rows': 'LEAK' })
    expect(report.leaks[0]).toMatchObject({ kind: 'response', handler: 'requests' })
  })

  it.each(SEEDS)(
    'does not leak if the framework receives the router itself (seed %i)',
    async (seed) => {
      const report = await prove([router()], {}, { seed })
      expect(verdictsOf(report)).toEqual({ 'POST /notes': 'PASS', 'GET /legacy/rows': 'PASS' })
      expect(report.leaks).toEqual([])
    },
  )
})

describe('a router that sends the rows of the tenant named in a header', () => {
  const authorize = (_req: unknown, id: string, user: User | undefined) => user?.['tenant'] === id
  const router = () => express.Router().get('/rows', notesOfHeader)

  it.each(SEEDS)('leaks if authorize does not run before it (seed %i)', async (seed) => {
    const middlewares = [express.Router().use('/legacy', router())]
    const report = await prove(middlewares, { tenant: { authorize } }, { seed })
    expect(verdictsOf(report)).toEqual({ 'POST /notes': 'PASS', 'GET /legacy/rows': 'LEAK' })
    expect(report.leaks[0]?.phase).toBe('when acme names globex as its tenant')
    expect(report.leaks[0]?.handler).toBe('middlewares[0]')
  })

  it.each(SEEDS)('does not leak if authorize runs before it (seed %i)', async (seed) => {
    const middlewares = [tenantRouter(router(), { path: '/legacy' })]
    const report = await prove(middlewares, { tenant: { authorize } }, { seed })
    expect(verdictsOf(report)).toEqual({ 'POST /notes': 'PASS', 'GET /legacy/rows': 'PASS' })
    expect(report.leaks).toEqual([])
  })

  it('leaks if authorize accepts every caller', async () => {
    const middlewares = [tenantRouter(router(), { path: '/legacy' })]
    const { leaks } = await prove(middlewares, { tenant: { authorize: () => true } })
    expect(leaks.map(({ operation }) => operation)).toContain('GET /legacy/rows')
  })
})

describe('requests of proveIsolation()', () => {
  it('overlap inside a router', async () => {
    let asking = ''
    const keepLast: RequestHandler = (_req, _res, next) => {
      asking = getTenantId() ?? ''
      next()
    }
    const sendLast: RequestHandler = (_req, res) => res.json({ data: { asking } })
    const { leaks } = await prove([express.Router().use(keepLast).get('/asking', sendLast)])
    expect(leaks.map(({ operation, where }) => [operation, where])).toContainEqual([
      'GET /asking',
      'body data.asking',
    ])
  })

  it('are sent to GET routes and listed routes, and the report names the routes that are not called', async () => {
    const kept: Record<string, string[]> = {}
    const add: RequestHandler = (req, res) => {
      const owner = String(getTenantId())
      kept[owner] = [...(kept[owner] ?? []), String(req.body?.text)]
      res.json({ data: kept[owner] })
    }
    const byId: RequestHandler = (req, res) => res.json({ data: { asked: req.params['id'] } })
    const legacy = express
      .Router()
      .use(express.json())
      .post('/rows', add)
      .delete('/rows', add)
      .get('/rows/:id', byId)
      .get(/pattern/, byId)
    const middlewares = [express.Router().use('/legacy', legacy)]
    const { verdicts } = await prove(middlewares, {}, { requests: ['POST /legacy/rows'] })
    expect(
      verdicts.map(({ operation, verdict, evidence }) => [operation, verdict, evidence]),
    ).toEqual(
      expect.arrayContaining([
        ['POST /legacy/rows', 'PASS', 'each tenant saw its own data'],
        ['GET /legacy/rows/{id}', 'PASS', 'each tenant saw the data it had just sent'],
        [
          'DELETE /legacy/rows',
          'INCONCLUSIVE',
          "can change data: list it in requests, 'DELETE /legacy/rows'",
        ],
        [
          'GET (a route of middlewares[0])',
          'INCONCLUSIVE',
          "its path is unknown: list it in requests, 'GET /path'",
        ],
      ]),
    )
    expect(verdicts).toHaveLength(5)
  })

  it('can be skipped like operations', async () => {
    const { verdicts } = await prove(
      [express.Router().get('/rows', ownNotes)],
      {},
      { skip: ['GET /rows'] },
    )
    expect(verdicts.find(({ operation }) => operation === 'GET /rows')?.evidence).toBe('skipped')
  })
})
