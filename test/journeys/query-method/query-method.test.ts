import { METHODS } from 'node:http'
import {
  All,
  App,
  Auth,
  Body,
  Cache,
  Controller,
  file,
  Get,
  Post,
  QueryMethod,
  type Request,
  requireTenantId,
  Tenant,
  Upload,
} from 'blazon'
import type { OpenApiPathItem } from 'blazon/plugin'
import { memorySessions, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { compareDocuments } from '../../../src/cli/diff/compare-documents.js'
import { referencePage } from '../../../src/features/docs/open-page.js'
import { importClient } from '../../cli/import-client.js'
import { bootProblems } from '../../support.js'

const Search = z.object({ ids: z.array(z.number().int().min(0).max(99)).max(5) })
const Found = z.object({ ids: z.array(z.number()) })
const TYPED = { 'content-type': 'application/json' }

let calls = 0
afterEach(() => {
  calls = 0
})

@Controller('things')
class Things {
  @Get() list() {
    return ['all']
  }

  @QueryMethod('', { body: Search, returns: Found })
  search({ body }: Request) {
    calls++
    return { ids: body.ids }
  }

  @Cache({ ttl: '60s' })
  @QueryMethod('cached', { body: Search, returns: Found })
  cached({ body }: Request) {
    calls++
    return { ids: body.ids }
  }

  @Cache({ ttl: '60s', key: () => 'fixed', shared: true })
  @QueryMethod('keyed', { body: Search })
  keyed({ body }: Request) {
    calls++
    return { ids: body.ids }
  }

  @QueryMethod('sql')
  @Body(z.string(), { type: 'text', contentType: ['application/sql', '7z/x'] })
  sql({ body }: Request) {
    return { sql: body }
  }

  @Cache({ ttl: '60s' })
  @QueryMethod('unread')
  unread() {
    return ++calls
  }

  @All('any') any({ method }: Request) {
    return { method }
  }
}

async function start(): Promise<TestApp> {
  const app = await TestApp.create({ controllers: [Things], contract: 'throw' })
  onTestFinished(() => app.close())
  return app
}

const query = (app: TestApp, path: string, ids: unknown, headers: object = TYPED) =>
  app.fetch(`/things${path}`, {
    method: 'QUERY',
    headers: { ...headers },
    body: JSON.stringify({ ids }),
  })

describe('a QUERY route', () => {
  it('receives the validated body in process, through app.fetch and through a socket', async () => {
    const app = await start()
    const tested = await query(app, '', [1, 2])
    expect([tested.status, await tested.json()]).toMatchObject([200, { data: { ids: [1, 2] } }])
    expect((await query(app, '', ['x'])).status).toBe(400)

    const plain = await App.create({ controllers: [Things], logger: false })
    onTestFinished(() => plain.close())
    const init = { method: 'QUERY', headers: TYPED, body: '{"ids":[3]}' }
    const fetched = await plain.fetch(new globalThis.Request('http://x/things', init))
    expect(await fetched.json()).toMatchObject({ data: { ids: [3] } })
    const { port } = await plain.listen(0, '127.0.0.1')
    const sent = await fetch(`http://127.0.0.1:${port}/things`, init)
    expect(await sent.json()).toMatchObject({ data: { ids: [3] } })
  })

  it('refuses a request with a missing or wrong Content-Type with 415', async () => {
    const app = await start()
    // Bytes have no type, so `fetch` sends none.
    const body = new TextEncoder().encode('{"ids":[]}')
    for (const headers of [{}, { 'content-type': 'text/plain' }]) {
      const refused = await app.fetch('/things', { method: 'QUERY', headers, body })
      expect([refused.status, refused.headers.get('accept-query')]).toEqual([
        415,
        'application/json',
      ])
    }
    const empty = await app.fetch('/things/unread', { method: 'QUERY' })
    expect([empty.status, await empty.json()]).toMatchObject([
      415,
      { code: 'UNSUPPORTED_MEDIA_TYPE' },
    ])
    expect(calls).toBe(0)
  })

  it('lists its body types in the Accept-Query header of its responses, including 405 and OPTIONS', async () => {
    const app = await start()
    const found = await query(app, '', [])
    expect(found.headers.get('accept-query')).toBe('application/json')
    const options = await app.fetch('/things/sql', { method: 'OPTIONS' })
    expect(options.headers.get('accept-query')).toBe('application/sql, "7z/x"')
    expect(options.headers.get('allow')).toBe('QUERY, OPTIONS')
    const wrong = await app.fetch('/things', { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow'), wrong.headers.get('accept-query')]).toEqual([
      405,
      'GET, HEAD, QUERY, OPTIONS',
      'application/json',
    ])
    const other = await app.fetch('/things/any', { method: 'PROPFIND' })
    expect([other.status, other.headers.has('accept-query')]).toEqual([405, false])
    expect(other.headers.get('allow')).toContain('QUERY')
  })

  it('is not a write, so that another origin can call it with the session cookie', async () => {
    const app = await TestApp.create({
      controllers: [Things, Writes],
      plugins: [sessions({ store: memorySessions() })],
    })
    onTestFinished(() => app.close())
    const cookie = `__Host-session=${'a'.repeat(43)}`
    const headers = { ...TYPED, cookie, 'sec-fetch-site': 'cross-site' }
    expect((await query(app, '', [1], headers)).status).toBe(200)
    expect((await app.fetch('/writes', { method: 'POST', headers })).status).toBe(403)
  })

  it('can be created with @All', async () => {
    const app = await start()
    const any = await app.fetch('/things/any', { method: 'QUERY' })
    expect([any.status, await any.json()]).toMatchObject([200, { data: { method: 'QUERY' } }])
  })
})

describe('the @Cache decorator on a QUERY route', () => {
  it('includes the body and its type in the key', async () => {
    const app = await start()
    const states: unknown[] = []
    for (const ids of [[1], [1], [2], [1]]) {
      const response = await query(app, '/cached', ids)
      states.push([response.headers.get('x-cache'), ((await response.json()) as Answer).data.ids])
    }
    expect(states).toEqual([
      ['MISS', [1]],
      ['HIT', [1]],
      ['MISS', [2]],
      ['HIT', [1]],
    ])
    const typed = { 'content-type': 'application/json; charset=utf-8' }
    const other = await query(app, '/cached', [1], typed)
    expect([other.headers.get('x-cache'), calls]).toEqual(['MISS', 3])
  })

  it('adds the body to a custom key', async () => {
    const app = await start()
    await query(app, '/keyed', [1])
    const second = await query(app, '/keyed', [2])
    expect(((await second.json()) as Answer).data.ids).toEqual([2])
    expect((await query(app, '/keyed', [2])).headers.get('x-cache')).toBe('HIT')
  })

  it('does not cache a response if the body was not parsed', async () => {
    const app = await start()
    const init = { method: 'QUERY', headers: { 'content-type': 'text/x' }, body: 'a' }
    for (const expected of ['BYPASS', 'BYPASS'])
      expect((await app.fetch('/things/unread', init)).headers.get('x-cache')).toBe(expected)
  })

  it('is refused if the handler also has another method, or receives files', async () => {
    @Controller('mixed')
    class Mixed {
      @Cache({ ttl: '60s' }) @Get() @QueryMethod() @Body(Search) read() {}
      @Cache({ ttl: '60s' }) @QueryMethod('files') @Upload({ a: file() }) files() {}
    }
    const problems = await bootProblems({ controllers: [Mixed] })
    expect(problems.filter(({ code }) => code === 'E_CACHE_BODY')).toHaveLength(2)
  })
})

interface Answer {
  readonly data: { readonly ids: number[] }
}

describe('the test tools for QUERY routes', () => {
  @Auth()
  @Controller('private')
  class Private {
    @QueryMethod('', { body: Search, returns: Found }) search({ body }: Request) {
      return body
    }
  }
  const guard = {
    canActivate(req: Request) {
      req.user = { id: 1 }
      return req.get('authorization') === 'Bearer t'
    },
  }

  it('include the method in fuzz tests, the contract and the access matrix', async () => {
    const app = await TestApp.create({ controllers: [Private], contract: 'throw', auth: { guard } })
    onTestFinished(() => app.close())
    const headers = { authorization: 'Bearer t' }
    const matrix = await app.authMatrix(
      { user: app.with(headers), nobody: null },
      { unguarded: 'fail' },
    )
    expect(matrix.rows).toMatchObject([
      { operation: 'QUERY /private', access: { user: 'allowed', nobody: 401 } },
    ])
    const report = await app.fuzz({ seed: 5, runs: 60, headers })
    expect(report).toMatchObject({ operations: 1, refused: [], skipped: [] })
  })

  it('allow an operation that only reads to be public', async () => {
    const app = await TestApp.create({ controllers: [Things, Writes] })
    onTestFinished(() => app.close())
    const except = ['POST /writes', 'ALL /things/any']
    await app.authMatrix({ nobody: null }, { unguarded: 'fail', except })
  })

  it('include proveIsolation, which detects a response that two tenants share', async () => {
    const rows: { tenant: string; text: string }[] = []
    @Tenant()
    @Controller('notes')
    class Notes {
      @Post('', { body: z.object({ text: z.string().min(1) }) }) add({ body }: Request) {
        rows.push({ tenant: requireTenantId(), text: body.text })
        return rows.at(-1)
      }
      @QueryMethod('', { body: z.object({ text: z.string() }) }) all() {
        return rows
      }
    }
    const app = await TestApp.create({ controllers: [Notes], tenant: { authorize: () => true } })
    onTestFinished(() => app.close())
    const { leaks } = await app.proveIsolation({ seed: 1, tenants: ['acme', 'globex'] })
    expect(JSON.stringify(leaks)).toContain('QUERY /notes')
  })
})

interface OlderItem extends OpenApiPathItem {
  readonly 'x-oai-additionalOperations'?: { readonly QUERY?: { readonly operationId?: string } }
}

describe('the document of QUERY routes', () => {
  const documentOf = async (openapi: '3.0' | '3.1' | '3.2') => {
    const app = await TestApp.create({ controllers: [Things], swagger: { openapi } })
    onTestFinished(() => app.close())
    return app
  }

  it('contains the operation as `query`, or before 3.2 in the registered extension', async () => {
    const { document } = await documentOf('3.2')
    const operation = document.paths['/things']?.query
    expect(operation).toMatchObject({
      operationId: 'Things_search',
      requestBody: { content: { 'application/json': {} }, required: true },
      responses: {
        200: { headers: { 'Accept-Query': { schema: { enum: ['application/json'] } } } },
        415: {},
      },
    })
    for (const version of ['3.0', '3.1'] as const) {
      const { paths } = (await documentOf(version)).document
      const item: OlderItem = paths['/things'] ?? {}
      expect(Object.keys(item)).toEqual(['get', 'x-oai-additionalOperations'])
      expect(item['x-oai-additionalOperations']?.QUERY?.operationId).toBe('Things_search')
    }
  })

  it.each(['3.0', '3.1', '3.2'] as const)(
    'is sufficient for a client and a reference page in OpenAPI %s',
    async (version) => {
      const app = await documentOf(version)
      const text = emitClient(app.document)
      const { createClient } = await importClient(`query-${version}`, text)
      const client = createClient({ baseUrl: 'http://app', fetch: app.fetch })
      const page = referencePage(app.document).page.bytes.toString()
      expect(page).toContain('QUERY <code>/things</code>')
      const result = await client['things']?.['search']?.({ body: { ids: [4] } })
      expect(result).toMatchObject({ ok: true, data: { ids: [4] } })
    },
  )

  it('has no breaking changes between OpenAPI versions, and a removed operation is reported', async () => {
    const older = (await documentOf('3.1')).document
    const newer = (await documentOf('3.2')).document
    const { query: _, ...rest } = newer.paths['/things'] ?? {}
    const without = { ...newer, paths: { ...newer.paths, '/things': rest } }
    const changes = compareDocuments(older, newer)
    expect(changes.filter(({ isBreaking }) => isBreaking)).toEqual([])
    const removed = compareDocuments(older, without).map(({ operation }) => operation)
    expect(removed).toContain('QUERY /things')
  })
})

@Controller('writes')
class Writes {
  @Post() write() {}
}

describe('a Node version whose parser does not support QUERY', () => {
  it('causes a boot error with the minimum version', async () => {
    const place = METHODS.indexOf('QUERY')
    METHODS.splice(place, 1)
    try {
      const problems = await bootProblems({ controllers: [Things] })
      const found = problems.filter(({ code }) => code === 'E_QUERY_METHOD')
      expect(found.map(({ subject }) => subject)).toContain('Things.search')
      expect(found[0]?.remedy).toContain('20.19.2')
      expect(await bootProblems({ controllers: [Writes] }).catch(() => [])).toEqual([])
    } finally {
      METHODS.splice(place, 0, 'QUERY')
    }
  })
})
