import {
  type AppOptions,
  Auth,
  Cache,
  Controller,
  Get,
  getTenantId,
  Public,
  RateLimit,
  type Request,
  Sse,
  Tenant,
  tenantFromHost,
  tenantFromPath,
} from 'blazon'
import { jwt, signTestToken } from 'blazon/jwt'
import { apiKeys, generateApiKey } from 'blazon/keys'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'

const secret = 'a secret for tests, which has 32 bytes and more'
const user = jwt({ keys: secret, tenant: 'org' })
const { key, hash } = generateApiKey({ prefix: 'shop_test' })
const program = apiKeys({
  prefix: 'shop_test',
  find: (wanted) => (wanted === hash ? { id: 'k', hash, tenant: 'globex' } : undefined),
})

const acting = (req: Request) => ({ tenant: getTenantId() ?? null, id: req.user?.id ?? null })

@Auth('user', 'program')
@Controller()
class DataController {
  @Get('plain')
  plain(req: Request) {
    return acting(req)
  }

  @Tenant()
  @Get('needed')
  needed(req: Request) {
    return acting(req)
  }

  @Cache({ ttl: '1h', key: () => 'same' })
  @Get('cached')
  cached(req: Request) {
    return acting(req)
  }

  @RateLimit({ limit: 100, window: '1h', by: 'tenant' })
  @Get('limited')
  limited(req: Request) {
    return acting(req)
  }

  @Auth('user', 'program', { optional: true })
  @Get('maybe')
  maybe(req: Request) {
    return acting(req)
  }

  @Get('t/:tenant')
  path(req: Request) {
    return acting(req)
  }

  @Public()
  @Get('open')
  open(req: Request) {
    return acting(req)
  }
}

async function startData(tenant: AppOptions['tenant'] = {}) {
  const app = await TestApp.create({
    controllers: [DataController],
    auth: { guards: { user, program } },
    tenant,
    rateLimit: true,
    logger: false,
  })
  onTestFinished(() => app.close())
  const bearer = (claims: object) => ({
    authorization: `Bearer ${signTestToken({ sub: 'ann', ...claims }, secret, { clock: app.clock })}`,
  })
  const ask = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await app.request().get(path).set(headers)
    return status === 200 ? body.data : status
  }
  return { app, ask, bearer }
}

const PATHS = ['/plain', '/needed', '/cached', '/limited', '/maybe']

describe('a valid token of one tenant', () => {
  it('gives no access to another tenant in a header, path, host or second credential', async () => {
    const strategies = [tenantFromPath('/t/:tenant'), tenantFromHost({ 'globex.test': 'globex' })]
    const { ask, bearer } = await startData({ strategies })
    const acme = bearer({ org: 'acme' })
    const globex: readonly Record<string, string>[] = [
      { 'x-tenant-id': 'globex' },
      { host: 'globex.test' },
      { 'x-tenant-id': 'acme', host: 'globex.test' },
      { 'x-api-key': key },
      { 'x-api-key': key, 'x-tenant-id': 'globex' },
      { 'x-api-key': key, 'x-tenant-id': 'acme' },
    ]
    for (const path of PATHS) {
      expect(await ask(path, acme), path).toEqual({ tenant: 'acme', id: 'ann' })
      for (const named of globex) {
        const found = await ask(path, { ...acme, ...named })
        // The first place counts, so a header of the own tenant may stand beside a host of another one.
        if (named['x-tenant-id'] === 'acme' && named['x-api-key'] === undefined) {
          expect(found).toEqual({ tenant: 'acme', id: 'ann' })
        } else expect(found, `${path} ${JSON.stringify(named)}`).toBe(403)
      }
      expect(await ask(path, bearer({ org: 'globex' })), path).toMatchObject({ tenant: 'globex' })
    }
    expect(await ask('/t/globex', acme)).toBe(403)
    expect(await ask('/t/acme', acme)).toEqual({ tenant: 'acme', id: 'ann' })
    expect(await ask('/t/%67lobex', acme)).toBe(403)
  })

  it('gives no access to a tenant with another spelling of its ID', async () => {
    const { ask, bearer } = await startData()
    for (const org of ['ACME', 'acme.', 'acme,globex', 'acm\u0435', 'acme%00', '__proto__']) {
      for (const path of PATHS) {
        const sent = encodeURIComponent(org) === org ? { 'x-tenant-id': org } : {}
        const found = await ask(path, { ...bearer({ org: 'acme' }), ...sent })
        if ('x-tenant-id' in sent) expect([400, 403], `${path} ${org}`).toContain(found)
        const named = await ask(path, { ...bearer({ org }), 'x-tenant-id': 'acme' })
        expect(named, `${path} ${org}`).toBe(403)
      }
    }
  })

  it('sets no tenant on public routes', async () => {
    const { ask, bearer } = await startData()
    for (const headers of [{}, { 'x-tenant-id': 'globex' }, { 'x-tenant-id': 'acme' }]) {
      expect(await ask('/open', { ...bearer({ org: 'acme' }), ...headers })).toEqual({
        tenant: null,
        id: null,
      })
    }
  })
})

describe('a token with an invalid tenant', () => {
  it.each<[string, unknown]>([
    ['a list', ['acme']],
    ['a list of two', ['acme', 'globex']],
    ['an object', { toString: 'acme', id: 'acme' }],
    ['a number', 7],
    ['true', true],
    ['an empty string', ''],
    ['null', null],
    ['undefined', undefined],
    ['two IDs', 'acme globex'],
    ['a string with a line break', 'acme\r\nX-Tenant-Id: globex'],
    ['a long string', 'a'.repeat(300)],
  ])('selects no tenant if its tenant is %s', async (_, org) => {
    const { ask, bearer } = await startData()
    for (const path of PATHS) {
      const found = await ask(path, bearer({ org }))
      if (typeof found === 'object') expect(found).toEqual({ tenant: null, id: 'ann' })
      else expect([400, 403]).toContain(found)
      expect(await ask(path, { ...bearer({ org }), 'x-tenant-id': 'acme' }), path).toBe(403)
    }
  })

  it('is refused if its tenant is suspended or unknown', async () => {
    const find = (id: string) =>
      id === 'acme' ? { id } : id === 'old' ? { id, status: 'suspended' as const } : null
    const { ask, bearer } = await startData({ store: { find } as never })
    for (const path of PATHS) {
      expect(await ask(path, bearer({ org: 'acme' })), path).toMatchObject({ tenant: 'acme' })
      for (const org of ['old', 'nobody']) {
        expect([403, 404], path).toContain(await ask(path, bearer({ org })))
      }
    }
  })
})

describe('a stream that was started with a valid token', () => {
  it('continues after the token has expired, but new streams are refused', async () => {
    const waiting = gate()

    @Auth('user')
    @Controller('ticks')
    class TicksController {
      @Sse(z.object({ at: z.string() }))
      @Get()
      async *ticks() {
        yield { at: 'before' }
        await waiting.opened
        yield { at: 'after' }
      }
    }
    const app = await TestApp.create({
      controllers: [TicksController],
      auth: { guards: { user, program } },
      timeouts: { handler: '1h' },
    })
    onTestFinished(() => app.close())
    const exp = Math.floor(app.clock.now() / 1000) + 60
    const token = signTestToken({ sub: 'ann', exp }, secret, { clock: app.clock })
    const headers = { authorization: `Bearer ${token}` }
    const stream = await app.fetch('/ticks', { headers })
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
    const first = Buffer.from((await reader.read()).value ?? []).toString()
    expect(first).toContain('before')
    await app.clock.advance('2m')
    expect((await app.fetch('/ticks', { headers })).status).toBe(401)
    waiting.open()
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      rest += Buffer.from(part.value).toString()
    }
    expect(rest).toContain('after')
  })
})

describe('the validity period of a token', () => {
  it('is exact at both ends of the tolerance, even for a cached token', async () => {
    for (const clockTolerance of [0, 5, 600]) {
      const guard = jwt({ keys: secret, clockTolerance })
      @Auth()
      @Controller('me')
      class MeController {
        @Get()
        me() {
          return 'me'
        }
      }
      const app = await TestApp.create({ controllers: [MeController], auth: { guard } })
      onTestFinished(() => app.close())
      const start = 2_000_000_000
      app.clock.set(new Date(start * 1000))
      const token = signTestToken({ sub: 'a', nbf: start, exp: start + 60 }, secret)
      const at = async (second: number) => {
        app.clock.set(new Date((start + second) * 1000))
        return (await app.fetch('/me', { headers: { authorization: `Bearer ${token}` } })).status
      }
      const [from, to] = [-clockTolerance, 60 + clockTolerance]
      expect(await at(from - 0.001)).toBe(401)
      expect(await at(from)).toBe(200)
      expect(await at(to - 0.001)).toBe(200)
      expect(await at(to)).toBe(401)
      // The token is kept no longer; a clock that is set back makes it right again, as its times say.
      expect(await at(from - 0.001)).toBe(401)
      expect(await at(30)).toBe(200)
    }
  })
})
