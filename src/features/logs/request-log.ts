import type { Logger } from '../../contracts/logger.js'
import type { EndedRequest } from '../../contracts/observers.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { knownTraceContext } from '../../http/trace-context.js'
import { LEVELS, type LineLevel, writeTo } from './levels.js'
import { LineLogger } from './line-logger.js'
import { quote } from './line-sink.js'
import { requestFacts, requestIdOf, userIdOf } from './request-facts.js'

/** The `logs` option, resolved. */
export interface RequestLogSettings {
  /** Returns the level of a request's line; `null` for no line. */
  readonly level: ((ended: EndedRequest) => LineLevel | null) | null
  /** Returns additional facts for a request's line. */
  readonly fields: ((ended: EndedRequest) => object) | null
}

const LONGEST_PATH = 512

/** Creates the plugin that writes one line for each request of an application. */
export function requestLog(settings: RequestLogSettings): Plugin {
  return {
    name: 'logs',
    requests: ({ logger, model: { routes } }) => ({ onEnd: writerFor(logger, settings, routes) }),
  }
}

/** The facts in a request's line. The `redact` option may hide any of them. */
const FIELDS = [
  'method',
  'route',
  'version',
  'path',
  'status',
  'ms',
  'bytes',
  'cause',
  'aborted',
  'requestId',
  'trace_id',
  'span_id',
  'user',
  'tenant',
  'claimedTenant',
]

type Write = (ended: EndedRequest) => void

/**
 * Creates the function that writes a request's line. If the logger is the framework's own JSON logger, there are no
 * additional `fields`, and no fact is hidden, the function writes serialized JSON. Otherwise, it passes facts to the
 * logger.
 */
function writerFor(
  logger: Logger,
  { level, fields }: RequestLogSettings,
  routes: readonly RouteModel[],
): Write {
  const levelFor = level ?? levelOf
  const isOwn = logger instanceof LineLogger && logger.isJson
  const isDirect = isOwn && fields === null && !logger.hidesAny(FIELDS)
  const write = isDirect ? directWriter(logger, routes) : factsWriter(logger, fields)
  return function logRequest(ended) {
    const chosen = levelFor(ended)
    if (chosen !== null) write(ended, chosen)
  }
}

/** Returns the level of a request's line. Server failures are errors, but client errors are normal for a server. */
function levelOf({ status, isQuiet }: EndedRequest): LineLevel {
  if (status !== null && status >= 500) return 'error'
  return isQuiet ? 'debug' : 'info'
}

type WriteLine = (ended: EndedRequest, level: LineLevel) => void

function factsWriter(logger: Logger, fields: RequestLogSettings['fields']): WriteLine {
  return function writeFacts(ended, level) {
    const { req, route, status, bytes, cause, outcome } = ended
    const method = req?.method
    const tenant = ended.tenant
    const facts = {
      ...(method !== undefined && { method }),
      ...(route === null ? req && { path: pathOf(ended) } : { route: route.path }),
      ...(route !== null && route.version !== null && { version: route.version }),
      status,
      ms: round(ended.durationMs),
      bytes,
      cause,
      ...(outcome === 'aborted' && { aborted: true }),
      ...(req !== null && requestFacts(req)),
      ...(tenant !== undefined && { tenant }),
      ...(tenant === undefined &&
        ended.claimedTenant !== undefined && { claimedTenant: ended.claimedTenant }),
      ...fields?.(ended),
    }
    writeTo(logger, level, facts, messageOf(ended))
  }
}

function messageOf({ req, route }: EndedRequest): string {
  return req === null ? 'No request' : `${req.method} ${route?.path ?? '(no route)'}`
}

/** Returns the path of a request that has no route. The query is omitted, because it may contain secrets. */
function pathOf({ req }: EndedRequest): string {
  const [path = ''] = (req?.originalUrl || req?.url || '').split('?', 1)
  return path.slice(0, LONGEST_PATH)
}

/**
 * Creates the function that writes a line as serialized JSON. The parts that are the same for all requests to a route
 * are serialized once.
 */
function directWriter(logger: LineLogger, routes: readonly RouteModel[]): WriteLine {
  const heads = new Map(
    LEVELS.filter((level) => logger.isWritten(level)).map((level) => [
      level,
      `{"level":"${level}","time":`,
    ]),
  )
  const parts = routes.map((route) => partOf(route.method, route))
  const { writeText } = logger
  return function writeDirect(ended, level) {
    const head = heads.get(level)
    if (head === undefined) return
    const { req, route, durationMs, tenant } = ended
    const time = Math.round(ended.startedAt + durationMs)
    let line = `${head}${time}${route === null || req === null ? withoutRoute(ended) : partFor(route, req.method)}`
    line += `,"status":${ended.status},"ms":${round(durationMs)},"bytes":${ended.bytes},"cause":"${ended.cause}"`
    if (ended.outcome === 'aborted') line += ',"aborted":true'
    if (req !== null) {
      line += field('requestId', requestIdOf(req))
      const trace = knownTraceContext(req)
      if (trace !== undefined) line += `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`
      line += field('user', userIdOf(req))
      line += field('tenant', tenant)
      if (tenant === undefined) line += field('claimedTenant', ended.claimedTenant)
    }
    writeText(`${line}}\n`)
  }
  function partFor(route: RouteModel, method: string): string {
    const known = route.method === method ? parts[route.index] : undefined
    return known ?? partOf(method, route)
  }
}

function partOf(method: string, { path, version }: RouteModel): string {
  const named = version === null ? '' : `,"version":${quote(version)}`
  return `,"message":${quote(`${method} ${path}`)},"method":${quote(method)},"route":${quote(path)}${named}`
}

function withoutRoute(ended: EndedRequest): string {
  const message = `,"message":${quote(messageOf(ended))}`
  if (ended.req === null) return message
  return `${message},"method":${quote(ended.req.method)},"path":${quote(pathOf(ended))}`
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${quote(value)}`
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
