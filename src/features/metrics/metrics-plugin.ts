import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Request, Response } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { ObserverSetup, Plugin, PluginContext } from '../../contracts/plugin.js'
import type { Metric } from '../../contracts/reports.js'
import { type PreparedGuard, prepareGuard } from '../../di/prepare-guard.js'
import { isDecision } from '../../errors/failure.js'
import { UnauthorizedError } from '../../errors/http-error.js'
import { negotiate } from '../../http/negotiate.js'
import {
  END,
  type Format,
  formatOf,
  type Histogram,
  type HistogramFamily,
  headOf,
  histogramText,
  type MetricsRegistry,
  metricText,
  NO_METRICS,
  OPEN,
  readRegistry,
  TEXT,
} from './exposition.js'
import { joinTexts, type ShareMetrics } from './join-texts.js'
import { Metrics } from './metrics.js'
import type { MetricsSettings } from './metrics-options.js'
import { type ProcessMetrics, startProcessMetrics } from './process-metrics.js'
import { RequestSeries } from './request-series.js'

/** The formats, by the media types that scrapers request. Clients that accept any type receive the first format. */
const FORMATS: readonly (readonly [type: string, format: Format])[] = [
  ['text/plain;version=0.0.4', TEXT],
  ['application/openmetrics-text;version=1.0.0', OPEN],
]

/**
 * Chooses the format of a scrape. Prometheus requests OpenMetrics with parameters that do not affect these metrics,
 * such as `escaping`. These parameters are ignored. A client that accepts neither format receives the text format.
 */
function chooseFormat(accept: string | undefined): Format {
  const known = accept?.replace(/;\s*(?:escaping|charset|validchars)=[^;,]*/gi, '')
  const type = negotiate(
    known,
    FORMATS.map(([type]) => type),
  )
  return FORMATS.find(([name]) => name === type)?.[1] ?? TEXT
}

/** The number of series that are written before the event loop can run other work. */
const SERIES_PER_TURN = 100

/** Dependencies of {@link metricsPlugin} besides its settings. */
export interface MetricsSources {
  /** Returns the metrics that other features provide. */
  readonly features: (get: PluginContext['get']) => readonly Metric[]
  /** Logs the error of a guard that refused a request by throwing. */
  readonly logDenial: (error: unknown, req: Request) => void
  /** Shares the metrics with the other `blazon start` workers. If omitted, this process serves only its own metrics. */
  readonly share?: ShareMetrics | undefined
}

interface Scrape {
  readonly histograms: readonly {
    readonly family: HistogramFamily
    readonly series: Iterable<Histogram>
  }[]
  readonly metrics: () => readonly Metric[]
  readonly registry: MetricsRegistry | null
  readonly logger: Logger
}

/** Creates the plugin that measures all requests and the process, and serves the metrics to scrapers. */
export function metricsPlugin(settings: MetricsSettings, sources: MetricsSources): Plugin {
  const { path, guard, bounds, tenants } = settings
  const family: HistogramFamily = {
    name: 'http_server_request_duration_seconds',
    help: 'The time from the head of a request to the end of its response.',
    bounds,
  }
  let running: Scrape | undefined
  let gather: ReturnType<ShareMetrics> | undefined
  let measured: ProcessMetrics | undefined
  let trusted: PreparedGuard | undefined
  return {
    name: 'metrics',
    requests({ get, logger, model: { routes }, activeRequests }: ObserverSetup) {
      const requests = new RequestSeries({ routes, bounds, tenants })
      measured = startProcessMetrics()
      const metrics = () => [
        ...requestMetrics(requests, activeRequests),
        ...sources.features(get),
        ...(measured as ProcessMetrics).metrics,
        ...get(Metrics).list(),
      ]
      const { pauses } = measured
      const histograms = [{ family, series: requests }, pauses]
      running = { histograms, metrics, registry: settings.registry, logger }
      return { onEnd: requests.note, needsBytes: false }
    },
    async setup({ get, logger }) {
      if (guard !== null) trusted = await prepareGuard(guard, 'metrics.guard', { get, logger })
      const scrape = running as Scrape
      gather = sources.share?.((isOpen) => joined(piecesOf(scrape, isOpen ? OPEN : TEXT)))
    },
    routes: () => [
      {
        path,
        quiet: true,
        early: true,
        remedy: "Move the route, or specify another path: `metrics: { path: '/other' }`.",
        async handle(req: Request, res: Response) {
          if (guard !== null) await admit(req, trusted, sources)
          // The time limit has ended the request, or the client has disconnected.
          if (res.headersSent || res.destroyed) return
          const { registry } = running as Scrape
          const format = registry === null ? chooseFormat(req.headers.accept) : formatOf(registry)
          const all = gather === undefined ? undefined : await gather(format.isOpen)
          if (res.destroyed) return
          const own = () => piecesOf(running as Scrape, format)
          await send(res, format, all === undefined ? own() : joinTexts(all))
        },
      },
    ],
    async onClose() {
      measured?.close()
      await trusted?.running.onClose?.()
    },
  }
}

async function send(res: Response, format: Format, pieces: AsyncIterable<string>): Promise<void> {
  res.statusCode = 200
  res.setHeader('Content-Type', format.contentType)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  for await (const piece of pieces) {
    if (res.destroyed) return
    res.write(piece)
  }
  res.end(format.isOpen ? END : undefined)
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

/** Writes the metrics in pieces, so that a scrape with many routes does not delay requests. */
async function* piecesOf(
  { registry, logger, metrics, histograms }: Scrape,
  format: Format,
): AsyncGenerator<string> {
  const { names, text } = registry === null ? NO_METRICS : await readRegistry(registry)
  const others = metrics().filter(({ name }) => !names.has(name))
  yield others.map((metric) => readMetric(metric, { format, logger })).join('') + text
  for (const { family, series } of histograms) {
    if (!names.has(family.name)) yield* histogramPieces(family, series, format)
  }
}

async function* histogramPieces(
  family: HistogramFamily,
  series: Iterable<Histogram>,
  format: Format,
): AsyncGenerator<string> {
  let text = headOf(family.name, family.help, 'histogram', format)
  let written = 0
  for (const each of series) {
    text += histogramText(family, each, format)
    written += 1
    if (written % SERIES_PER_TURN > 0) continue
    yield text
    text = ''
    await nextTurn()
  }
  yield text
}

/** Reads a metric. A metric that cannot be read is omitted. */
function readMetric(
  metric: Metric,
  { format, logger }: { format: Format; logger: Logger },
): string {
  try {
    return metricText(metric, format)
  } catch (err) {
    logger.error({ err, metric: metric.name }, 'A metric could not be read')
    return ''
  }
}

/**
 * Rejects with a 401 error unless the guard returns `true`. If the guard throws an HTTP error, rejects with that error.
 */
async function admit(
  req: Request,
  guard: PreparedGuard | undefined,
  { logDenial }: Pick<MetricsSources, 'logDenial'>,
): Promise<void> {
  let cause: unknown
  try {
    if ((await guard?.running.canActivate(req)) === true) return
  } catch (error) {
    if (isDecision(error)) throw error
    logDenial(error, req)
    cause = error
  }
  const headers = { 'WWW-Authenticate': guard?.challenge ?? 'Bearer' }
  throw new UnauthorizedError('Authentication is required', { headers, cause })
}

/** Returns the request metrics that are not histograms. */
function requestMetrics(requests: RequestSeries, active: () => number): Metric[] {
  const { causes, tenants } = requests
  return [
    {
      name: 'http_server_active_requests',
      help: 'Requests in progress, including the scrape.',
      type: 'gauge',
      read: active,
    },
    {
      name: 'http_server_responses_total',
      help: 'Responses, by the part of the application that produced them.',
      type: 'counter',
      read: () =>
        [...causes].map(([cause, { responses }]) => ({ labels: { cause }, value: responses })),
    },
    ...(requests.countsTenants
      ? [
          perTenant('http_server_tenant_requests_total', 'Requests, by tenant.', 'requests'),
          perTenant(
            'http_server_tenant_request_seconds_total',
            'The duration of requests, by tenant.',
            'seconds',
          ),
        ]
      : []),
  ]

  function perTenant(name: string, help: string, field: 'requests' | 'seconds'): Metric {
    const read = () =>
      [...tenants].map(([tenant, count]) => ({ labels: { tenant }, value: count[field] }))
    return { name, help, type: 'counter', read }
  }
}
