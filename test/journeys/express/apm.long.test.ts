import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Project } from '../../cli/project.js'
import { root } from '../../root.js'
import { send } from './support.js'

const SCOPES = ['@opentelemetry', '@sentry']
const installed = SCOPES.flatMap((scope) =>
  readdirSync(join(root, 'node_modules', scope)).map((name) => `${scope}/${name}`),
)
const project = new Project(['express', ...installed])
afterAll(() => project.remove())

const OPEN_TELEMETRY = `
  import { register } from 'node:module'
  import { registerInstrumentations } from '@opentelemetry/instrumentation'
  import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
  import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
  import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  const exporter = new InMemorySpanExporter()
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
  const withExpress = process.env.INSTRUMENTED === 'http and express'
  registerInstrumentations({
    instrumentations: [new HttpInstrumentation(), ...(withExpress ? [new ExpressInstrumentation()] : [])],
  })
  const SERVER = 1
  globalThis.told = async () =>
    exporter.getFinishedSpans()
      .filter(({ kind }) => kind === SERVER)
      .map(({ name, attributes }) => ({ name, route: attributes['http.route'] ?? null }))
`

const SENTRY = `
  import * as Sentry from '@sentry/node'

  const told = []
  const note = ([{ type }, item]) => {
    if (type === 'transaction') told.push({ name: item.transaction, route: item.contexts.trace.data['http.route'] ?? null })
    if (type === 'event') told.push({ error: item.exception.values[0].value, name: item.transaction })
    if (type === 'span') for (const span of item.items.filter((each) => each.is_segment)) {
      told.push({ name: span.name, route: span.attributes['http.route']?.value ?? null })
    }
  }
  Sentry.init({
    dsn: 'http://key@127.0.0.1:9/1',
    tracesSampleRate: 1,
    traceLifecycle: process.env.LIFECYCLE,
    transport: () => ({
      send: async ([, items]) => (items.forEach(note), {}),
      flush: async () => true,
    }),
  })
  globalThis.middlewares = [Sentry.expressErrorHandler()]
  globalThis.told = async () => (await Sentry.flush(), told)
`

const APPLICATION = `
  import { All, App, Controller, Get, Post } from 'blazon'
  import express from 'express'

  @Controller('u')
  class UsersController {
    @Get()
    list() { return [] }

    @Get('now!')
    now() { return [] }

    @Get(':id')
    get(req) { return { id: req.params.id } }

    @Post(':id/fail')
    fail() { throw new Error('out of order') }

    @All('files/*path')
    file(req) { return { path: req.params.path } }
  }

  @Controller()
  class RootController {
    @Get()
    index() { return {} }
  }

  const create = () => new App({
    controllers: [UsersController, RootController],
    middlewares: [express.Router().use('/u', (_req, _res, next) => next()), ...(globalThis.middlewares ?? [])],
    logger: false,
  })
  const app = create()
  const { port } = await app.listen(0, '127.0.0.1')
  const mounted = create()
  const host = express()
  host.use('/of/:tenant', express.Router().use('/api', mounted.handler))
  const server = host.listen(0, '127.0.0.1', () => process.send({ port, hostPort: server.address().port }))
  process.on('message', async () => process.send(await globalThis.told()))
`

interface Told {
  readonly name: string
  readonly route?: string | null
  readonly error?: string
}

/** The application in its own process, started with --import, as in production. */
class Traced {
  port = 0
  hostPort = 0
  readonly #child: ChildProcess

  constructor(instrument: string, env: Record<string, string>) {
    const tsconfigRaw = {
      compilerOptions: { experimentalDecorators: process.env['BLAZON_DIALECT'] === 'legacy' },
    }
    const { code } = transformSync(APPLICATION, { loader: 'ts', target: 'es2022', tsconfigRaw })
    project.write({ 'instrument.mjs': instrument, 'app.mjs': code })
    this.#child = fork('./app.mjs', {
      cwd: project.folder,
      execArgv: ['--import', './instrument.mjs'],
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    })
  }

  async started(): Promise<void> {
    const [ports] = await once(this.#child, 'message')
    Object.assign(this, ports)
  }

  /** All spans and errors so far. Waits for at least `count`, because they may arrive after the responses. */
  async told(count: number): Promise<readonly Told[]> {
    for (;;) {
      this.#child.send('told')
      const [list] = await once(this.#child, 'message')
      if (list.length >= count) return list
    }
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }
}

interface Asked {
  readonly method?: string
  readonly path: string
  /** Send the request to the host application that mounts the other one. */
  readonly isHosted?: true
}

/** Sends requests one after the other, and returns their spans and errors. */
async function spansOf(traced: Traced, requests: readonly Asked[]): Promise<readonly Told[]> {
  const { length } = await traced.told(0)
  for (const [index, { isHosted, ...message }] of requests.entries()) {
    await send(isHosted ? traced.hostPort : traced.port, message)
    await traced.told(length + index + 1)
  }
  return (await traced.told(0)).slice(length)
}

describe.each(['http', 'http and express'])('OpenTelemetry with instrumentation of %s', (of) => {
  let traced: Traced
  beforeAll(async () => {
    traced = new Traced(OPEN_TELEMETRY, { INSTRUMENTED: of })
    await traced.started()
  })
  afterAll(() => traced.end())

  it('receives the pattern of each route', async () => {
    const told = await spansOf(traced, [
      { path: '/u/7?q=1' },
      { path: '/u' },
      { path: '/' },
      { path: '/U/7/', method: 'HEAD' },
      { path: '/u/7/fail', method: 'POST' },
      { path: '/u/files/a/b', method: 'PATCH' },
      { path: '/api-docs' },
    ])
    expect(told).toEqual([
      { name: 'GET /u/:id', route: '/u/:id' },
      { name: 'GET /u', route: '/u' },
      { name: 'GET /', route: '/' },
      { name: 'HEAD /u/:id', route: '/u/:id' },
      { name: 'POST /u/:id/fail', route: '/u/:id/fail' },
      { name: 'PATCH /u/files/*path', route: '/u/files/*path' },
      { name: 'GET /api-docs', route: '/api-docs' },
    ])
  })

  it('receives no route if no route matches', async () => {
    const told = await spansOf(traced, [{ path: '/none/7' }, { path: '/', method: 'DELETE' }])
    expect(told).toEqual([
      { name: 'GET', route: null },
      { name: 'DELETE', route: null },
    ])
  })

  it('receives the mount path before the route, as a pattern if Express is instrumented', async () => {
    const base = of === 'http' ? '/of/acme/api' : '/of/:tenant/api'
    const told = await spansOf(traced, [
      { isHosted: true, path: '/of/acme/api/u/7' },
      { isHosted: true, path: '/of/acme/api' },
    ])
    expect(told).toEqual([
      { name: `GET ${base}/u/:id`, route: `${base}/u/:id` },
      { name: `GET ${base}`, route: base },
    ])
  })
})

describe.each(['static', 'stream'])('Sentry with the trace lifecycle %s', (lifecycle) => {
  let traced: Traced
  beforeAll(async () => {
    traced = new Traced(SENTRY, { LIFECYCLE: lifecycle })
    await traced.started()
  })
  afterAll(() => traced.end())

  it('receives the pattern of each route', async () => {
    const told = await spansOf(traced, [
      { path: '/u/7?q=1' },
      { path: '/u' },
      { path: '/' },
      { path: '/u/files/a/b', method: 'PATCH' },
      { path: '/u/now!' },
      { isHosted: true, path: '/of/acme/api/u/7' },
    ])
    expect(told).toEqual([
      { name: 'GET /u/:id', route: '/u/:id' },
      { name: 'GET /u', route: '/u' },
      { name: 'GET /', route: '/' },
      { name: 'PATCH /u/files/*path', route: '/u/files/*path' },
      { name: 'GET /u/now\\!', route: '/u/now\\!' },
      { name: 'GET /of/:tenant/api/u/:id', route: '/of/:tenant/api/u/:id' },
    ])
  })

  it('receives the pattern of the route in which an error occurred', async () => {
    const told = await spansOf(traced, [{ method: 'POST', path: '/u/7/fail' }])
    expect(told).toContainEqual({ error: 'out of order', name: 'POST /u/:id/fail' })
  })
})
