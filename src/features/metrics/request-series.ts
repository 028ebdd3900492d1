import type { EndedRequest, ResponseCause } from '../../contracts/ended-request.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { knownTraceContext } from '../../http/get-trace-context.js'
import { labelText } from './exposition.js'
import { Histogram } from './histogram.js'

/** The methods that have series of their own. All others share one, so a client cannot make series. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '_OTHER'] as const

/** The classes of statuses. `aborted`: the connection closed before the head of a response. */
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx', 'other'] as const

const OTHER = METHODS.length - 1
const METHOD_INDEX: Readonly<Record<string, number>> = Object.assign(
  Object.create(null),
  Object.fromEntries(METHODS.map((method, index) => [method, index])),
)

/** The routes of requests that no controller has handled, by the part that has responded. */
const GROUPS = ['(none)', '(framework)', '(middleware)', '(unread)', '(upgrade)'] as const
const GROUP_OF: Partial<Record<ResponseCause, number>> = {
  framework: 1,
  middleware: 2,
  parser: 3,
  head: 3,
  upgrade: 4,
}

/** The series of one route: one for each method and class of statuses, made when the first request needs it. */
type RouteSeries = (Histogram | undefined)[]

/** What {@link RequestSeries} counts. */
export interface RequestSeriesConfig {
  readonly routes: readonly RouteModel[]
  /** Upper bounds of the buckets, in seconds, ascending. */
  readonly bounds: Float64Array
  /** How many tenants have series of their own, and the name for all others; `null` counts no tenants. */
  readonly tenants: { readonly max: number; readonly rest: string } | null
}

/** Requests and seconds of one tenant. */
export interface TenantCount {
  requests: number
  seconds: number
}

/**
 * The durations of all requests. The set of possible series is fixed when the application starts: routes, methods and
 * classes of statuses. Nothing in a request adds to it.
 */
export class RequestSeries {
  /** The responses, by the part of the application that has decided them. */
  readonly causes: Map<ResponseCause, number> = new Map()
  /** The requests of tenants, by the value of their label. */
  readonly tenants: Map<string, TenantCount> = new Map()
  readonly #config: RequestSeriesConfig
  readonly #series: RouteSeries[]

  constructor(config: RequestSeriesConfig) {
    this.#config = config
    this.#series = [...config.routes, ...GROUPS].map(() => [])
  }

  /** Whether tenants are counted. */
  get countsTenants(): boolean {
    return this.#config.tenants !== null
  }

  /** Counts a request. */
  readonly note = (ended: EndedRequest): void => {
    const { req, status, cause, durationMs, tenant } = ended
    const seconds = durationMs / 1000
    const series = this.#find(ended)
    const bucket = series.observe(seconds)
    const trace = req === null ? undefined : knownTraceContext(req)
    // Only a recorded trace can be looked up.
    if (trace !== undefined && (trace.flags & 1) === 1) {
      const at = (ended.startedAt + durationMs) / 1000
      series.keep(bucket, { traceId: trace.traceId, value: seconds, at })
    }
    if (status !== null) this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1)
    if (tenant !== undefined && this.#config.tenants !== null) this.#noteTenant(tenant, seconds)
  };

  /** Lists the series that have a value. */
  *[Symbol.iterator](): Generator<Histogram> {
    for (const route of this.#series) {
      for (const series of route) if (series !== undefined) yield series
    }
  }

  #find({ req, route, status, cause }: EndedRequest): Histogram {
    const { routes } = this.#config
    const place = route === null ? routes.length + (GROUP_OF[cause] ?? 0) : route.index
    const method = METHOD_INDEX[req?.method ?? ''] ?? OTHER
    const group = status === null ? 0 : Math.min(Math.trunc(status / 100), CLASSES.length - 1)
    const ofRoute = this.#series[place] as RouteSeries
    const key = method * CLASSES.length + group
    const known = ofRoute[key]
    if (known !== undefined) return known
    const made = this.#create(place, method, group)
    ofRoute[key] = made
    return made
  }

  #create(place: number, method: number, group: number): Histogram {
    const { routes, bounds } = this.#config
    const route = routes[place]?.path ?? (GROUPS[place - routes.length] as string)
    const labels = { method: METHODS[method] as string, route, status: CLASSES[group] as string }
    return new Histogram(labelText(labels), bounds)
  }

  #noteTenant(tenant: string, seconds: number): void {
    const { max, rest } = this.#config.tenants as NonNullable<RequestSeriesConfig['tenants']>
    const known = this.tenants.get(tenant)
    const label = known !== undefined || this.tenants.size < max ? tenant : rest
    const count = known ?? this.tenants.get(label) ?? { requests: 0, seconds: 0 }
    count.requests += 1
    count.seconds += seconds
    this.tenants.set(label, count)
  }
}
