import {
  App,
  Auth,
  Body,
  Cache,
  Can,
  Checks,
  Controller,
  Get,
  inject,
  Log,
  type Plugin,
  Post,
  policy,
  type Request,
  Tenant,
  UnauthorizedError,
} from 'blazon'
import { noteOf, Statements } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { turns } from '../turns.js'

const NotePolicy = policy<{ owner: number }, 'read'>('note', {
  read: (user, note) => note.owner === user['id'],
})

const late = gate()

@Controller('work')
class WorkController {
  readonly #log = inject(Log)
  readonly #statements = inject(Statements)

  @Get('open') open() {
    this.#log.info({ step: 1 }, 'Reading')
    return []
  }

  @Auth() @Can('work:read') @Get('closed') closed() {
    return []
  }

  @Auth('user', 'partner') @Get('shared') shared() {
    return []
  }

  @Auth({ optional: true }) @Get('maybe') maybe() {
    return []
  }

  @Auth() @Checks(NotePolicy, 'read') @Get('note') note(req: Request) {
    return NotePolicy.load(req, 'read', () => ({ owner: 8 }))
  }

  @Cache({ ttl: 60, staleWhileRevalidate: 60 }) @Get('cached') cached() {
    return []
  }

  @Cache({ ttl: 60, key: () => '' }) @Get('keyless') keyless() {
    return []
  }

  @Body(z.object({ count: z.number() })) @Post() save() {
    return 'saved'
  }

  @Tenant() @Get('ours') ours() {
    return []
  }

  @Get('broken') broken() {
    throw new RangeError('The rest is negative')
  }

  @Get('late') async late() {
    await late.opened
    this.#log.info({}, 'Too late')
    const statement = { system: 'postgresql', text: 'select 1' }
    this.#statements.begin(statement)?.end({ rows: [], rowCount: 0 })
    return []
  }
}

const user = {
  credentials: ['authorization'],
  canActivate(req: Request) {
    const { authorization } = req.headers
    if (authorization === 'Bearer old-token') throw new UnauthorizedError('The token has expired')
    req.user = { id: 7, permissions: authorization === 'Bearer right-token' ? ['work:read'] : [] }
    return authorization !== undefined && authorization !== 'Bearer wrong-token'
  },
}
const partner = { credentials: ['x-partner'], canActivate: () => true }

let app: TestApp

afterEach(() => app.close())

async function start(options: TestOptions = {}) {
  app = await TestApp.create({
    controllers: [WorkController],
    auth: { guards: { user, partner } },
    ...options,
  })
  return app
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await app.request().get(path).set(headers)
  return app.explain(response)
}

const decision = (record: { decisions: readonly { by: string }[] }, by: string) =>
  record.decisions.find((each) => each.by === by)

describe('the explain method', () => {
  it('returns the route, the status, the responding step, and all steps on one time line', async () => {
    await start()
    const record = await get('/work/open?page=2')
    expect(record).toMatchObject({
      method: 'GET',
      url: '/work/open?page=2',
      route: { name: 'WorkController.open', method: 'GET', path: '/work/open' },
      status: 200,
      outcome: 'sent',
      cause: 'handler',
      answeredBy: 'handler',
      tenant: null,
      user: null,
      error: null,
      statements: [],
    })
    const steps = record.steps.map(({ step }) => step)
    expect(steps.slice(-2)).toEqual(['handler', 'respond'])
    const times = record.steps.map(({ at }) => at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(Math.max(...times)).toBeLessThanOrEqual(record.durationMs)
    const ends = record.steps.map(({ at, durationMs }) => at + durationMs)
    for (const [index, end] of ends.entries()) {
      expect(end).toBeCloseTo(times[index + 1] ?? record.durationMs, 2)
    }
    expect(record.id).toMatch(/^[\w-]{36}$/)
  })

  it('returns plain data that a JSON round trip does not change', async () => {
    await start()
    const record = await get('/work/closed')
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
    expect(Object.keys(record)).not.toContain('toString')
  })

  it('includes the lines that the request has logged', async () => {
    await start()
    const record = await get('/work/open')
    expect(record.logs).toMatchObject([{ level: 'info', message: 'Reading' }])
  })

  it('excludes handler activity after the handler timeout has ended the request', async () => {
    await start({ timeouts: { handler: '2s' } })
    const sent = app.request().get('/work/late').then()
    await app.clock.advance('2s')
    const response = await sent
    const record = app.explain(response)
    expect(record).toMatchObject({ outcome: 'timeout', statementCount: 0, logs: [] })
    late.open()
    await turns()
    await app.clock.advance('1s')
    expect(app.explain(response)).toEqual(record)
  })

  it('supports the responses that a caller receives with fetch', async () => {
    await start()
    const caller = app.as({ id: 9, permissions: ['work:read'] })
    const response = await caller.fetch('/work/closed')
    expect(app.explain(response)).toMatchObject({ status: 200, user: '9' })
    await response.json()
  })

  it('refuses a value that is not a response of this application', async () => {
    await start()
    expect(() => app.explain(new Response())).toThrow(/^explain\(\): this application did not send/)
    expect(() => app.explain(undefined as never)).toThrow(TypeError)
  })

  it('explains a request without a route', async () => {
    await start()
    expect(await get('/nowhere')).toMatchObject({
      route: null,
      cause: 'router',
      answeredBy: null,
      error: { status: 404, code: 'NOT_FOUND', name: 'NotFoundError' },
    })
  })

  it('includes the error of a failed handler with its stack', async () => {
    await start()
    const { error } = await get('/work/broken')
    expect(error).toMatchObject({
      status: 500,
      name: 'RangeError',
      message: 'The rest is negative',
    })
    expect(error?.stack).toContain('explain.test.ts')
  })
})

describe('the decisions in a record', () => {
  it('show the result of one guard: admitted, refused with a reason, no credential', async () => {
    await start({ auth: { guard: user }, controllers: [PlainController] })
    const right = await get('/plain', { authorization: 'Bearer right-token' })
    expect(decision(right, 'guard')).toMatchObject({ verdict: 'admitted', reason: null })
    const old = await get('/plain', { authorization: 'Bearer old-token' })
    expect(decision(old, 'guard')).toMatchObject({
      verdict: 'refused',
      reason: 'The token has expired',
      facts: { schemes: [{ scheme: null, verdict: 'refused', reason: 'The token has expired' }] },
    })
    const wrong = await get('/plain', { authorization: 'Bearer wrong-token' })
    expect(decision(wrong, 'guard')).toMatchObject({ reason: 'it did not return true' })
    expect(decision(await get('/plain'), 'guard')).toMatchObject({
      verdict: 'refused',
      reason: 'the request has no credential for it',
    })
  })

  it('show the result of each of several guards by its name', async () => {
    await start()
    const headers = { 'x-partner': 'p-1', authorization: 'Bearer old-token' }
    const record = await get('/work/shared', headers)
    expect(decision(record, 'guard')?.['facts' as never]).toEqual({
      schemes: [{ scheme: 'user', verdict: 'refused', reason: 'The token has expired' }],
    })
    const admitted = await get('/work/shared', { 'x-partner': 'p-1' })
    expect(decision(admitted, 'guard')).toMatchObject({
      verdict: 'admitted',
      facts: { schemes: [{ scheme: 'partner', verdict: 'admitted', reason: null }] },
    })
    expect(decision(await get('/work/shared'), 'guard')).toMatchObject({ verdict: 'refused' })
  })

  it('show the result of optional auth', async () => {
    await start()
    expect(decision(await get('/work/maybe'), 'guard')).toMatchObject({ verdict: 'anonymous' })
  })

  it('show the results of @Can and of policies', async () => {
    await start()
    const authorization = 'Bearer other-token'
    const can = decision(await get('/work/closed', { authorization }), 'can')
    expect(can).toMatchObject({ verdict: 'refused', facts: { abilities: ['work:read'] } })
    const refused = decision(await get('/work/note', { authorization }), 'policy')
    expect(refused).toMatchObject({ verdict: 'refused', facts: { policy: 'note', action: 'read' } })
  })

  it('show the results of rate limits with the remaining requests', async () => {
    await start({ rateLimit: { limit: 2, window: 60 } })
    const first = decision(await get('/work/open'), 'limit')
    expect(first).toMatchObject({
      verdict: 'counted',
      facts: { limit: 2, remaining: 1, key: 'ip' },
    })
    await get('/work/open')
    const last = await get('/work/open')
    expect(last).toMatchObject({ status: 429, cause: 'limit', answeredBy: 'ipRateLimit' })
    expect(decision(last, 'limit')).toMatchObject({ verdict: 'refused' })
  })

  it('show the result of the cache: miss, hit, stale, or bypass with its reason', async () => {
    await start()
    const key = 'GET /work/cached'
    expect(decision(await get('/work/cached'), 'cache')).toMatchObject({
      verdict: 'miss',
      facts: { key },
    })
    const hit = await get('/work/cached')
    expect(decision(hit, 'cache')).toMatchObject({ verdict: 'hit', facts: { key, ageSeconds: 0 } })
    expect(hit.answeredBy).toBe('cache')
    await app.clock.advance(90)
    expect(decision(await get('/work/cached'), 'cache')).toMatchObject({
      verdict: 'stale',
      facts: { ageSeconds: 90 },
    })
    const credited = await get('/work/cached', { authorization: 'Bearer right-token' })
    expect(decision(credited, 'cache')).toMatchObject({
      verdict: 'bypass',
      reason: 'it has a body or credentials that the key does not contain, or it has no valid key',
    })
  })

  it('show which parts of a request are valid, and the issues of an invalid part', async () => {
    await start()
    const right = app.explain(await app.request().post('/work').send({ count: 1 }))
    expect(decision(right, 'validation')).toMatchObject({
      verdict: 'passed',
      facts: { in: ['body'] },
    })
    const wrong = app.explain(await app.request().post('/work').send({ count: 'x' }))
    expect(decision(wrong, 'validation')).toMatchObject({
      verdict: 'refused',
      facts: { in: ['body'], issues: [{ in: 'body', path: 'count' }] },
    })
    expect(wrong).toMatchObject({ cause: 'validation', answeredBy: 'validate' })
  })

  it('show the source of the tenant, and the reason for a refusal', async () => {
    const authorize = (_req: Request, id: string) => id === 'acme'
    await start({
      tenant: {
        authorize,
        strategies: [
          function branchTenant() {
            return undefined
          },
        ],
      },
    })
    const record = await get('/work/ours', { 'x-tenant-id': 'acme' })
    expect(record.tenant).toBe('acme')
    expect(record.decisions.filter(({ by }) => by === 'tenant')).toMatchObject([
      { verdict: 'named', facts: { tenant: 'acme', source: 'header' } },
      { verdict: 'confirmed', facts: { tenant: 'acme', source: 'authorize' } },
    ])
    const foreign = await get('/work/ours', { 'x-tenant-id': 'globex' })
    expect(foreign.tenant).toBeNull()
    expect(foreign.decisions.findLast(({ by }) => by === 'tenant')).toMatchObject({
      verdict: 'refused',
      reason: '`authorize` has not allowed it',
    })
    expect(decision(await get('/work/ours'), 'tenant')).toMatchObject({
      verdict: 'refused',
      reason: 'the request specifies no tenant',
    })
  })

  it('can be added by any code, with values that JSON does not support', async () => {
    const countries: Plugin = {
      name: 'countries',
      steps: () => ({
        afterGuard: (next) => (req, res) => {
          const facts = { big: 1n, when: new Date(0), list: [Number.NaN] } as never
          noteOf(req)?.({ by: 'countries', verdict: 'admitted', reason: 'SE', facts })
          return next(req, res)
        },
      }),
    }
    await start({ plugins: [countries] })
    const record = await get('/work/open')
    expect(decision(record, 'countries')).toMatchObject({
      verdict: 'admitted',
      reason: 'SE',
      facts: { big: '1', list: ['NaN'] },
    })
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
  })
})

describe('failed supertest assertions', () => {
  it('explain the response, in the message and in the stack', async () => {
    await start()
    const failure = await app
      .request()
      .get('/work/shared')
      .set({ authorization: 'Bearer old-token' })
      .expect(200)
      .catch((error: Error) => error)
    const { message, stack } = failure as Error
    expect(message).toMatch(
      /^expected 200 "OK", got 401 "Unauthorized"\n\nGET \/work\/shared → 401/,
    )
    expect(message).toContain(`guard 'user'  refused: The token has expired`)
    expect(stack).toContain(`guard 'user'  refused: The token has expired`)
    expect(stack).toContain('explain.test.ts')
  })

  it('explain the response after the error of a custom assertion function', async () => {
    await start()
    await app.request().get('/work/open').expect(200)
    const failure = await app
      .request()
      .get('/work/open')
      .expect((): never => {
        throw new Error('own')
      })
      .catch((error: Error) => error)
    expect((failure as Error).message).toMatch(
      /^own\n\nGET \/work\/open → 200, by the step 'handler'/,
    )
  })
})

describe('observers of decisions', () => {
  it('receive each decision with its request, and their errors change nothing', async () => {
    const seen: string[] = []
    const listener: Plugin = {
      name: 'listener',
      requests: () => ({
        onDecision(req, { by, verdict }) {
          seen.push(`${req.path} ${by} ${verdict}`)
          throw new Error('no')
        },
      }),
    }
    await start({ plugins: [listener] })
    await app.request().get('/work/closed').set({ authorization: 'Bearer right-token' }).expect(200)
    expect(seen).toEqual(['/work/closed guard admitted', '/work/closed can admitted'])
    expect(app.logs.map(({ message }) => message)).toContain('A request observer failed')
  })

  it('receive a decision if an application has no guard', async () => {
    const seen: unknown[] = []
    const listener: Plugin = {
      name: 'listener',
      requests: () => ({ onDecision: (_req, { by, reason }) => seen.push(`${by}: ${reason}`) }),
    }
    const options = { controllers: [PlainController], plugins: [listener], logger: false } as const
    const plain = await App.create(options)
    expect((await plain.fetch(new Request('http://localhost/plain'))).status).toBe(401)
    expect(seen[0]).toBe('guard: the application has no guard')
    await plain.close()
    await start()
  })

  it('are necessary in an App: without them, no decision is recorded', async () => {
    const taken: unknown[] = []
    const looks: Plugin = {
      name: 'looks',
      steps: () => ({
        beforeHandler: (next) => (req, res) => {
          taken.push(noteOf(req))
          return next(req, res)
        },
      }),
    }
    const plain = await App.create({
      controllers: [PlainController],
      plugins: [looks],
      logger: false,
      auth: { guard: user },
    })
    const headers = { authorization: 'Bearer right-token' }
    const response = await plain.fetch(new Request('http://localhost/plain', { headers }))
    expect(response.status).toBe(200)
    expect(taken).toEqual([undefined])
    await plain.close()
    await start()
  })
})

@Controller('plain')
class PlainController {
  @Auth() @Get() read() {
    return []
  }
}
