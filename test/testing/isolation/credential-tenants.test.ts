import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Cache,
  Controller,
  Get,
  getTenantId,
  Post,
  Public,
  type Req,
  type Request,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Note, Notes } from './notes.js'

/** Tokens, and the tenants that they belong to. */
const TOKENS: Readonly<Record<string, string>> = { 'Bearer a': 'aurora', 'Bearer b': 'borealis' }

const tokens: AuthGuard = {
  canActivate(req: Request) {
    const tenant = TOKENS[String(req.headers.authorization)]
    if (tenant !== undefined) req.user = { id: tenant }
    return tenant !== undefined
  },
  tenantOf: (req) => TOKENS[String(req.headers.authorization)],
}

/** Takes the word of the request for the tenant of its credential. */
const credulous: AuthGuard = {
  ...tokens,
  tenantOf: (req) => req.get('x-tenant-id') ?? tokens.tenantOf?.(req),
}

/** The tenant of the latest request, which an application must not keep. */
let latest: string | undefined

function notesController() {
  const notes = new Notes()
  const owner = () => getTenantId() ?? 'nobody'

  @Auth()
  @Tenant()
  @Controller('notes')
  class NotesController {
    @Post('', { body: Note })
    add(req: Req<{ body: typeof Note }>) {
      return notes.add(owner(), req.body.text)
    }

    @Get()
    list() {
      return notes.of(owner())
    }

    @Cache({ ttl: 60 })
    @Get('cached')
    cached() {
      return notes.of(owner())
    }

    @Public()
    @Tenant({ optional: true })
    @Get('shop-window')
    shopWindow() {
      return notes.of(owner())
    }
  }
  return NotesController
}

@Auth()
@Controller('latest')
class LatestController {
  @Get()
  latest() {
    const before = latest
    latest = getTenantId()
    return { before: before ?? null }
  }
}

async function startNotes(guard: AuthGuard, options: AppOptions = {}) {
  const app = await TestApp.create({
    controllers: [notesController()],
    auth: { guard },
    tenant: {},
    logger: false,
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

const byToken = (app: TestApp) => ({
  one: app.with({ authorization: 'Bearer a' }),
  two: app.with({ authorization: 'Bearer b' }),
})
const skip = ['Notes_shopWindow']

describe('proveIsolation() with a credential for each tenant', () => {
  it('reports no leak in an application that isolates tenants, with and without a tenant header', async () => {
    for (const tenant of [{}, { header: false }] as const) {
      const app = await startNotes(tokens, { tenant })
      const report = await app.proveIsolation({ tenants: byToken(app), seed: 1, skip })
      expect(report.leaks).toEqual([])
      expect(report.verdicts.filter(({ verdict }) => verdict === 'PASS')).toHaveLength(3)
    }
  })

  it('sends the id of the other tenant in the header, and finds a guard that trusts this header', async () => {
    const app = await startNotes(credulous)
    const report = await app.proveIsolation({ tenants: byToken(app), seed: 1, skip })
    const phases = new Set(report.leaks.map(({ phase }) => phase))
    expect([...phases].sort()).toEqual([
      'when one names two as its tenant',
      'when two names one as its tenant',
    ])
  })

  it('detects tenant ids in responses without configuration', async () => {
    latest = undefined
    const app = await startNotes(tokens, { controllers: [LatestController] })
    const report = await app.proveIsolation({ tenants: byToken(app), seed: 1 })
    expect(report.leaks.length).toBeGreaterThan(0)
    expect(new Set(report.leaks.map(({ origin }) => origin))).toEqual(new Set(['its ID']))
  })

  it('does not compare public routes, where only the request names the tenant', async () => {
    const app = await startNotes(tokens)
    const report = await app.proveIsolation({ tenants: byToken(app), seed: 1 })
    expect(report.leaks).toEqual([])
  })
})

describe('proveIsolation() with a user for each tenant', () => {
  const as = (tenant: string, canary: string) => ({ id: `${tenant} ${canary}` })

  it('needs no header if a guard returns the tenant of a credential', async () => {
    const app = await startNotes(tokens, { tenant: { header: false } })
    const tenants = ['aurora', 'borealis']
    const report = await app.proveIsolation({ tenants, as, seed: 1, skip })
    expect(report.leaks).toEqual([])
    expect(report.verdicts.filter(({ verdict }) => verdict === 'PASS')).toHaveLength(3)
    await expect(app.proveIsolation({ tenants, seed: 1 })).rejects.toThrow(
      /does not read a tenant header.*With guards that have `tenantOf`, `as` is sufficient\./s,
    )
  })

  it('does not report a leak if a test user may use any tenant', async () => {
    const app = await startNotes(tokens)
    const lists = await app.proveIsolation({ tenants: ['aurora', 'borealis'], as, seed: 1, skip })
    expect(lists.leaks).toEqual([])
    const headers = (tenant: string) => ({ headers: { 'x-tenant-id': tenant }, as: { id: tenant } })
    const tenants = { one: headers('aurora'), two: headers('borealis') }
    const other = await startNotes(tokens)
    const callers = await other.proveIsolation({ tenants, seed: 1, skip })
    expect(callers.leaks).toEqual([])
    expect(callers.verdicts.filter(({ verdict }) => verdict === 'PASS')).toHaveLength(3)
  })
})
