import type { Attributes, Span } from '@opentelemetry/api'
import type { Request } from '../../index.js'
import type { EndedRequest } from '../../plugin/index.js'

/** The methods that HTTP defines (RFC 9110, RFC 5789, RFC 10008). All others are one method in names and attributes. */
const METHODS = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])

const OTHER = '_OTHER'
const LONGEST_PATH = 512

/** The method in the name of a span. */
export function spanNameOf(method: string | undefined): string {
  return method !== undefined && METHODS.has(method) ? method : 'HTTP'
}

/** The attributes that a sampler decides by. */
export function firstAttributes(req: Request): Attributes {
  const { method, socket } = req
  const isEncrypted = (socket as { readonly encrypted?: boolean } | null)?.encrypted === true
  const isKnown = METHODS.has(method)
  const attributes: Attributes = {
    'http.request.method': isKnown ? method : OTHER,
    'url.path': pathOf(req.originalUrl || req.url),
    'url.scheme': isEncrypted ? 'https' : 'http',
  }
  if (!isKnown) attributes['http.request.method_original'] = method
  return attributes
}

/** The attributes of a request that Node's parser could not read. */
export const UNREAD: Attributes = Object.freeze({ 'http.request.method': OTHER })

/**
 * The path of a URL, without its query. The target of a request is a path, a whole URL, or `*` (RFC 9112, 3.2).
 */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  const target = end < 0 ? url : url.slice(0, end)
  const path = target.startsWith('/') ? target : target.replace(/^\w[\w+.-]*:\/\/[^/]*/, '')
  return path.slice(0, LONGEST_PATH)
}

/** The facts about a request when it is over. */
export interface EndFacts {
  /** The pattern of the route, with the path that the application is mounted at; `undefined` without a route. */
  readonly route: string | undefined
  /** The URL without secrets. */
  readonly url: string
  /** The name of the logged error; `undefined` if nothing was logged. */
  readonly errorType: string | undefined
}

/** Describes a request that is over. Every key is in the registry of OpenTelemetry's semantic conventions. */
export function describeEnd(span: Span, ended: EndedRequest, facts: EndFacts): void {
  const { req, status } = ended
  const { route } = facts
  if (req !== null) {
    span.setAttribute('url.path', pathOf(facts.url))
    span.setAttribute('network.protocol.version', req.httpVersion)
    if (req.protocol === 'https') span.setAttribute('url.scheme', 'https')
  }
  if (route !== undefined) {
    span.setAttribute('http.route', route)
    span.updateName(`${spanNameOf(req?.method)} ${route}`)
  }
  if (status !== null) span.setAttribute('http.response.status_code', status)
  const error = errorOf(ended, facts)
  if (error !== null) span.setAttribute('error.type', error)
}

/** Whether the server has failed. A mistake of a client is not an error of a server span. */
export function hasFailed({ status }: Pick<EndedRequest, 'status'>): boolean {
  return status !== null && status >= 500
}

function errorOf(ended: EndedRequest, { errorType }: EndFacts): string | null {
  if (!hasFailed(ended)) return null
  if (ended.outcome === 'timeout') return 'timeout'
  return errorType ?? String(ended.status)
}
