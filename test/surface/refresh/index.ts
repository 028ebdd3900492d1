import {
  Clock,
  type Duration,
  defineOption,
  type Plugin,
  type Request,
  type Response,
  type Size,
} from 'blazon'
import {
  addHeaders,
  isThenable,
  Refusal,
  type RouteSetup,
  replayResponse,
  type Step,
  type StoredResponse,
  statusOf,
  tenantOf,
  toBytes,
  toSeconds,
} from 'blazon/plugin'

/** Sends the last response of a route at once. If it is older than `after`, the handler makes the next one meanwhile. */
export const Refresh = defineOption<{ readonly after: Duration }, 'method'>('Refresh', {
  on: 'method',
  check: ({ after }) =>
    toSeconds(after) === undefined ? 'Its `after` is not a duration.' : undefined,
})

interface Entry extends StoredResponse {
  readonly madeAt: number
}

/** Acts on {@link Refresh} for reads of everybody, for each tenant separately. */
export function refreshing({ maxBytes = '1mb' }: { readonly maxBytes?: Size } = {}): Plugin {
  const limit = toBytes(maxBytes)
  if (limit === undefined) throw new TypeError(`refreshing(): maxBytes is ${maxBytes}.`)
  return {
    name: 'refreshing',
    steps(route, app) {
      const option = route.option(Refresh)
      if (option === undefined || route.method !== 'GET' || route.isProtected) return null
      const ms = 1000 * (toSeconds(option.after) as number)
      return { beforeBody: (next) => new Refreshed(next, { app, ms, limit }).step }
    },
  }
}

interface Config {
  readonly app: RouteSetup
  readonly ms: number
  readonly limit: number
}

class Refreshed {
  readonly #next: Step
  readonly #config: Config
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #running = new Set<string>()

  constructor(next: Step, config: Config) {
    this.#next = next
    this.#config = config
    this.#clock = config.app.get(Clock)
  }

  readonly step: Step = (req, res) => {
    const key = `${tenantOf(req) ?? ''} ${req.originalUrl}`
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      if (req.method === 'GET') this.#store(key, res)
      return this.#next(req, res)
    }
    const age = this.#clock.now() - entry.madeAt
    addHeaders(res, ['Age', String(Math.floor(age / 1000))])
    replayResponse(res, entry)
    if (age >= this.#config.ms && !this.#running.has(key)) this.#refresh(key, req, res)
    return res
  }

  /** The handler gets a response of its own, which no client receives. */
  #refresh(key: string, req: Request, sent: Response): void {
    const Class = sent.constructor as new (req: Request) => Response
    const res = new Class(req)
    this.#running.add(key)
    this.#store(key, res)
    const end = (value: unknown) => {
      this.#running.delete(key)
      if (value instanceof Refusal) fail(value.error)
      else this.#config.app.respond(value, req, res)
    }
    const fail = (error: unknown) => {
      this.#running.delete(key)
      // What is gone is forgotten. After a failure of the server, the last response stays.
      if (statusOf(error) < 500) this.#entries.delete(key)
    }
    try {
      const value = this.#next(req, res)
      if (isThenable(value)) value.then(end, fail)
      else end(value)
    } catch (error) {
      fail(error)
    }
  }

  #store(key: string, res: Response): void {
    const { end } = res
    res.end = ((body?: string | Uint8Array) => {
      const type = res.getHeader('Content-Type')
      if (res.statusCode === 200 && body !== undefined && this.#fits(body)) {
        const headers = type === undefined ? [] : ['Content-Type', String(type)]
        this.#entries.set(key, { headers, body, madeAt: this.#clock.now() })
      }
      return end.call(res, body, 'utf8')
    }) as typeof end
  }

  #fits(body: string | Uint8Array): boolean {
    return Buffer.byteLength(body) <= this.#config.limit
  }
}
