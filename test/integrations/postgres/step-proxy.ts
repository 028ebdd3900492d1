import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A message of a client on its way to the server. */
export interface Step {
  /** The letter of the message in the protocol: `Q`, `P`, `B`, `D`, `E`, `S`, … */
  readonly kind: string
  /** The text of its statement; empty if it has none. */
  readonly text: string
}

/**
 * How a step fails.
 * - `refuse`: the server gets another statement in its place, and refuses it as if it had been cancelled.
 * - `cancel`: a statement that takes long runs in its place, and is cancelled.
 * - `cut-before` and `cut-behind`: the connection ends before or after the step.
 * - `stall`: the step and all later ones are held back until {@link StepProxy.unstall}.
 */
export type Mishap = 'refuse' | 'cancel' | 'cut-before' | 'cut-behind' | 'stall'

/** The step that fails: its number, counted from 0 over all connections since the call of `plan`. */
interface Plan {
  readonly at: number
  readonly mishap: Mishap
  happened(): void
}

const REFUSED = `do $$ begin raise exception using errcode = '57014', message = 'canceling statement due to user request'; end $$`
/** Longer than the time limits of statements, and no longer: PgBouncer may lose a request to cancel it, and tests wait for its end. */
const ENDLESS = 'select pg_sleep(40)'
/** PostgreSQL documentation, 54.7. */
const CANCEL_REQUEST = 80_877_102
const CANCEL_AGAIN_MS = 5

/** A proxy in front of a PostgreSQL. It reads the messages of clients, and makes one of them fail. */
export class StepProxy implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #seen: Step[] = []
  #plan: Plan | undefined

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
  }

  static async before(serverPort: number): Promise<StepProxy> {
    const server = createServer((client) => proxy.#join(client, serverPort))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new StepProxy(server, (server.address() as { port: number }).port)
    return proxy
  }

  /** Forgets the recorded steps and the plan. */
  reset(): void {
    this.#seen = []
    this.#plan = undefined
  }

  /** Whether the planned failure has not happened yet. */
  get isPlanned(): boolean {
    return this.#plan !== undefined
  }

  /** The steps since the last {@link reset}. */
  get steps(): readonly Step[] {
    return this.#seen
  }

  /** Makes one step fail. Resolves when it has failed. */
  plan(at: number, mishap: Mishap): Promise<void> {
    this.reset()
    return new Promise((happened) => {
      this.#plan = { at, mishap, happened }
    })
  }

  /** Sends on the steps that were held back, even if their client has disconnected. */
  unstall(): void {
    for (const pair of this.#pairs) pair.unstall()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) pair.end()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket, serverPort: number): void {
    const pair = new Pair(client, serverPort, (step) => this.#judge(step))
    this.#pairs.add(pair)
    pair.onEnd = () => this.#pairs.delete(pair)
  }

  #judge(step: Step): Mishap | undefined {
    const index = this.#seen.push(step) - 1
    const plan = this.#plan
    if (plan === undefined || index !== plan.at) return undefined
    this.#plan = undefined
    plan.happened()
    return plan.mishap
  }
}

/** One connection of a client, and the connection to the server that belongs to it. */
class Pair {
  readonly #client: Socket
  readonly #server: Socket
  readonly #port: number
  readonly #judge: (step: Step) => Mishap | undefined
  #unread: Buffer = Buffer.alloc(0)
  #isGreeted = false
  #key: Buffer | undefined
  #stalled: Buffer[] | undefined
  #canceller: NodeJS.Timeout | undefined
  #isCut = false
  onEnd: () => void = () => {}

  constructor(client: Socket, port: number, judge: (step: Step) => Mishap | undefined) {
    this.#client = client
    this.#port = port
    this.#judge = judge
    this.#server = connect(port, '127.0.0.1').setNoDelay()
    client.setNoDelay()
    for (const socket of [client, this.#server]) socket.on('error', () => {})
    client.on('close', () => {
      if (this.#stalled === undefined && !this.#isCut) this.#server.destroy()
    })
    this.#server.on('close', () => {
      this.end()
      this.onEnd()
    })
    client.on('data', (bytes) => this.#read(bytes))
    this.#server.on('data', (bytes) => this.#answer(bytes))
  }

  end(): void {
    clearTimeout(this.#canceller)
    this.#canceller = undefined
    this.#client.destroy()
    this.#server.destroy()
  }

  unstall(): void {
    const stalled = this.#stalled ?? []
    for (const bytes of stalled.splice(0)) this.#server.write(bytes)
    this.#stalled = undefined
    if (this.#client.destroyed) this.#server.end()
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes])
    // Messages that came together are sent together.
    this.#server.cork()
    for (let whole = this.#take(); whole !== undefined; whole = this.#take()) {
      if (this.#isCut) break
      if (this.#stalled !== undefined) this.#stalled.push(whole)
      else this.#pass(whole)
    }
    this.#server.uncork()
  }

  /** The next message; the first one of a connection has no letter. */
  #take(): Buffer | undefined {
    const head = this.#isGreeted ? 1 : 0
    if (this.#unread.length < head + 4) return undefined
    const length = head + this.#unread.readInt32BE(head)
    if (this.#unread.length < length) return undefined
    const whole = this.#unread.subarray(0, length)
    this.#unread = this.#unread.subarray(length)
    return whole
  }

  #pass(whole: Buffer): void {
    const kind = this.#isGreeted ? String.fromCharCode(whole[0] as number) : 'greeting'
    this.#isGreeted = true
    const isSpoken = kind !== 'greeting' && kind !== 'X' && kind !== 'p'
    const mishap = isSpoken ? this.#judge({ kind, text: textOf(kind, whole) }) : undefined
    if (mishap === undefined) this.#server.write(whole)
    else this.#spoil(mishap, kind, whole)
  }

  #spoil(mishap: Mishap, kind: string, whole: Buffer): void {
    switch (mishap) {
      // `S` (Sync) runs nothing, so it cannot be refused or cancelled.
      case 'refuse':
        this.#server.write(kind === 'S' ? whole : instead(kind, REFUSED))
        break
      case 'cancel':
        this.#server.write(kind === 'S' ? whole : instead(kind, ENDLESS))
        if (kind !== 'S') this.#cancelLater()
        break
      case 'stall':
        this.#stalled = [whole]
        break
      case 'cut-before':
        this.#cut()
        break
      case 'cut-behind':
        this.#server.write(whole)
        this.#cut()
    }
  }

  /** Ends the connection. The server still receives what was sent before. */
  #cut(): void {
    this.#isCut = true
    this.#server.end()
    this.#client.destroy()
  }

  // Repeats, because the request may arrive before the statement runs. Each waits for the end of the former request.
  // Otherwise, a late request could cancel the next statement.
  #cancelLater(): void {
    this.#canceller = setTimeout(() => this.#cancel(), CANCEL_AGAIN_MS)
  }

  #cancel(): void {
    const request = Buffer.alloc(16)
    request.writeInt32BE(16, 0)
    request.writeInt32BE(CANCEL_REQUEST, 4)
    this.#key?.copy(request, 8)
    const socket = connect(this.#port, '127.0.0.1', () => socket.write(request))
    socket.on('error', () => {}).resume()
    socket.on('close', () => this.#canceller !== undefined && this.#cancelLater())
  }

  #answer(bytes: Buffer): void {
    this.#key ??= keyIn(bytes)
    // This error ends the statement that runs in the place of the step.
    if (this.#canceller !== undefined && bytes.includes('57014')) {
      clearTimeout(this.#canceller)
      this.#canceller = undefined
    }
    this.#client.write(bytes)
  }
}

function textOf(kind: string, whole: Buffer): string {
  if (kind === 'Q') return whole.toString('utf8', 5, whole.length - 1)
  if (kind !== 'P') return ''
  const start = whole.indexOf(0, 5) + 1
  return whole.toString('utf8', start, whole.indexOf(0, start))
}

/** Messages that run another statement. */
function instead(kind: string, text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  if (kind === 'Q') return message('Q', body)
  return Buffer.concat([
    message('P', Buffer.concat([Buffer.from('\0'), body, Buffer.alloc(2)])),
    message('B', Buffer.alloc(8)),
    message('E', Buffer.alloc(5)),
  ])
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** The key that cancels statements of a connection. It is in one of the first messages of a server. */
function keyIn(bytes: Buffer): Buffer | undefined {
  const start = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  return start < 0 ? undefined : Buffer.from(bytes.subarray(start + 5, start + 13))
}
