import { Readable } from 'node:stream'
import {
  App,
  type AppOptions,
  Auth,
  BadRequestError,
  Body,
  Cache,
  Can,
  Controller,
  Get,
  Params,
  Post,
  RateLimit,
  type Request,
  type Response,
  Sse,
  secret,
  Tenant,
  Use,
} from 'blazon'
import { otel } from 'blazon/otel'
import { afterEach, beforeEach } from 'vitest'
import { z } from 'zod'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { rawExchange } from '../wire/raw-exchange.js'
import { work } from './tracing.js'

/** The gates of the handlers that wait. */
export const gates = { entered: gate(), released: gate() }

/** A route for each part of a request. */
@Controller('letters')
export class LettersController {
  @Get() list() {
    return work('query', () => [])
  }

  @Get('slow') async slow() {
    gates.entered.open()
    await gates.released.opened
    return work('late', () => 'slow')
  }

  @Get('broken') broken() {
    throw new TypeError('no ink')
  }

  @Get('refused') refused() {
    throw new BadRequestError('no stamp')
  }

  @Get('stream') stream() {
    return Readable.from(['a', 'b'])
  }

  @Sse(z.number()) @Get('ticks') async *ticks() {
    yield work('first', () => 1)
    yield 2
  }

  @Cache({ ttl: 60 }) @Get('cached') cached() {
    return 'cached'
  }

  @RateLimit({ limit: 1, window: '1m' }) @Get('rare') rare() {
    return 'rare'
  }

  @Use(async (_req: Request, _res: Response, next: () => void) => {
    await turns(1)
    work('used', next)
  })
  @Get('used')
  used() {
    return 'used'
  }

  @Tenant()
  @Auth()
  @Can('write')
  @Body(z.object({ text: z.string() }))
  @Post('write')
  async write() {
    await turns(2)
    return work('insert', () => 'written')
  }

  @Get('background') background() {
    void turns(20).then(() => work('background', () => gates.entered.open()))
    return 'started'
  }

  @Params(z.object({ token: secret(z.string()) })) @Get('reset/:token') reset(req: Request) {
    throw new RangeError(`The token ${req.params['token']} is not known`)
  }

  @Get(':id') one(req: Request) {
    return { id: req.params['id'] }
  }
}

const guard = {
  async canActivate(req: Request) {
    await turns(1)
    return work('find user', () => {
      req.user = { id: 'u1' }
      return req.headers.authorization === 'Bearer good'
    })
  },
}

/** Starts traced applications, and closes them after each test. Call it once in a file. */
export function tracedApps() {
  let cleanups: (() => unknown)[] = []
  beforeEach(() => {
    Object.assign(gates, { entered: gate(), released: gate() })
    cleanups = []
  })
  afterEach(async () => {
    gates.released.open()
    for (const cleanup of cleanups.reverse()) await cleanup()
  })
  return {
    /** Does something after the test, the last first. */
    after: (cleanup: () => unknown) => void cleanups.push(cleanup),
    async serve(options: AppOptions = {}): Promise<{ app: App; port: number }> {
      const app = new App({
        controllers: [LettersController],
        plugins: [otel()],
        auth: { guard, can: () => true },
        tenant: { authorize: async () => work('find membership', () => true) },
        logger: false,
        etag: true,
        ...options,
      })
      const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
      cleanups.push(() => app.close())
      return { app, port }
    },
  }
}

/** Sends one request on a connection of its own, and returns the bytes that arrive. */
export function send(port: number, head: string, body = ''): Promise<string> {
  const [first, ...lines] = head.split('\n')
  const all = [`${first} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines]
  return rawExchange(port, `${all.join('\r\n')}\r\n\r\n${body}`)
}

/** Two of the routes, without access. */
@Controller('letters')
export class Plain {
  @Post('write') @Body(z.object({ text: z.string() })) write() {
    return 'written'
  }

  @Get('write') read() {
    return 'read'
  }
}
