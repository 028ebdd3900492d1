// Requests of many tenants at once, and a look at every byte of what comes back.
import { connect, type Socket } from 'node:net'

/** How much is sent, and what must come back. */
export interface TrafficOptions {
  readonly port: number
  /** Most requests. */
  readonly requests: number
  /** Sends no more once it answers with true. */
  readonly isOver?: () => boolean
  /** Default 50. */
  readonly tenants?: number
  /** How many requests are under way at once. Default 64. */
  readonly connections?: number
  /** Decides what is asked. Default 1. */
  readonly seed?: number
  /** One of so many requests is of a tenant that was never heard of; 0 for none. Default 20. */
  readonly strangers?: number
  /** The text that only a tenant's answers may hold. */
  readonly canaryOf: (tenant: string) => string
}

/** What has come back. */
export interface TrafficReport {
  /** Answers, by `GET /plain 200`. */
  readonly answers: ReadonlyMap<string, number>
  readonly requests: number
  /** Answers from the cache. */
  readonly hits: number
  /** Requests whose connection was cut by their client. */
  readonly aborted: number
  /** Distinct tenants that were never heard of before. */
  readonly strangers: number
  /** Bytes of other tenants' canaries. */
  readonly foreignBytes: number
  /** Answers without a canary of their own tenant. */
  readonly unmarked: number
}

type Counts = { -readonly [K in keyof TrafficReport]: TrafficReport[K] } & {
  readonly answers: Map<string, number>
}

const ROUTES = [
  'GET /plain',
  'GET /cached/:n',
  'GET /cached/:n',
  'GET /kept/:n',
  'GET /memo/:n',
  'POST /notes/:n',
  'GET /notes/:n',
  'GET /notes/:n',
  'GET /pooled',
  'GET /limited',
  'GET /streamed',
] as const
/** Pages, keys and notes that all tenants have of the same name. */
const SHARED = 10
const CANARY = /canary-[0-9a-f]{32}/g
const ABORTED_ONE_IN = 500

/** Sends requests over connections that are kept alive, until there were enough. */
export async function sendTraffic(options: TrafficOptions): Promise<TrafficReport> {
  const { requests, connections = 64, seed = 1, isOver = () => false } = options
  const chance = randomOf(seed)
  const counts: Counts = {
    answers: new Map(),
    requests: 0,
    hits: 0,
    aborted: 0,
    strangers: 0,
    foreignBytes: 0,
    unmarked: 0,
  }
  const work = async () => {
    let wire = await openWire(options.port)
    while (counts.requests < requests && !isOver()) {
      const asked = pick(chance, counts, options)
      counts.requests++
      if (chance() * ABORTED_ONE_IN < 1) {
        counts.aborted++
        wire.cut(asked.text)
        wire = await openWire(options.port)
      } else judge(asked, await wire.ask(asked.text), counts, options)
    }
    wire.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return counts
}

interface Asked {
  readonly tenant: string
  readonly route: string
  readonly text: string
}

function pick(chance: () => number, counts: Counts, options: TrafficOptions): Asked {
  const { tenants = 50, strangers = 20 } = options
  const isStranger = strangers > 0 && chance() * strangers < 1
  if (isStranger) counts.strangers++
  const tenant = isStranger
    ? `stranger-${counts.strangers}`
    : `shop-${Math.floor(chance() * tenants)}`
  const route = ROUTES[Math.floor(chance() * ROUTES.length)] as string
  const [method, path = ''] = route.split(' ')
  const target = path.replace(':n', String(Math.floor(chance() * SHARED)))
  const body = method === 'POST' ? JSON.stringify({ text: 'A note' }) : ''
  const entity =
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const head = `${method} ${target} HTTP/1.1\r\nHost: soak\r\nX-Tenant-Id: ${tenant}\r\n${entity}`
  return { tenant, route, text: `${head}\r\n${body}` }
}

function judge(asked: Asked, answer: string, counts: Counts, { canaryOf }: TrafficOptions): void {
  const key = `${asked.route} ${answer.slice(9, 12)}`
  counts.answers.set(key, (counts.answers.get(key) ?? 0) + 1)
  if (/\r\nx-cache: hit/i.test(answer)) counts.hits++
  const own = canaryOf(asked.tenant)
  const found: readonly string[] = answer.match(CANARY) ?? []
  if (!found.includes(own)) counts.unmarked++
  for (const canary of found) if (canary !== own) counts.foreignBytes += canary.length
}

/** A connection on which one request after the other is answered. */
interface Wire {
  readonly ask: (request: string) => Promise<string>
  /** Sends a request, and is gone before its answer. */
  readonly cut: (request: string) => void
  readonly close: () => void
}

function openWire(port: number): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true).setEncoding('latin1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(wireOf(socket))
    })
  })
}

function wireOf(socket: Socket): Wire {
  let received = ''
  let settle: { resolve: (answer: string) => void; reject: (error: Error) => void } | undefined
  socket.on('data', (text: string) => {
    received += text
    const length = lengthOf(received)
    if (length === undefined || received.length < length) return
    if (received.length > length) return void socket.destroy(new Error('More than one answer'))
    const answer = received
    received = ''
    settle?.resolve(answer)
  })
  const fail = (error: Error) => settle?.reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The connection was closed before the answer')))
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject }
        socket.write(request)
      }),
    cut(request) {
      settle = undefined
      socket.write(request, () => socket.destroy())
    },
    close() {
      settle = undefined
      socket.end()
    },
  }
}

/** How long an answer is, once its head is there. */
function lengthOf(received: string): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1]
  if (length === undefined) throw new Error(`An answer without a length: ${received.slice(0, end)}`)
  return end + 4 + Number(length)
}

/** Numbers of 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
