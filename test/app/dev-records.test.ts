import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import {
  ApiResponseDoc,
  App,
  type AppOptions,
  Body,
  Controller,
  Get,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { DevReport, WholeRecord } from '../../src/app/dev/dev-report.js'
import { rawExchange } from '../journeys/wire/raw-exchange.js'

const REPORT = Symbol.for('blazon.report')
const Thing = z.object({
  id: z.number(),
  note: z.string().optional(),
  password: z.string().optional(),
})
const Described = ApiResponseDoc({ status: 200, description: 'A thing', schema: Thing })

const wrong = { statusCode: 'success', status: 200, message: 'OK', data: { id: 'seven' } }
const LONG = JSON.stringify({ ...wrong, message: 'x'.repeat(1_000_001) })

@Controller('things')
class ThingsController {
  @Described @Get('good') good() {
    return { id: 7 }
  }

  @Described @Get('wrong') wrong() {
    return { id: 'seven' } as never
  }

  /** The head has headers that `getHeaders` does not return, and the body has two parts. */
  @Described @Get('parts') parts(_req: Request, res: Response) {
    const text = JSON.stringify(wrong)
    res.writeHead(200, { 'Content-Type': 'application/json' })
    res.write(text.slice(0, 9))
    res.end(Buffer.from(text.slice(9)))
  }

  @Described @Get('base64') base64(_req: Request, res: Response) {
    res.type('json').end(Buffer.from(JSON.stringify(wrong)).toString('base64'), 'base64')
  }

  @Described @Get('packed') packed(_req: Request, res: Response) {
    res
      .type('json')
      .set('Content-Encoding', 'gzip')
      .end(gzipSync(JSON.stringify(wrong)))
  }

  @Described @Get('deflated') deflated(_req: Request, res: Response) {
    res
      .type('json')
      .set('Content-Encoding', 'deflate')
      .end(deflateSync(JSON.stringify(wrong)))
  }

  @Described @Get('brotli') brotli(_req: Request, res: Response) {
    res
      .type('json')
      .set('Content-Encoding', 'br')
      .end(brotliCompressSync(JSON.stringify(wrong)))
  }

  @Described @Get('cut') cut(_req: Request, res: Response) {
    res.type('json').write('{')
    setImmediate(() => res.destroy())
  }

  @Described @Get('text') text(_req: Request, res: Response) {
    res.type('text').send('seven')
  }

  @Described @Get('long') long(_req: Request, res: Response) {
    res.type('json').end(LONG)
  }

  @Described @Get('secret') secret(req: Request) {
    return { id: req.headers.authorization, password: 7 } as never
  }

  @Get('bug') bug() {
    throw new Error('a bug')
  }

  @Described @Body(z.object({ name: z.string() })) @Post() create() {
    return { id: 7 }
  }
}

afterEach(() => void Reflect.deleteProperty(globalThis, REPORT))

/** Starts an application as in a process of `blazon dev`, without capsules. */
async function start(options: AppOptions = {}) {
  const taken: WholeRecord[] = []
  const explained: Parameters<DevReport['started']>[0][] = []
  const value: DevReport = {
    started: (explain) => void explained.push(explain),
    work() {},
    take: (whole) => void taken.push(whole),
    placeIn: () => null,
  }
  Object.defineProperty(globalThis, REPORT, { value, configurable: true })
  const records = { capsules: false }
  const app = new App({ controllers: [ThingsController], logger: false, records, ...options })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
  const ask = async (path: string, init?: RequestInit) => {
    const before = taken.length
    await (await fetch(`http://127.0.0.1:${port}${path}`, init)).text()
    await expect.poll(() => taken.length).toBeGreaterThan(before)
    return taken[before] as WholeRecord
  }
  return { ask, port, taken, explained }
}

const mismatch = {
  operation: 'GET /things/wrong',
  handler: 'ThingsController.wrong',
  status: 200,
  kind: 'body',
  path: 'data.id',
}

describe('a request under blazon dev', () => {
  it('is reported with the request of the client, and without differences', async () => {
    const { ask } = await start()
    const { record, sent, mismatches, capsule } = await ask('/things', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-own': 'a' },
      body: '{"name":"n"}',
    })
    expect(record).toMatchObject({ method: 'POST', status: 200 })
    expect(sent.headers).toContainEqual(['x-own', 'a'])
    expect([sent.body, mismatches, capsule]).toEqual(['{"name":"n"}', [], null])
  })

  it.each(['wrong', 'parts', 'base64', 'packed', 'deflated', 'brotli'])(
    'is reported with the difference between its response and the document: %s',
    async (path) => {
      const { ask } = await start()
      const { mismatches } = await ask(`/things/${path}`)
      const own = { operation: `GET /things/${path}`, handler: `ThingsController.${path}` }
      expect(mismatches).toMatchObject([{ ...mismatch, ...own }])
    },
  )

  it('is reported with a difference of the media type', async () => {
    const { ask } = await start()
    expect((await ask('/things/text')).mismatches).toMatchObject([
      { kind: 'content-type', expected: 'application/json', got: 'text/plain' },
    ])
  })

  it.each([
    ['a body that is longer than 1 MB', '/things/long', 'GET'],
    ['a response to HEAD', '/things/wrong', 'HEAD'],
    ['a request without a route', '/none', 'GET'],
    ['a page of the framework', '/api-docs', 'GET'],
  ])('is reported without differences for %s', async (_, path, method) => {
    const { ask } = await start()
    expect((await ask(path, { method })).mismatches).toEqual([])
  })

  it('is reported without differences if its response is cut off', async () => {
    const { port, taken } = await start()
    await rawExchange(port, 'GET /things/cut HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => {})
    await expect.poll(() => taken.length).toBe(1)
    expect(taken[0]).toMatchObject({ record: { outcome: 'aborted' }, mismatches: [] })
  })

  it('is reported without the secrets in its response', async () => {
    const { ask } = await start()
    const headers = { authorization: 'Bearer abcd1234' }
    const { mismatches } = await ask('/things/secret', { headers })
    expect(mismatches.map(({ path, got }) => [path, got])).toEqual([
      ['data.id', '"[secret]"'],
      ['data.password', '[secret]'],
    ])
  })

  it('has a capsule in the folder of the option if it failed, unless capsules are off', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'blazon-dev-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { ask } = await start({ records: { capsules: { folder } } })
    expect((await ask('/things/good')).capsule).toBeNull()
    const { capsule } = await ask('/things/bug')
    expect(capsule).toEqual({ id: expect.any(String), folder })
    await expect.poll(() => readdirSync(folder).join()).toContain(capsule?.id)
    const off = await start()
    expect((await off.ask('/things/bug')).capsule).toBeNull()
  })
})

describe('the start of an application under blazon dev', () => {
  it('is reported once, with a function that explains all its routes', async () => {
    const { explained } = await start()
    expect(explained).toHaveLength(1)
    const routes = await explained[0]?.()
    expect(routes?.map(({ handler }) => handler)).toContain('create')
    expect(routes).toHaveLength(13)
  })

  it('is not reported if it fails', async () => {
    const started = vi.fn()
    const value = { started, work() {}, take() {}, placeIn: () => null }
    Object.defineProperty(globalThis, REPORT, { value, configurable: true })
    const onInit = () => {
      throw new Error('no')
    }
    const app = new App({ plugins: [{ name: 'p', onInit }], logger: false })
    await expect(app.init()).rejects.toThrow('no')
    expect(started).not.toHaveBeenCalled()
  })
})
