import { Socket as UdpSocket } from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ClientRequest } from 'node:http'
import { type Server, Socket } from 'node:net'

/**
 * Thrown if a test has no response for a call, or if a replay tries to connect to a host whose responses are not in its
 * capsule. Nothing was sent.
 */
export class UnansweredCallError extends Error {
  /** Always `UnansweredCallError`. */
  override readonly name = 'UnansweredCallError'
  /** The URL, such as `https://bank.example/charges`; for other protocols, the address: `tcp://127.0.0.1:6379`. */
  readonly url: string

  /**
   * Creates the error for a call.
   *
   * @param url The URL.
   * @param message The message. Default: a message about a replay.
   */
  constructor(url: string, message?: string) {
    super(
      message ?? `The capsule has no response for a call to ${url}, so no connection was opened.`,
    )
    this.url = url
  }
}

/** The target of a connection: a host and a port, or the path of a socket. */
interface Target {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
  readonly path?: string | null | undefined
}

/** The diagnostics channel on which Node's `fetch` and other copies of undici publish their requests. */
const CALLS_OF_FETCH = 'undici:request:create'
/** The maximum number of stored URLs, because a loop can call any number of URLs. */
const MOST_URLS = 1000

/**
 * Refuses all connections of this process. It replaces the `connect` method of Node's sockets, which all libraries
 * call. Worker threads and other processes are not covered. The connections of a test to its own application are in
 * memory.
 */
export class RefusedConnections {
  readonly #refused: string[] = []
  readonly #urls: URL[] = []
  readonly #allowed = new Set<string>()
  readonly #undo: (() => void)[] = []
  #learns: boolean

  /** @param learns Whether connections are allowed until `learned()` is called, and later to the same targets. */
  constructor(learns: boolean) {
    this.#learns = learns
    const isRefused = (target: Target) => this.#isRefused(target)
    this.#replace(Socket.prototype, 'connect', (connect) => {
      return function connectOrRefuse(this: Socket, ...args: unknown[]) {
        if (!isRefused(targetOf(args))) return connect.apply(this, args)
        // Data that is written later waits, as on a socket that is connecting. The error is emitted two ticks later,
        // because error listeners are added in this tick or the next one.
        Object.assign(this, { connecting: true })
        process.nextTick(() => this.destroy(refusal()))
        return this
      }
    })
    this.#replace(UdpSocket.prototype, 'send', (send) => {
      return function sendOrRefuse(this: UdpSocket, ...args: unknown[]) {
        const port = args.findLast((each) => typeof each === 'number')
        const host = args.slice(1).findLast((each) => typeof each === 'string')
        if (!isRefused({ host, port })) return send.apply(this, args)
        const done = args.at(-1)
        if (typeof done === 'function') process.nextTick(done, refusal())
        return undefined
      }
    })
    // Records the URL of each request. Node calls `onSocket` for every request, whichever agent it uses.
    const note = (path: string, origin: string) => this.#note(path, origin)
    this.#replace(ClientRequest.prototype, 'onSocket', (onSocket) => {
      return function noteAndUse(this: ClientRequest, ...args: unknown[]) {
        note(this.path, `${this.protocol}//${this.getHeader('host')}`)
        return onSocket.apply(this, args)
      }
    })
    const noteFetch = (message: unknown) => {
      const { path, origin } = (message as { request: { path: string; origin: unknown } }).request
      note(path, String(origin))
    }
    subscribe(CALLS_OF_FETCH, noteFetch)
    this.#undo.push(() => unsubscribe(CALLS_OF_FETCH, noteFetch))
  }

  #replace(owner: object, name: string, make: (old: Method) => Method): void {
    const holder = owner as Record<string, Method>
    const old = holder[name] as Method
    holder[name] = make(old)
    this.#undo.push(() => {
      holder[name] = old
    })
  }

  /** Allows only known targets and the given server from now on. */
  learned(server: Server): void {
    this.#learns = false
    const address = server.address()
    if (typeof address === 'object' && address !== null) {
      for (const host of ['127.0.0.1', 'localhost', '::1'])
        this.#allowed.add(`${host}:${address.port}`)
    }
  }

  #isRefused({ host = 'localhost', port, path }: Target): boolean {
    const place = path ?? `${host}:${port}`
    if (this.#learns) this.#allowed.add(place)
    if (this.#allowed.has(place)) return false
    this.#refused.push(place)
    return true
  }

  #note(path: string, origin: string): void {
    if (this.#urls.length < MOST_URLS && URL.canParse(path, origin))
      this.#urls.push(new URL(path, origin))
  }

  /** The first refused connection; `null` if there is none. */
  get error(): UnansweredCallError | null {
    const [place] = this.#refused
    if (place === undefined) return null
    const url = this.#urls.find((each) => placeOf(each) === place)
    return new UnansweredCallError(url?.href ?? (/:\d+$/.test(place) ? `tcp://${place}` : place))
  }

  /** Allows all connections again. */
  end(): void {
    for (const undo of this.#undo.splice(0)) undo()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: two methods of Node with several signatures each
type Method = (this: any, ...args: any[]) => unknown

/** Reads the arguments of `connect` like Node: options, a port and a host, a path, or a list of these. */
function targetOf(args: readonly unknown[]): Target {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  if (typeof first === 'object' && first !== null) return first
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first }
  return { port: Number(first), ...(typeof second === 'string' ? { host: second } : {}) }
}

function placeOf({ hostname, port, protocol }: URL): string {
  const host = hostname.replace(/^\[|\]$/g, '')
  return `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

function refusal(): Error {
  const message = 'connect ECONNREFUSED: a replay connects to no other host'
  return Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect' })
}
