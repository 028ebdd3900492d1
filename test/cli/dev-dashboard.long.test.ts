import { describe, expect, it } from 'vitest'
import type { RequestView, RoutesView } from '../../src/cli/dev/dashboard/views.js'
import { Reader } from './dashboard/reader.js'
import { DevRun, devProject, freePort, MAIN } from './dev-run.js'
import { useFastTsx } from './use-fast-tsx.js'

const READY = 'blazon dev: ready'

/** An application with a guard, secrets, a cache, a limit, a warning at boot, and handlers that fail. */
const SHOP = `
import { ApiResponseDoc, App, Auth, Body, Cache, Controller, Get, Post, Public, Query, RateLimit, secret } from 'blazon'
import { z } from 'zod'

class TokenGuard {
  canActivate(req) {
    req.user = { id: 'ada' }
    return req.get('authorization') === 'Bearer ' + process.env.GUARD_TOKEN
  }
}

@Controller('orders')
class Orders {
  @Get()
  @Public()
  @Query(z.object({ token: z.string().optional(), status: z.string().optional() }))
  list() { return [{ id: 1 }] }

  @Post()
  @Auth()
  @Body(z.object({ name: z.string(), card: secret(z.string()) }))
  create(req) { return { name: req.body.name } }

  @Get('wrong')
  @Public()
  @ApiResponseDoc({ status: 200, description: 'An order', schema: z.object({ total: z.number() }) })
  wrong(req) { return { total: 'twelve ' + req.query.token } }

  @Get('broken')
  @Public()
  broken() { throw new TypeError('It is broken') }
}

const app = new App({ controllers: [Orders], auth: { guard: TokenGuard } })
await app.listen(Number(process.env.PORT))
`

async function serving(args: readonly string[] = [], files: Record<string, string> = {}) {
  const project = useFastTsx(devProject({ 'shop.ts': SHOP, 'tsconfig.json': '{}', ...files }))
  project.install('zod', new URL('../../node_modules/zod', import.meta.url).pathname)
  const entry = ['--entry', 'shop.ts']
  const env = { GUARD_TOKEN: 'canary-guard-token' }
  const run = await DevRun.start(project, { args: [...entry, ...args], env })
  const output = await run.until(READY)
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(output) ?? []
  return { project, run, output, url }
}

describe('the dashboard', () => {
  it('shows the routes of the running process, and its requests with their decisions', async () => {
    const { run, url } = await serving()
    const reader = new Reader(url)
    await run.ask('/orders?status=open')
    const view = await reader.find('GET', /status=open/)
    expect(view.record).toMatchObject({ status: 200, route: { name: 'Orders.list' } })
    expect(view.timeline.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['validation: passed', 'handler']),
    )
    const routes = await reader.read<RoutesView>('/data/routes')
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toContain('POST /orders')
    expect(routes[view.route ?? -1]).toMatchObject({ method: 'GET', path: '/orders' })
    expect(routes[0]?.decorators[0]?.at?.file).toBe('shop.ts')
    expect((await reader.snapshot()).state).toEqual({ phase: 'serving', failure: null })
  })

  it('keeps its requests and its address when the application restarts', async () => {
    const { project, run, url } = await serving()
    const reader = new Reader(url)
    await run.ask('/orders?status=before')
    await reader.find('GET', /before/)
    project.write({ 'shop.ts': SHOP.replace("'broken'", "'damaged'") })
    await run.until(READY)
    await run.ask('/orders?status=after')
    await reader.find('GET', /after/)
    const { requests } = await reader.snapshot()
    expect(requests.map((each) => each.url)).toEqual([
      '/orders?status=before',
      '/orders?status=after',
    ])
    const paths = async () =>
      (await reader.read<RoutesView>('/data/routes')).map(({ path }) => path)
    // The application reports its routes while it already responds.
    await expect.poll(paths).toContain('/orders/damaged')
    expect(await paths()).not.toContain('/orders/broken')
  })

  it('shows that the application has failed to start', async () => {
    const { project, run, url } = await serving()
    project.write({ 'shop.ts': `throw new Error('no database')\n${SHOP}` })
    await run.until('is still running')
    const { state } = await new Reader(url).snapshot()
    expect(state.phase).toBe('failed')
    expect(state.failure).toMatch(/did not start: .* status 1\. The last .* is still running\.$/)
  })

  it('shows differences between responses and the document, without secrets', async () => {
    const { run, url } = await serving()
    const reader = new Reader(url)
    await run.ask('/orders?status=open')
    await run.ask('/orders/wrong?token=canary-query-90aa')
    const { mismatches, row } = await reader.find('GET', /wrong/)
    expect(mismatches).toMatchObject([
      { operation: 'GET /orders/wrong', handler: 'Orders.wrong', kind: 'body', path: 'data.total' },
    ])
    expect(JSON.stringify(mismatches)).not.toContain('canary')
    expect(row.notes).toEqual(['contract'])
    expect((await reader.snapshot()).requests.map(({ notes }) => notes)).toEqual([[], ['contract']])
  })
})

describe('secrets', () => {
  const CANARIES = {
    bearer: 'canary-bearer-81f3',
    cookie: 'canary-cookie-22b7',
    query: 'canary-query-90aa',
    card: 'canary-card-4c1d',
    key: 'canary-key-6e6e',
    basic: 'canary-basic-77d0',
  }

  it('never reach the dashboard: credentials, cookies, tokens in a query, fields of secret()', async () => {
    const { run, url } = await serving()
    const reader = new Reader(url)
    const target = `http://127.0.0.1:${run.port}`
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Ada', card: CANARIES.card })
    const sent: [string, RequestInit][] = [
      [`/orders?token=${CANARIES.query}`, { headers: { cookie: `sid=${CANARIES.cookie}` } }],
      [
        '/orders',
        { method: 'POST', body, headers: { ...json, authorization: `Bearer ${CANARIES.bearer}` } },
      ],
      [
        '/orders',
        { method: 'POST', body, headers: { ...json, authorization: 'Bearer canary-guard-token' } },
      ],
      [
        '/orders',
        {
          method: 'POST',
          body: body.replace('"name"', '"nom"'),
          headers: { ...json, authorization: 'Bearer canary-guard-token' },
        },
      ],
      ['/orders/broken', { headers: { 'x-api-key': CANARIES.key } }],
      ['/orders/broken', { headers: { authorization: `Basic ${btoa(`ada:${CANARIES.basic}`)}` } }],
      [
        `/nowhere?api_key=${CANARIES.query}`,
        { headers: { referer: `http://x.test/?token=${CANARIES.query}` } },
      ],
    ]
    for (const [path, init] of sent) await fetch(target + path, init)
    await expect.poll(async () => (await reader.snapshot()).requests.length).toBe(sent.length)
    const { requests } = await reader.snapshot()
    const views = await Promise.all(
      requests.map(({ number }) => reader.read<RequestView>(`/data/requests/${number}`)),
    )
    const shown = JSON.stringify([await reader.snapshot(), views])
    const found = Object.values({ ...CANARIES, guard: 'canary-guard-token' }).filter(
      (canary) => shown.includes(canary) || shown.includes(btoa(`ada:${canary}`)),
    )
    expect(found).toEqual([])
    // The rest is there.
    expect(shown).toContain('It is broken')
    expect(views[1]?.curl).toContain('-H "authorization: Bearer $AUTHORIZATION"')
    expect(views[2]?.curl).toContain(`"card":"'"$CARD"'"`)
    expect(views[0]?.curl).toContain('token=$TOKEN"')
  })
})

describe('the dashboard options', () => {
  it('set the port of the dashboard', async () => {
    const port = await freePort()
    const { url } = await serving(['--dashboard-port', String(port)])
    expect(new URL(url).port).toBe(String(port))
  })

  it('disable the dashboard, and the application then records nothing', async () => {
    const probe = `
      import { createServer } from 'node:http'
      const keys = ['blazon.decorators', 'blazon.report'].filter((key) => Symbol.for(key) in globalThis)
      createServer((req, res) => res.end(JSON.stringify([keys, process.env.BLAZON_DEV_REPORT ?? null])))
        .listen(Number(process.env.PORT))`
    const project = devProject({ 'main.js': probe })
    const run = await DevRun.start(project, { args: ['--no-dashboard'] })
    expect(await run.until(READY)).not.toContain('dashboard')
    expect(JSON.parse((await run.ask()).text)).toEqual([[], null])
    const other = await DevRun.start(project)
    await other.until(READY)
    expect(JSON.parse((await other.ask()).text)).toEqual([
      ['blazon.decorators', 'blazon.report'],
      null,
    ])
  })

  it('are refused, with a remedy in the message, if the port is already in use', async () => {
    const { url } = await serving()
    const { port } = new URL(url)
    const run = await DevRun.start(devProject({ 'main.js': MAIN }), {
      args: ['--dashboard-port', port],
    })
    expect(await run.ended).toEqual([2, null])
    expect(run.output).toContain(`The dashboard cannot listen on port ${port}.`)
    expect(run.output).toContain('--no-dashboard')
  })
})
