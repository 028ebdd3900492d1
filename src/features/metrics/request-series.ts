import type { EndedRequest, ResponseCause } from '../../contracts/observers.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { knownTraceContext } from '../../http/trace-context.js'
import { Histogram, labelText } from './exposition.js'

/**
 * The methods that have their own series. All other methods share one series, so that clients cannot create new series.
 */
const METHODS = [
  ...['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  '_OTHER',
] as const

/** The status classes. `aborted` means that the connection closed before the response head was sent. */
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx', 'other'] as const

const OTHER = METHODS.length - 1
const METHOD_INDEX: Readonly<Record<string, number>> = Object.assign(
  Object.create(null),
  Object.fromEntries(METHODS.map((method, index) => [method, index])),
)

/**
 * The route labels for requests that no controller handled, according to the part of the application that responded.
 */
const GROUPS = ['(none)', '(framework)', '(middleware)', '(unread)', '(upgrade)'] as const
const GROUP_OF: Partial<Record<ResponseCause, number>> = {
  framework: 1,
  middleware: 2,
  parser: 3,
  head: 3,
  upgrade: 4,
}

/** The series of one route. They are created when the first request needs them. */
interface RouteSeries {
  /** The route's own method, which nearly all requests use; `undefined` for a group and for `@All`. */
  readonly method: string | undefined
  /** The histograms of that method, one for each status class. */
  readonly own: (Histogram | undefined)[]
  /**
   * The histograms of other methods, such as `HEAD`, or of all methods in a group: one for each method and status
   * class.
   */
  readonly others: (Histogram | undefined)[]
}

/** Returns the method of a route; `undefined` if the method has no series of its own. */
function knownMethod({ method }: RouteModel): string | undefined {
  return method in METHOD_INDEX ? method : undefined
}

/** The dependencies and settings of {@link RequestSeries}. */
export interface RequestSeriesConfig {
  readonly routes: readonly RouteModel[]
  /** The upper bounds of the buckets, in seconds, ascending. */
  readonly bounds: Float64Array
  /**
   * The maximum number of tenants with their own series, and the name for all other tenants; `null` if tenants are not
   * counted.
   */
  readonly tenants: { readonly max: number; readonly rest: string } | null
}

/** The number of responses that one part of the application produced. */
export interface CauseCount {
  responses: number
}

/** The number of requests of one tenant, and their total duration. */
export interface TenantCount {
  requests: number
  seconds: number
}

/**
 * The durations of all requests. The set of possible series is fixed when the application starts, because each series
 * belongs to a combination of route, method and status class. Requests cannot extend this set.
 */
export class RequestSeries {
  /** The number of responses, by the part of the application that produced them. */
  readonly causes: Map<ResponseCause, CauseCount> = new Map()
  /** The requests of tenants, by label value. */
  readonly tenants: Map<string, TenantCount> = new Map()
  readonly #config: RequestSeriesConfig
  readonly #series: RouteSeries[]

  constructor(config: RequestSeriesConfig) {
    this.#config = config
    const methods = [...config.routes.map(knownMethod), ...GROUPS.map(() => undefined)]
    this.#series = methods.map((method) => ({ method, own: [], others: [] }))
  }

  get countsTenants(): boolean {
    return this.#config.tenants !== null
  }

  /** Counts a request. */
  readonly note = (ended: EndedRequest): void => {
    const { req, status, cause, durationMs } = ended
    const seconds = durationMs / 1000
    const series = this.#find(ended)
    const bucket = series.observe(seconds)
    const trace = req === null ? undefined : knownTraceContext(req)
    // Only a trace that was recorded can be found later.
    if (trace !== undefined && (trace.flags & 1) === 1) {
      const at = (ended.startedAt + durationMs) / 1000
      series.keep(bucket, { traceId: trace.traceId, value: seconds, at })
    }
    if (status !== null) this.#noteCause(cause)
    if (this.#config.tenants !== null) this.#noteTenant(ended.tenant, seconds, this.#config.tenants)
  };

  /** Lists the series that have a value. */
  *[Symbol.iterator](): Generator<Histogram> {
    for (const route of this.#series) {
      for (const series of route.own) if (series !== undefined) yield series
      for (const series of route.others) if (series !== undefined) yield series
    }
  }

  #find({ req, route, status, cause }: EndedRequest): Histogram {
    const { length } = this.#config.routes
    const place = route === null ? length + (GROUP_OF[cause] ?? 0) : route.index
    const group = status === null ? 0 : Math.min(Math.trunc(status / 100), CLASSES.length - 1)
    const { method, own, others } = this.#series[place] as RouteSeries
    const used = req?.method ?? ''
    if (used === method) {
      own[group] ??= this.#create(place, used, group)
      return own[group]
    }
    const index = METHOD_INDEX[used] ?? OTHER
    const key = index * CLASSES.length + group
    others[key] ??= this.#create(place, METHODS[index] as string, group)
    return others[key]
  }

  #create(place: number, method: string, group: number): Histogram {
    const { routes, bounds } = this.#config
    const route = routes[place]?.path ?? (GROUPS[place - routes.length] as string)
    const version = routes[place]?.version ?? null
    const status = CLASSES[group] as string
    const labels = { method, route, ...(version !== null && { version }), status }
    return new Histogram(labelText(labels), bounds)
  }

  #noteCause(cause: ResponseCause): void {
    const count = this.causes.get(cause)
    if (count === undefined) this.causes.set(cause, { responses: 1 })
    else count.responses += 1
  }

  #noteTenant(
    tenant: string | undefined,
    seconds: number,
    { max, rest }: NonNullable<RequestSeriesConfig['tenants']>,
  ): void {
    if (tenant === undefined) return
    const known = this.tenants.get(tenant)
    const label = known !== undefined || this.tenants.size < max ? tenant : rest
    const count = known ?? this.tenants.get(label) ?? { requests: 0, seconds: 0 }
    count.requests += 1
    count.seconds += seconds
    this.tenants.set(label, count)
  }
}
