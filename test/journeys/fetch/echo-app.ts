import { Readable } from 'node:stream'
import {
  App,
  type AppOptions,
  Auth,
  BaseController,
  Body,
  Cache,
  Can,
  Controller,
  Delete,
  Get,
  getTenantId,
  NotFoundError,
  Post,
  Put,
  Query,
  type Req,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import cookieParser from 'cookie-parser'
import express from 'express'
import { z } from 'zod'

const Thing = z.object({ name: z.string(), amount: z.coerce.number().default(1) })
const Page = z.object({
  page: z.coerce.number().int().default(1),
  tag: z.array(z.string()).optional(),
})

@Controller('things')
class ThingsController extends BaseController {
  #calls = 0

  @Get()
  @Query(Page)
  list({ query }: Req<{ query: typeof Page }>) {
    return query
  }

  @Get('by-name/:name')
  byName({ params, path, originalUrl }: Request) {
    return { name: params['name'], path, originalUrl }
  }

  @Post()
  @Body(Thing)
  add({ body }: Req<{ body: typeof Thing }>, res: Response) {
    return this.ok(res, 'Added', body, 201)
  }

  @Put('raw')
  async raw(req: Request) {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    return { text: Buffer.concat(chunks).toString() }
  }

  @Delete()
  async clear(req: Request) {
    let bytes = 0
    for await (const chunk of req) bytes += (chunk as Buffer).length
    return { bytes }
  }

  @Get('cookies')
  cookies({ cookies }: Request, res: Response) {
    res.cookie('a', '1').cookie('b', '2', { httpOnly: true })
    return cookies
  }

  @Auth()
  @Get('secret')
  secret({ user }: Request) {
    return user
  }

  @Can('rule')
  @Get('forbidden')
  forbidden() {
    return 'never'
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  cached() {
    this.#calls += 1
    return { calls: this.#calls }
  }

  @Tenant()
  @Get('owned')
  owned() {
    return { tenant: getTenantId() }
  }

  @Get('moved')
  moved(_: Request, res: Response) {
    res.redirect('/things')
  }

  @Get('none')
  none(_: Request, res: Response) {
    res.status(204).end()
  }

  @Get('reset-content')
  resetContent(_: Request, res: Response) {
    res.status(205).end()
  }

  @Get('strange')
  strange(_: Request, res: Response) {
    res.statusMessage = 'Quite fine'
    res
      .status(299)
      .set('X-Latin', 'caf\u00e9')
      .append('X-Many', '1')
      .append('X-Many', '2')
      .end('odd')
  }

  @Get('bytes')
  bytes() {
    return Buffer.from([0, 255, 128])
  }

  @Get('stream')
  stream(_: Request, res: Response) {
    Readable.from(['one,', Buffer.from('two,'), 'three']).pipe(res.type('text/plain'))
  }

  @Get('returned')
  returned() {
    return new globalThis.Response('made', { status: 203, headers: { 'x-made': 'yes' } })
  }

  @Get('trailers')
  trailers(_: Request, res: Response) {
    res.setHeader('Trailer', 'X-Sum')
    res.write('body')
    res.addTrailers({ 'X-Sum': '1' })
    res.end()
  }

  @Get('hints')
  hints(_: Request, res: Response) {
    res.writeEarlyHints({ link: '</style.css>; rel=preload' })
    res.send('hinted')
  }

  @Get('file')
  file(_: Request, res: Response) {
    res.sendFile(new URL('./echo-app.ts', import.meta.url).pathname)
  }

  @Get('missing')
  missing() {
    throw new NotFoundError('No such thing', { headers: { 'X-Why': 'gone' } })
  }

  @Get('broken')
  broken() {
    throw new Error('not for clients')
  }

  @Get('client')
  client({ ip, protocol, secure, hostname, socket, method }: Request) {
    const { remoteAddress = null, remoteFamily = null } = socket
    return { ip, protocol, secure, hostname, remoteAddress, remoteFamily, method }
  }
}

/** The lines of the request log, without what differs in each run. */
export type Lines = Record<string, unknown>[]

/** An application that uses most of the pipeline. */
export function echoApp(lines: Lines, options: AppOptions = {}): App {
  return new App({
    controllers: [ThingsController],
    middlewares: [cookieParser(), express.urlencoded()],
    auth: {
      guard: {
        async canActivate(req: Request) {
          req.user = { id: 'ann', roles: [] }
          return req.get('authorization') === 'Bearer right'
        },
      },
    },
    tenant: {},
    logs: true,
    logger: {
      info: (facts, message) => void lines.push({ message, ...steady(facts) }),
      warn: () => {},
      error: (facts, message) => void lines.push({ message, ...steady(facts) }),
    },
    requestIds: true,
    trustRequestId: true,
    health: true,
    etag: true,
    limits: { body: 2000 },
    trustProxy: 'loopback',
    ...options,
  })
}

/** Removes what differs in each run: times, ids, stacks. */
function steady(facts: object): Record<string, unknown> {
  const kept = Object.entries(facts).filter(([, value]) => typeof value !== 'object')
  return Object.fromEntries(kept.filter(([name]) => !/(ms|time|id|trace)$/i.test(name)))
}
