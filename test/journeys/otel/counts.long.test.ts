import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { SpanKind } from '@opentelemetry/api'
import {
  App,
  type AppOptions,
  Auth,
  Body,
  Cache,
  Can,
  Controller,
  Get,
  JsonLines,
  Limits,
  Post,
  Produces,
  RateLimit,
  type Request,
  type Response,
  Sse,
  Use,
} from 'blazon'
import { otel } from 'blazon/otel'
import express from 'express'
import parse from 'parse-prometheus-text-format'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../../integrations/until.js'
import { rounds } from '../../rounds.js'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

/** As many requests as the promise is about, or fewer. */
const REQUESTS = rounds(2000, 400)
const WORKERS = 8

const waiting = gate()

@Controller('mix')
class MixController {
  @Get('plain') plain() {
    return { a: 1 }
  }

  @Get('items/:id') item(req: Request) {
    return { id: req.params['id'] }
  }

  @Post('save') @Body(z.object({ name: z.string() })) save() {
    return 'saved'
  }

  @Auth() @Get('own') own() {
    return 'own'
  }

  @Auth() @Can('rule') @Get('rule') rule() {
    return 'rule'
  }

  @RateLimit({ limit: 1, window: '1h' }) @Get('rare') rare() {
    return 'rare'
  }

  @Cache({ ttl: '1h' }) @Get('kept') kept() {
    return 'kept'
  }

  @Use((_req: Request, res: Response) => res.status(418).end())
  @Get('used')
  used() {
    return 'used'
  }

  @Produces('text/csv') @Get('table') table() {
    return []
  }

  @Get('stream') stream() {
    return Readable.from(['a', 'b'])
  }

  @Sse(z.number()) @Get('ticks') async *ticks() {
    yield 1
  }

  @JsonLines(z.number()) @Get('lines') async *lines() {
    yield 1
    throw new Error('a bug after the head')
  }

  @Get('bug') bug() {
    throw new Error('a bug')
  }

  @Limits({ timeout: '5ms' }) @Get('slow') async slow() {
    await waiting.opened
  }

  @Get('left') async left(req: Request) {
    req.socket.destroy()
    await turns(2)
    return 'nobody'
  }

  @Get('begun') begun(req: Request, res: Response) {
    res.write('a')
    req.socket.destroy()
  }
}

const JSON_HEAD = 'Content-Type: application/json'

/** A message of each kind, and what arrives: a status, or nothing. */
const KINDS: readonly (readonly [head: string, body: string, arrives: number | null])[] = [
  ['GET /mix/plain', '', 200],
  ['HEAD /mix/plain', '', 200],
  ['GET /mix/items/7?q=1', '', 200],
  ['GET /mix/kept', '', 200],
  ['GET /mix/stream', '', 200],
  ['GET /mix/ticks', '', 200],
  ['GET /mix/lines', '', 200],
  ['OPTIONS /mix/plain', '', 200],
  ['GET /mix/plain\nIf-None-Match: *', '', 304],
  [`POST /mix/save\n${JSON_HEAD}\nContent-Length: 2`, '{}', 400],
  [`POST /mix/save\n${JSON_HEAD}\nContent-Length: 2`, '{x', 400],
  ['GET /mix/%E0%A4%A', '', 400],
  ['GET /mix/plain\nHost: b', '', 400],
  ['GET /mix/own', '', 401],
  ['GET /mix/rule\nAuthorization: Bearer good', '', 403],
  ['GET /nowhere', '', 404],
  ['PUT /mix/plain', '', 405],
  ['PROPFIND /mix/plain', '', 405],
  ['GET /mix/table\nAccept: image/png', '', 406],
  [`POST /mix/save\n${JSON_HEAD}\nContent-Length: 99`, '', 413],
  ['POST /mix/save\nContent-Type: text/x\nContent-Length: 1', 'x', 415],
  ['GET /mix/plain\nExpect: magic', '', 417],
  ['GET /mix/used', '', 418],
  ['GET /mix/rare', '', 429],
  [`GET /mix/plain\n${'A: a\n'.repeat(40)}B: b`, '', 431],
  ['nonsense', '', 400],
  ['GET /mix/bug', '', 500],
  ['GET /mix/slow', '', 503],
  ['GET /mix/left', '', null],
  ['GET /mix/begun', '', null],
]

/**
 * The kinds that are none of an application below the path of a host: Node refuses them, or the application has no route and
 * passes them on.
 */
const OF_HOST = /^(?:nonsense|GET \/nowhere|PUT |PROPFIND |GET \/mix\/plain\nExpect)/

/** Sends a request on a connection of its own, and returns what arrives until the connection is closed. */
function send(port: number, head: string, body: string): Promise<string> {
  const [first, ...lines] = head.split('\n')
  const all = [`${first} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines]
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' })
    socket.setEncoding('latin1').on('data', (part) => {
      text += part
    })
    // A reset is what a destroyed connection can look like.
    socket.on('error', () => {}).on('close', () => resolve(text))
    socket.write(`${all.join('\r\n')}\r\n\r\n${body}`)
  })
}

type Counts = Record<string, number>

function count(counts: Counts, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']
const methodOf = (method: unknown) => (METHODS.includes(method as string) ? method : '_OTHER')
const classOf = (status: unknown) =>
  typeof status === 'number' ? `${Math.trunc(status / 100)}xx` : 'aborted'

const DURATION = 'http_server_request_duration_seconds'

/** The metrics of an application, as a scrape shows them. */
function countMetrics(counts: Counts, text: string): void {
  const lines = text.split('\n').filter((line) => line.startsWith(`${DURATION}_count{`))
  // The parser returns a family for each of these lines, or for several: parsed one by one, each line is a family.
  for (const [family] of lines.map((line) => parse(`${line}\n`))) {
    const [{ labels = {}, value } = { value: 'no number' }] = family?.metrics ?? []
    const { method, route = '', status } = labels
    const known = route.startsWith('(') ? '-' : route
    count(counts, `${method} ${known} ${status}`, Number(value))
  }
}

describe.skipIf(!isSupported)('a mix of requests', () => {
  let tracing: Tracing
  const logged: Record<string, unknown>[] = []
  const note = (facts: object) => {
    if ('ms' in facts) logged.push(facts as Record<string, unknown>)
  }
  const options: AppOptions = {
    controllers: [MixController],
    plugins: [otel()],
    auth: {
      guard: { canActivate: (req) => req.headers.authorization === 'Bearer good' },
      can: () => false,
    },
    logs: true,
    metrics: true,
    etag: true,
    limits: { body: 50, headers: 30 },
    logger: { info: note, warn: note, error: note },
  }

  beforeAll(() => {
    tracing = new Tracing()
  })
  afterAll(async () => {
    waiting.open()
    await tracing.end()
  })

  it(`results in equal numbers of log lines, metrics and spans: ${REQUESTS} requests`, async () => {
    const app = new App(options)
    const mounted = new App(options)
    const host = express()
    host.use('/api', mounted.handler)
    host.use((_req, res) => void res.status(204).end())
    const server = createServer(host).listen(0, '127.0.0.1')
    const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
    if (!server.listening) await once(server, 'listening')
    const { port: hostPort } = server.address() as AddressInfo

    const arrived = new Map<string, Set<string>>()
    let ofApplications = 0
    const one = async (index: number) => {
      const [head, body] = KINDS[index % KINDS.length] as (typeof KINDS)[number]
      const isHosted = Math.trunc(index / KINDS.length) % 4 === 3
      if (!isHosted || !OF_HOST.test(head)) ofApplications += 1
      const sent = isHosted ? head.replace(' /', ' /api/') : head
      const text = await send(isHosted ? hostPort : port, sent, body)
      if (isHosted) return
      const statuses = arrived.get(head + body) ?? new Set()
      arrived.set(head + body, statuses.add(text.slice(9, 12)))
    }
    let next = 0
    const work = async () => {
      while (next < REQUESTS) await one(next++)
    }
    await Promise.all(Array.from({ length: WORKERS }, work))
    const servers = () => tracing.ofKind(SpanKind.SERVER)
    await until(() => logged.length >= ofApplications)
    await turns()

    // Every kind has been what it is meant to be.
    for (const [head, body, status] of KINDS) {
      const seen = [...(arrived.get(head + body) ?? [])]
      if (status !== null)
        expect([head, seen]).toEqual([head, expect.arrayContaining([String(status)])])
    }

    const [log, spans, metrics]: [Counts, Counts, Counts] = [{}, {}, {}]
    for (const { method, route, status } of logged) {
      count(log, `${methodOf(method)} ${route ?? '-'} ${classOf(status)}`)
    }
    for (const { attributes } of servers()) {
      const { 'http.route': route = '-', 'http.response.status_code': status } = attributes
      count(spans, `${attributes['http.request.method']} ${route} ${classOf(status)}`)
    }
    const scrape = async (path: string, at: number) =>
      await (await fetch(`http://127.0.0.1:${at}${path}`)).text()
    countMetrics(metrics, await scrape('/metrics', port))
    countMetrics(metrics, await scrape('/api/metrics', hostPort))

    expect(logged).toHaveLength(ofApplications)
    expect(spans).toEqual(log)
    expect(metrics).toEqual(log)
    server.closeAllConnections()
    server.close()
    await Promise.all([app.close(), mounted.close()])
  })
})
