import { EventEmitter } from 'node:events'
import {
  App,
  type AppOptions,
  BadRequestError,
  Body,
  Controller,
  type ErrorRequestHandler,
  Get,
  getTenantId,
  type Logger,
  Post,
  type Request,
  type RequestHandler,
  type Response,
  Tenant,
} from 'blazon'
import express from 'express'
import multer from 'multer'
import { afterEach } from 'vitest'
import { z } from 'zod'
import { pool, shortly, useWays, WAYS } from './ways.js'

/** The number of requests that never get a response. */
export let waiting = 0

const Note = z.object({ text: z.string() })

@Tenant()
@Controller('ways')
class WaysController {
  @Get('back/:way')
  async back(req: Request) {
    await shortly()
    const found = await (WAYS[req.params.way] as () => Promise<string | undefined>)()
    return { found, after: getTenantId() }
  }

  @Post('validated')
  @Body(Note)
  async validated(req: Request) {
    const before = getTenantId()
    await shortly()
    return { found: before, after: getTenantId(), text: req.body.text }
  }

  @Post('left')
  left(req: Request) {
    return { found: getTenantId(), after: getTenantId(), seen: req.headers['x-seen'] }
  }

  @Get('raw')
  raw(req: Request, res: Response) {
    const seen: (string | undefined)[] = []
    const look = () => void seen.push(getTenantId())
    req.on('data', look).once('end', look)
    req.on('end', () => {
      const [found] = new Set(seen).size === 1 ? seen : []
      res.json({ data: { found, after: getTenantId() } })
    })
  }

  @Get('fails')
  async fails(_req: Request, _res: Response, next: (error: unknown) => void) {
    await shortly()
    // This runs in the scope of the code that released the pool.
    pool.acquire((release) => {
      next(new BadRequestError('No'))
      setImmediate(release)
    })
    await new Promise(() => {})
  }

  @Get('elsewhere')
  async elsewhere(_req: Request, res: Response) {
    await shortly()
    const found = getTenantId()
    // Ends the response in the scope of the code that released the pool.
    pool.acquire((release) => {
      res.json({ data: { found, after: found } })
      setImmediate(release)
    })
  }

  @Get('waits')
  async waits(req: Request) {
    req.signal.addEventListener('abort', () => {
      lines.push({ what: 'abort', request: req.get('x-tenant-id'), written: getTenantId() })
    })
    waiting++
    await new Promise(() => {})
  }

  @Get('throws')
  async throws() {
    await shortly()
    throw new Error('unexpected')
  }
}

/** A line of a log: the tenant of the request, and the tenant of the scope in which the line was written. */
export interface Line {
  readonly what: string
  readonly request: string | undefined
  readonly written: string | undefined
}

export let lines: Line[] = []
export const logger: Logger = {
  info() {},
  warn() {},
  error: (facts) => {
    const { tenant } = facts as { tenant?: string }
    lines.push({ what: 'failure', request: tenant, written: getTenantId() })
  },
}

const accessLog: RequestHandler = (req, res, next) => {
  for (const event of ['finish', 'close']) {
    res.on(event, () => {
      lines.push({ what: event, request: req.get('x-tenant-id'), written: getTenantId() })
    })
  }
  next()
}

const noteError: ErrorRequestHandler = (error, req, _res, next) => {
  lines.push({ what: 'error', request: req.get('x-tenant-id'), written: getTenantId() })
  next(error)
}

/** Reads a body, and calls next() in the event of its end. */
export const readRaw: RequestHandler = (req, _res, next) => {
  if (req.get('x-read') !== 'raw') return next()
  req.resume()
  // Adds the listener directly on the stream, like a parser without support for async contexts.
  EventEmitter.prototype.on.call(req, 'end', () => {
    req.headers['x-seen'] = getTenantId()
    next()
  })
}

/** Calls next() in the scope of the code that released the pool. */
export const waitForPool: RequestHandler = (req, _res, next) => {
  if (req.get('x-read') !== 'pool') return next()
  pool.acquire((release) => {
    next()
    setTimeout(release, Math.random())
  })
}

const only = (kind: string, middleware: RequestHandler): RequestHandler => {
  return (req, res, next) => (req.get('x-read') === kind ? middleware(req, res, next) : void next())
}

let app: App | undefined
export let port = 0

/** @param isTold Whether the application reads the tenant header itself. */
export async function start(options: AppOptions = {}, isTold = true): Promise<void> {
  app = new App({
    ...(isTold ? { tenant: {} } : {}),
    controllers: [WaysController],
    middlewares: [
      accessLog,
      readRaw,
      waitForPool,
      only('json', express.json()),
      only('text', express.text({ type: '*/*' })),
      only('files', multer({ storage: multer.memoryStorage() }).any()),
      noteError,
    ],
    logger,
    security: { helmet: false },
    ...options,
  })
  port = (await app.listen(0, '127.0.0.1')).port
}

/** Closes the application and resets this state after each test of the file that calls it. */
export function useWaysApp(): void {
  useWays()
  afterEach(async () => {
    await app?.close()
    lines = []
    waiting = 0
  })
}
