import {
  Clock,
  type Duration,
  defineOption,
  getTenantId,
  type Plugin,
  type Request,
  type Response,
  type RouteModel,
} from 'blazon'
import { toSeconds } from 'blazon/plugin'

/** Stores the responses of a route for a time. */
export const Remember = defineOption<{ readonly ttl: Duration }, 'method'>('Remember', {
  on: 'method',
  check: ({ ttl }) => (toSeconds(ttl) === undefined ? 'Its ttl is not a duration.' : undefined),
})

/** A stored response: the data as JSON, and the headers that the handler has set. */
interface Entry {
  readonly text: string
  readonly headers: readonly (readonly [name: string, value: number | string | string[]])[]
  readonly until: number
}

/** The runs under way; `null` if the run has made nothing that others may receive. */
type Flights = Map<string, Promise<Entry | null>>

/** Acts on {@link Remember}: after access was decided, for reads, for each tenant and user separately. */
export function remembering({ maxEntries = 1000 } = {}): Plugin {
  return {
    name: 'remembering',
    contract: (route) => (isCacheable(route) ? { headers: { 'X-Cache': X_CACHE } } : null),
    steps(route, { get }) {
      const option = route.option(Remember)
      if (option === undefined || !isCacheable(route)) return null
      const ttlMs = (toSeconds(option.ttl) as number) * 1000
      const clock = get(Clock)
      const entries = new Map<string, Entry>()
      const flights: Flights = new Map()
      const leading = new WeakMap<object, string>()

      const fresh = (entry: Entry | null): entry is Entry =>
        entry !== null && entry.until > clock.now()

      function store(key: string, entry: Entry) {
        entries.delete(key)
        entries.set(key, entry)
        const [oldest] = entries.keys()
        if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
      }

      return {
        beforeBody: (next) => async (req, res) => {
          const key = keyOf(req)
          if (key === undefined) return next(req, res)
          const stored = entries.get(key) ?? null
          if (fresh(stored)) return replay(stored, res)
          // Without a run under way, nothing may be awaited before the new run is in `flights`.
          const flight = flights.get(key)
          const shared = flight === undefined ? null : await flight
          if (fresh(shared)) return replay(shared, res)
          res.setHeader('X-Cache', 'MISS')
          if (req.method !== 'GET' || flights.has(key)) return next(req, res)
          let land = (_: Entry | null) => {}
          flights.set(
            key,
            new Promise((resolve) => {
              land = resolve
            }),
          )
          leading.set(req, key)
          let entry: Entry | null = null
          try {
            const before = new Set(res.getHeaderNames())
            const value = await next(req, res)
            if (keyOf(req) === key)
              entry = entryOf(value, { res, before, until: clock.now() + ttlMs })
            if (entry !== null) store(key, entry)
            return value
          } finally {
            flights.delete(key)
            leading.delete(req)
            land(entry)
          }
        },
        // A handler that never ends must not hold the later requests for its key.
        onEnd(req) {
          const key = leading.get(req)
          if (key !== undefined) flights.delete(key)
        },
      }
    },
  }
}

const X_CACHE = { schema: { type: 'string', enum: ['HIT', 'MISS'] } }

function isCacheable(route: RouteModel): boolean {
  const { method, status, redirect } = route
  const isPlain = method === 'GET' && redirect === null && (status ?? 200) === 200
  return route.option(Remember) !== undefined && isPlain
}

/** `undefined` for a user that cannot be distinguished from others. */
function keyOf(req: Request): string | undefined {
  const user: unknown = req.user ?? null
  const id = user === null ? null : (user as { id?: unknown }).id
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return undefined
  return JSON.stringify([getTenantId() ?? null, id, req.originalUrl])
}

interface Made {
  readonly res: Response
  /** The names of the headers that were set before the handler ran. */
  readonly before: ReadonlySet<string>
  readonly until: number
}

/** Only a returned value with status 200, and no cookie, is the same for all requests with the key. */
function entryOf(value: unknown, { res, before, until }: Made): Entry | null {
  const isSent = value === undefined || value === res || res.headersSent
  if (isSent || res.statusCode !== 200 || res.hasHeader('set-cookie')) return null
  const headers = res.getHeaderNames().flatMap((name) => {
    const header = res.getHeader(name)
    return before.has(name) || header === undefined ? [] : [[name, header] as const]
  })
  return { text: JSON.stringify(value), headers, until }
}

function replay({ text, headers }: Entry, res: Response): unknown {
  for (const [name, value] of headers) res.setHeader(name, value)
  res.setHeader('X-Cache', 'HIT')
  return JSON.parse(text)
}
