import {
  App,
  type AppOptions,
  Auth,
  Controller,
  Deprecated,
  type DeprecatedOptions,
  Get,
  Post,
  type Request,
} from 'blazon'
import { setKeyId } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { deprecationsIn } from '../../../src/cli/list-deprecations.js'
import { runInProcess } from '../../cli/run-in-process.js'
import { bootProblems, bootWarnings } from '../../support.js'

const SINCE = '2023-06-30T23:59:59Z'
const SUNSET = '2024-06-30T23:59:59Z'
const Order = z.object({ id: z.string() })

@Deprecated({ since: '2023-01-01' })
@Controller('v1')
class Old {
  @Deprecated({ since: SINCE, sunset: SUNSET, successor: '/v2/orders/:id', end: true })
  @Get('orders/:id', { params: Order, returns: Order })
  find({ params }: Request) {
    return { id: String(params['id']) }
  }

  @Deprecated({ since: SINCE, sunset: SUNSET })
  @Get('stays')
  stays() {
    return 1
  }

  @Get('class') ofClass() {
    return 1
  }

  @Deprecated(false)
  @Get('fresh')
  fresh() {
    return 1
  }

  @Auth()
  @Get('private')
  secret() {
    return 1
  }
}

const guard = {
  canActivate(req: Request) {
    const key = req.get('x-key')
    if (key !== undefined) setKeyId(req, key)
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id }
    return key !== undefined || id !== undefined
  },
}

async function start(options: AppOptions = {}): Promise<TestApp> {
  const app = await TestApp.create({
    controllers: [Old],
    contract: 'throw',
    auth: { guard },
    ...options,
  })
  onTestFinished(() => app.close())
  app.clock.set('2024-01-01')
  return app
}

describe('a deprecated route', () => {
  it('announces its deprecation and its end in headers, whether the class or the method is decorated', async () => {
    const app = await start()
    const headersOf = async (path: string) => {
      const { headers } = await app.fetch(path)
      return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
    }
    expect(await headersOf('/v1/orders/a%20b')).toEqual([
      '@1688169599',
      'Sun, 30 Jun 2024 23:59:59 GMT',
      '</v2/orders/a%20b>; rel="successor-version"',
    ])
    expect(await headersOf('/v1/stays')).toEqual([
      '@1688169599',
      'Sun, 30 Jun 2024 23:59:59 GMT',
      null,
    ])
    expect(await headersOf('/v1/class')).toEqual(['@1672531200', null, null])
    expect(await headersOf('/v1/fresh')).toEqual([null, null, null])
    expect(await headersOf('/v1/private')).toEqual(['@1672531200', null, null])
  })

  it('is marked in the document, with its headers and 410, and in the generated client', async () => {
    const app = await start()
    const operation = (path: string) => app.document.paths[path]?.get
    const ended = operation('/v1/orders/{id}')
    expect(ended).toMatchObject({ deprecated: true, responses: { 410: {} } })
    expect(ended?.responses['200']).toMatchObject({
      headers: { Deprecation: {}, Sunset: {}, Link: {} },
    })
    expect(operation('/v1/stays')).toMatchObject({ deprecated: true })
    expect(operation('/v1/stays')?.responses).not.toHaveProperty('410')
    expect(operation('/v1/fresh')).not.toHaveProperty('deprecated')
    const client = emitClient(app.document)
    expect(client).toMatch(/@deprecated\s+\*\/\s+find:/)
    expect(client).toContain('410')
  })

  it('responds with 410 after its sunset if `end` is set, according to the application clock', async () => {
    const app = await start()
    app.clock.set('2024-06-30T23:59:58Z')
    expect((await app.fetch('/v1/orders/1')).status).toBe(200)
    app.clock.set(SUNSET)
    const ended = await app.fetch('/v1/orders/1')
    expect([ended.status, await ended.json()]).toMatchObject([410, { code: 'GONE' }])
    expect(ended.headers.get('link')).toContain('/v2/orders/1')
    expect((await app.fetch('/v1/stays')).status).toBe(200)
  })

  it('passes fuzz tests before its end, and has status 410 in authMatrix() and fuzz tests afterwards', async () => {
    const app = await start()
    const operations = ({ name }: { name: string }) => name === 'GET /v1/orders/{id}'
    await app.fuzz({ seed: 2, runs: 20, operations })
    app.clock.set('2025-01-01')
    const { rows } = await app.authMatrix({ nobody: null })
    expect(rows.map(({ operation, access }) => [operation, access['nobody']])).toEqual([
      ['GET /v1/orders/:id', 410],
      ['GET /v1/stays', 'allowed'],
      ['GET /v1/class', 'allowed'],
      ['GET /v1/fresh', 'allowed'],
      ['GET /v1/private', 401],
    ])
    await expect(app.fuzz({ seed: 2, runs: 20, operations })).rejects.toThrow(
      /every request was refused, with 410/,
    )
  })
})

describe('an invalid deprecation', () => {
  it.each<[string, unknown, RegExp]>([
    ['no options', undefined, /It is not an options object/],
    ['an unknown option', { since: SINCE, until: SUNSET }, /until/],
    ['no `since`', { sunset: SUNSET }, /`since` is undefined/],
    ['a `since` that is not a date', { since: 'July 2023' }, /ISO date/],
    ['a day that does not exist', { since: '2023-02-30' }, /ISO date/],
    ['a time without a zone', { since: '2023-02-20T10:00:00' }, /ISO date/],
    ['an invalid sunset', { since: SINCE, sunset: '2024' }, /`sunset` is 2024/],
    ['a sunset before `since`', { since: SINCE, sunset: '2023-06-30' }, /before `since`/],
    ['an end without a sunset', { since: SINCE, end: true }, /without `sunset`/],
    ['an `end` that is not a boolean', { since: SINCE, sunset: SUNSET, end: 1 }, /boolean/],
    ['a successor that is a URL', { since: SINCE, successor: 'https://a.example' }, /pass a path/],
    ['a successor with two slashes', { since: SINCE, successor: '//a.example' }, /pass a path/],
    ['a successor with a line break', { since: SINCE, successor: '/a\r\nX: 1' }, /pass a path/],
    [
      'a successor with an unknown parameter',
      { since: SINCE, successor: '/v2/:name' },
      /the parameter name/,
    ],
  ])('causes a boot error: %s', async (_, options, message) => {
    @Controller('wrong')
    class Wrong {
      @Deprecated(options as DeprecatedOptions) @Post(':id') write() {}
    }
    const [problem] = await bootProblems({ controllers: [Wrong] })
    expect(problem?.code).toBe('E_OPTION_INVALID')
    expect(problem?.cause).toMatch(message)
  })
})

describe('a valid deprecation', () => {
  it.each<[string, DeprecatedOptions]>([
    ['a sunset at the time of `since`', { since: SINCE, sunset: SINCE }],
    ['a time without seconds', { since: '2023-06-30T23:59Z' }],
    ['a time with an offset', { since: '2023-06-30T23:59:59+02:00', end: false }],
  ])('causes no boot error: %s', async (_, options) => {
    @Controller('right')
    class Right {
      @Deprecated(options) @Post() write() {}
    }
    expect(await bootWarnings({ controllers: [Right] })).toEqual([])
  })
})

describe('the callers of deprecated routes', () => {
  const scraper = { canActivate: (req: Request) => req.get('authorization') === 'Bearer m' }
  const authorized = ['--header', 'authorization: Bearer m']

  async function listening(metrics: NonNullable<AppOptions['metrics']>) {
    const app = await App.create({
      controllers: [Old],
      auth: { guard, default: 'protected' },
      logger: false,
      metrics,
    })
    onTestFinished(() => app.close())
    const { port } = await app.listen(0, '127.0.0.1')
    const base = `http://127.0.0.1:${port}`
    return {
      call: (path: string, headers: Record<string, string>) => fetch(base + path, { headers }),
      list: (...more: string[]) =>
        runInProcess(['deprecations', '--url', `${base}/metrics`, ...more], '/'),
    }
  }

  it('are listed by key and by user, with the last use', async () => {
    const { call, list } = await listening({ guard: scraper })
    await call('/v1/stays', { 'x-key': 'k1' })
    await call('/v1/stays', { 'x-user': 'ana' })
    await call('/v1/stays', { 'x-user': 'ana' })
    await call('/v1/orders/1', { 'x-user': 'cleo "\\' })
    // The guard refuses this request.
    await call('/v1/class', {})
    const { status, stdout, stderr } = await list(...authorized)
    const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
    expect([status, stdout.replace(time, 'T').split('\n').sort()]).toEqual([
      0,
      [
        '',
        '  key:k1  1  last T',
        '  no caller',
        '  no caller',
        `  user:${encodeURIComponent('cleo "\\')}  1  last T`,
        '  user:ana  2  last T',
        'GET /v1/class  since 2023-01-01',
        'GET /v1/orders/:id  since 2023-06-30  sunset 2024-06-30',
        'GET /v1/private  since 2023-01-01',
        'GET /v1/stays  since 2023-06-30  sunset 2024-06-30',
      ].sort(),
    ])
    expect(stderr).toContain(
      'Deprecated routes: 4. Without a caller since the application started: 2.',
    )
    const json = JSON.parse((await list(...authorized, '--json')).stdout)
    expect(json[0]).toMatchObject({ route: 'GET /v1/orders/:id', callers: [{ requests: 1 }] })
  })

  it('are anonymous if everyone can read the metrics', async () => {
    const { call, list } = await listening(true)
    await call('/v1/stays', { 'x-user': 'ana' })
    const { stdout } = await list()
    expect(stdout).toMatch(/^ {2}user {2}1 {2}last /m)
    expect(stdout).not.toContain('ana')
  })

  it('are limited to 900 users and 100 user agents per route', async () => {
    const app = await start({ metrics: { guard: scraper } })
    for (let i = 0; i < 150; i++)
      await app.fetch('/v1/stays', { headers: { 'user-agent': `agent ${i}` } })
    for (let i = 0; i < 950; i++) await app.fetch('/v1/private', { headers: { 'x-user': `u${i}` } })
    const headers = { authorization: 'Bearer m' }
    const text = await (await app.fetch('/metrics', { headers })).text()
    const counts = text.match(/^http_deprecated_requests_total\{.*$/gm) ?? []
    const of = (route: string) => counts.filter((line) => line.includes(`"GET ${route}"`))
    expect(of('/v1/stays')).toHaveLength(101)
    expect(of('/v1/stays')).toContainEqual(expect.stringMatching(/caller="other agents"\} 50$/))
    expect(of('/v1/private')).toHaveLength(901)
    expect(of('/v1/private')).toContainEqual(expect.stringMatching(/caller="other"\} 50$/))
  })

  it('cannot be listed without access to the metrics, and the reason is printed', async () => {
    const { list } = await listening({ guard: scraper })
    const { status, stderr } = await list()
    expect([status, stderr]).toEqual([1, expect.stringContaining('status 401')])
  })

  it('are counted over all workers of one application', () => {
    const line = (worker: number, kind: string, value: number) =>
      `http_deprecated_${kind}{route="GET /a",caller="user:1",worker="${worker}"} ${value}`
    const text = [
      'http_deprecated_since_seconds{route="GET /a",worker="1"} 1688169599',
      'http_deprecated_since_seconds{route="GET /a",worker="2"} 1688169599',
      line(1, 'requests_total', 2),
      line(2, 'requests_total', 3),
      line(1, 'last_request_seconds', 1_700_000_000),
      line(2, 'last_request_seconds', 1_600_000_000),
    ].join('\n')
    expect(deprecationsIn(text)).toEqual([
      {
        route: 'GET /a',
        since: '2023-06-30T23:59:59.000Z',
        sunset: null,
        callers: [{ caller: 'user:1', requests: 5, lastAt: '2023-11-14T22:13:20.000Z' }],
      },
    ])
  })
})
