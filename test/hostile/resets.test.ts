import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../conformance/random.js'
import { exchange, request } from '../journeys/hostile/raw-connection.js'
import { AttackedProcess } from './attacked-process.js'
import { BODIES, OTHERS, pipeline, REFUSALS } from './reset-requests.js'
import { rounds, seed } from './rounds.js'

/** Cuts of each refusal with each kind of body, on each server. */
const CUTS = rounds(60)
const MIXED = rounds(6000)
const AT_ONCE = 96

const SERVERS = ['own', 'handler', 'mounted'] as const

let attacked: AttackedProcess
let ports: readonly number[]
const random = new Random(seed)

beforeAll(async () => {
  ;[attacked, ports] = await AttackedProcess.start('./reset-process.ts')
})
afterAll(() => attacked.kill())

/** The ways in which a client disconnects. */
type Farewell = 'reset' | 'close' | 'half-close'

interface Attack {
  readonly port: number
  readonly text: string
  /** The length of the first part of the text. The rest is sent a little later, or never. */
  readonly cut: number
  readonly sendsRest: boolean
  readonly farewell: Farewell
  /** Milliseconds; -1 to wait for the first bytes of a response. */
  readonly delays: readonly [rest: number, end: number]
}

const pause = (ms: number) =>
  ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms))

/** Sends the text and disconnects. Resolves when the connection is closed on this side. */
async function attack({ port, text, cut, sendsRest, farewell, delays }: Attack): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const answered = new Promise((resolve) => socket.once('data', resolve))
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  socket.write(text.slice(0, cut))
  const [rest, end] = delays
  if (sendsRest) {
    await pause(rest)
    socket.write(text.slice(cut))
  }
  await (end < 0 ? Promise.race([answered, closed, pause(20)]) : pause(end))
  if (farewell === 'reset') socket.resetAndDestroy()
  else if (farewell === 'close') socket.destroy()
  else {
    socket.end()
    // The client reads the response, and closes the connection if the server does not end it.
    await Promise.race([new Promise((resolve) => socket.once('end', resolve)), closed, pause(40)])
    socket.destroy()
  }
  await closed
}

function chooseEnd(): Pick<Attack, 'farewell' | 'delays' | 'sendsRest'> {
  const farewell = random.weighted({ reset: 6, close: 3, 'half-close': 1 })
  const delay = () => random.pick([0, 0, 0, 1, 2, random.below(8)])
  const end = random.next() < 0.1 ? -1 : delay()
  return { farewell, delays: [delay(), end], sendsRest: random.next() < 0.3 }
}

/** Runs attacks, some at the same time. */
async function run(attacks: Iterator<Attack>): Promise<number> {
  let count = 0
  const worker = async () => {
    for (let next = attacks.next(); !next.done; next = attacks.next()) {
      count++
      await attack(next.value)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return count
}

/** Every refusal, alone and after other requests, cut every few bytes. */
function* refusalsOn(port: number): Generator<Attack> {
  for (const draft of Object.values(REFUSALS)) {
    for (const kind of BODIES) {
      for (let i = 0; i < CUTS; i++) {
        const company = random.next() < 0.3 ? [random.pick(OTHERS)] : []
        const drafts = [...company, ...new Array(1 + (i % 6)).fill(draft)]
        const text = pipeline(drafts, kind, random)
        // The whole text every other time, because most dangerous events happen after it.
        const cut = i % 2 ? text.length : Math.ceil((text.length * (i + random.next())) / CUTS)
        yield { port, text, cut, ...chooseEnd() }
      }
    }
  }
}

function* mixture(): Generator<Attack> {
  const all = [...Object.values(REFUSALS), ...OTHERS, ...OTHERS]
  for (let i = 0; i < MIXED; i++) {
    const drafts = Array.from({ length: 1 + random.below(6) }, () => random.pick(all))
    const text = pipeline(drafts, random.pick(BODIES), random)
    const cut = random.next() < 0.5 ? text.length : 1 + random.below(text.length)
    yield { port: random.pick(ports), text, cut, ...chooseEnd() }
  }
}

/** Waits until no connection or timer is open. The timeout of the test ends a wait without end. */
async function settled(): Promise<readonly string[]> {
  for (;;) {
    const { uncaught, open } = await attacked.condition()
    if (!open.some((kind) => kind === 'TCPSocketWrap' || kind === 'Timeout'))
      return [...new Set(uncaught)]
    await pause(50)
  }
}

async function expectAlive(port: number): Promise<void> {
  const [answer] = await exchange(port, request('/ok'))
  expect(answer?.status).toBe(200)
  expect(JSON.parse(answer?.text ?? '').data).toEqual({ text: 'ok' })
}

describe(`a process whose clients disconnect (SEED=${seed})`, () => {
  it.each(SERVERS)('continues to run if their requests are refused: %s', async (server) => {
    const port = ports[SERVERS.indexOf(server)] as number
    const count = await run(refusalsOn(port))
    expect(count).toBeGreaterThanOrEqual(CUTS * BODIES.length * Object.keys(REFUSALS).length)
    expect(await settled()).toEqual([])
    await expectAlive(port)
  })

  it('continues to run if their requests are served, refused and delayed', async () => {
    expect(await run(mixture())).toBe(MIXED)
    expect(await settled()).toEqual([])
    for (const port of ports) await expectAlive(port)
  })

  it('can exit by itself, because no connection or timer remains open', async () => {
    expect(await attacked.stop()).toEqual({ uncaught: [], exitCode: 0 })
  })
})
