import type { PassThrough, Readable } from 'node:stream'
import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Cache,
  Controller,
  Get,
  Header,
  HttpCode,
  type Request,
  type Response as Res,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { onTestFinished } from 'vitest'

/** What the handlers return, and how often the cached one ran. */
export const handler: { make: () => unknown; calls: number } = { make: () => undefined, calls: 0 }

@Controller('values')
export class ValuesController {
  @Get() plain() {
    return handler.make()
  }
  @Get('sent') sent(_req: Request, res: Res) {
    res.json(handler.make())
  }
  @Get('later') async later() {
    return handler.make()
  }
  @HttpCode(201) @Get('made') made() {
    return handler.make()
  }
  @Header('Content-Type', 'text/event-stream') @Get('events') events() {
    return handler.make()
  }
  @ApiResponseDoc({ status: 200, description: 'A table', contentType: 'text/csv' })
  @Get('csv')
  csv() {
    return handler.make()
  }
  @ApiResponseDoc({ status: 200, schema: { type: 'object', properties: {} } })
  @Get('described')
  described() {
    return handler.make()
  }
  @ApiResponseDoc({ status: 200, raw: true }) @Get('image') image(_req: Request, res: Res) {
    res.type('image/png')
    return handler.make()
  }
  @ApiResponseDoc({ status: 200, contentType: 'text/csv' })
  @Get('no-image')
  noImage(_req: Request, res: Res) {
    res.type('image/png')
    return handler.make()
  }
  @ApiResponseDoc({ status: 200, description: 'Any JSON', raw: true })
  @Get('raw')
  raw() {
    return handler.make()
  }
  @Cache({ ttl: 60 }) @Get('cached') cached() {
    handler.calls++
    return handler.make()
  }
  @Get('both') both(_req: Request, res: Res) {
    res.json({ sent: true })
    return handler.make()
  }
  @Get('both-parts') bothParts(_req: Request, res: Res) {
    res.write('some ')
    setImmediate(() => res.end('bytes'))
    return handler.make()
  }
  @Get('piped') piped(_req: Request, res: Res) {
    const stream = handler.make() as Readable
    stream.pipe(res)
    return stream
  }
  @Get('begun') async begun(_req: Request, res: Res) {
    const stream = handler.make() as PassThrough
    stream.pipe(res)
    res.write('some ')
    return stream
  }
  @Get('ok') okay(_req: Request, res: Res) {
    return BaseController.prototype.ok(res, 'OK', handler.make())
  }
  @Get('aborted') async aborted(req: Request) {
    await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
    return handler.make()
  }
}

/** The errors that the application of the running test has logged. */
export const errors: { err: Error }[] = []
const logger = {
  info() {},
  warn() {},
  error: (facts: object) => void errors.push(facts as { err: Error }),
}

/** Starts an application with these routes until the test is finished. */
export async function start(options: AppOptions = {}): Promise<TestApp> {
  handler.make = () => undefined
  handler.calls = 0
  errors.length = 0
  const fixed = { controllers: [ValuesController], logger, contract: 'off' } as const
  const app = await TestApp.create({ ...fixed, ...options })
  onTestFinished(() => app.close())
  return app
}
