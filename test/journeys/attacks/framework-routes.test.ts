import { type AppOptions, type AuthGuard, Controller, Get } from 'blazon'
import { apiKeys, generateApiKey } from 'blazon/keys'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { exchange, request } from '../hostile/raw-connection.js'

const { key, hash } = generateApiKey({ prefix: 'ops' })
const operators = apiKeys({
  prefix: 'ops',
  header: 'X-Ops',
  find: (wanted) => (wanted === hash ? { id: 'ops', hash } : undefined),
})
const closed: AuthGuard = { canActivate: () => false }

@Controller('hidden')
class HiddenController {
  @Get()
  hidden() {
    return 'secret'
  }
}

async function startClosed(options: AppOptions = {}) {
  const site = await start({
    controllers: [HiddenController],
    auth: { guard: closed, default: 'protected' },
    metrics: { guard: operators },
    health: { guard: operators, checks: { disk: () => ({ detail: 'secret' }) } as never },
    ...options,
  })
  const send = async (target: string, lines: readonly string[] = [], method = 'GET') => {
    const isHead = method === 'HEAD'
    return (await exchange(site.port, request(target, lines, { method }), { isHead }))[0]
  }
  return { ...site, send }
}

const OPS = `X-Ops: ${key}`

/** Spellings of the path of the metrics, and what a stranger gets. */
const PATHS: Readonly<Record<string, number>> = {
  '/metrics': 401,
  '/metrics/': 401,
  '/METRICS': 401,
  '/%6detrics': 401,
  '/metrics?x=1': 401,
  'http://localhost/metrics': 401,
  '//metrics': 404,
  '/./metrics': 404,
  '/hidden/../metrics': 404,
  '/metrics%2f': 404,
  '/metrics;a=b': 404,
  '/metrics%00': 404,
  '/%2fmetrics': 404,
}

describe('the metrics', () => {
  it('are shown only to callers that the guard admits, for every path spelling and method', async () => {
    const { send } = await startClosed()
    const found: Record<string, number | undefined> = {}
    for (const path of Object.keys(PATHS)) {
      const answer = await send(path)
      found[path] = answer?.status
      expect(answer?.text, path).not.toContain('http_server')
      if (answer?.status === 401) expect(answer.headers['www-authenticate'], path).toBe('ApiKey')
    }
    expect(found).toEqual(PATHS)
    expect((await send('/metrics', [], 'HEAD'))?.status).toBe(401)
    expect((await send('/metrics', [], 'POST'))?.status).toBe(405)
    expect((await send('/metrics', ['X-Original-URL: /livez']))?.status).toBe(401)
    expect((await send('/livez', ['X-Original-URL: /metrics']))?.text).not.toContain('http_server')
    expect((await send('/metrics', [OPS]))?.text).toContain('http_server')
  })

  it.each<[string, readonly string[]]>([
    ['twice', [OPS, OPS]],
    ['in Authorization', [`Authorization: Bearer ${key}`]],
    ['in a cookie', [`Cookie: x-ops=${key}`]],
    ['together with a wrong one', [OPS, 'X-Ops: wrong']],
    ['truncated', [OPS.slice(0, -1)]],
  ])('are not shown to a caller who sends the key %s', async (_, lines) => {
    const { send } = await startClosed()
    expect((await send('/metrics', lines))?.status).toBe(401)
  })

  it('are not shown through an error middleware or a rewritten path', async () => {
    const goOn: ErrorRequestHandler = (_error, _req, _res, next) => next()
    const rewrite: RequestHandler = (req, _res, next) => {
      req.url = '/metrics'
      next()
    }
    const { send } = await startClosed({ middlewares: [rewrite, goOn] })
    for (const path of ['/metrics', '/anything', '/hidden']) {
      const answer = await send(path)
      expect([401, 404], path).toContain(answer?.status)
      expect(answer?.text, path).not.toContain('http_server')
    }
  })

  it.each<[string, AuthGuard['canActivate']]>([
    ['rejects without a reason', () => Promise.reject()],
    ['rejects with a success status', () => Promise.reject({ status: 200 })],
    ['returns the string true', (() => 'true') as never],
    ['returns a function', (() => () => true) as never],
  ])('are not shown if the guard %s', async (_, canActivate) => {
    const { send } = await startClosed({ metrics: { guard: { canActivate } } })
    expect((await send('/metrics'))?.status).toBe(401)
  })
})

describe('the details of a health check', () => {
  it('are shown only to callers that the guard admits', async () => {
    const { send } = await startClosed()
    for (const lines of [[], ['X-Ops: wrong'], [OPS, OPS], [`Authorization: Bearer ${key}`]]) {
      for (const path of ['/readyz', '/READYZ/', '/%72eadyz', '/livez', '/startupz']) {
        expect(JSON.parse((await send(path, lines))?.text ?? ''), path).toEqual({ status: 'up' })
      }
    }
    expect((await send('/readyz', [OPS]))?.text).toContain('disk')
  })
})

describe("an application with default: 'protected'", () => {
  it('leaves only the document and its page open, unless `swagger` is false', async () => {
    const { send } = await startClosed()
    const open = ['/api-docs', '/api-docs.json', '/api-docs.yaml']
    for (const path of open) expect((await send(path))?.status, path).toBe(200)
    expect((await send('/hidden'))?.status).toBe(401)
    const { send: ask } = await startClosed({ swagger: false })
    for (const path of open) expect((await ask(path))?.status, path).toBe(404)
  })

  it('can protect every spelling of the document path with a middleware', async () => {
    const guarded: RequestHandler = (req, res, next) => {
      if (/^\/+api-docs/i.test(decodeURIComponent(req.path)) && req.get('x-ops') !== key) {
        res.sendStatus(401)
      } else next()
    }
    const { send } = await startClosed({ middlewares: [guarded] })
    for (const path of [
      '/api-docs',
      '/API-DOCS.json',
      '/%61pi-docs.yaml',
      '/api-docs/',
      '//api-docs',
    ]) {
      expect([401, 404], path).toContain((await send(path))?.status)
    }
    expect((await send('/api-docs.json', [OPS]))?.status).toBe(200)
  })
})

describe('a path with an external host', () => {
  it('never redirects a browser to that host', async () => {
    const { send } = await startClosed()
    for (const path of [
      '//evil.example',
      '//evil.example/%2e%2e',
      '/\\evil.example',
      '/%5cevil.example/',
      '//evil.example/api-docs/',
      '/api-docs//evil.example',
      '/hidden//evil.example',
      '/%0d%0aLocation:%20https://evil.example',
      '/api-docs?url=https://evil.example',
      '/.//evil.example',
    ]) {
      const answer = await send(path)
      expect(answer?.headers['location'], path).toBeUndefined()
      expect([200, 400, 401, 404], path).toContain(answer?.status)
    }
  })
})
