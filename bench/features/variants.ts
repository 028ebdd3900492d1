// One route, several times: as it is, and with one feature each.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  NodeTracerProvider,
  ParentBasedSampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import type { AppOptions, Request, Response } from 'blazon'
import {
  App,
  BaseController,
  Cache,
  Controller,
  defineControllers,
  Get,
  inject,
  Outgoing,
} from 'blazon'
import { otel } from 'blazon/otel'
import { findUser } from '../orders.mjs'
import { announce, workload } from './serve.mjs'

@Controller('users')
class UsersController extends BaseController {
  @Get(':id')
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

@Controller('users')
class CachedController extends BaseController {
  @Get(':id')
  @Cache({ ttl: '1h', key: (req) => `users:${req.params.id}` })
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

/** Responds to each request, in a thread of its own, because only the main thread is counted. Resolves with its URL. */
async function startOther(): Promise<string> {
  const program = `const server = require('node:http').createServer((req, res) => res.end('{}'))
    server.keepAliveTimeout = 0
    server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`
  const other = new Worker(program, { eval: true })
  other.unref()
  const [port] = await once(other, 'message')
  return `http://127.0.0.1:${port}/`
}

/** Calls another server, as it is said, before it responds. */
function callingController(
  url: string,
  callerOf: () => (url: string, req: Request) => Promise<globalThis.Response>,
) {
  @Controller('users')
  class CallingController extends BaseController {
    private readonly call = callerOf()

    @Get(':id')
    async getById(req: Request, res: Response) {
      const response = await this.call(url, req)
      await response.text()
      return this.ok(res, 'User found', findUser(req.params.id))
    }
  }
  return { ...plain, controllers: defineControllers(CallingController) }
}

/** Drops each span: what an exporter costs is its own. */
const drop: SpanProcessor = {
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
}

/** Starts the SDK of OpenTelemetry, as an application does. */
function trace(isSampled: boolean): AppOptions {
  const root = isSampled ? new AlwaysOnSampler() : new AlwaysOffSampler()
  const sampler = new ParentBasedSampler({ root })
  new NodeTracerProvider({ sampler, spanProcessors: [drop] }).register()
  return { ...plain, plugins: [otel()] }
}

const plain = { controllers: defineControllers(UsersController), security: { helmet: false } }

const variants: Record<string, () => AppOptions | Promise<AppOptions>> = {
  plain: () => plain,
  tenant: () => ({ ...plain, tenant: {} }),
  cache: () => ({ ...plain, controllers: defineControllers(CachedController) }),
  limit: () => ({ ...plain, rateLimit: { limit: 1_000_000_000, window: '1h' } }),
  ids: () => ({ ...plain, requestIds: true }),
  logs: () => ({ ...plain, logs: true }),
  metrics: () => ({ ...plain, metrics: true }),
  unsampled: () => trace(false),
  sampled: () => trace(true),
  fetch: async () => callingController(await startOther(), () => (url) => fetch(url)),
  signal: async () =>
    callingController(await startOther(), () => (url, req) => fetch(url, { signal: req.signal })),
  outgoing: async () =>
    callingController(await startOther(), () => {
      const outgoing = inject(Outgoing)
      return (url) => outgoing(url)
    }),
}

const options = await variants[workload as string]?.()
const app = new App(options?.logs ? options : { ...options, logger: false })
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
