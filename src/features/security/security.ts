import type { CorsOptions } from 'cors'
import type { HelmetOptions } from 'helmet'
import type { RequestHandler } from '../../contracts/handler.js'
import {
  type CrossOrigin,
  crossOriginBy,
  type RecordedHeader,
  recordHeaders,
} from './cross-origin.js'
import type { SecuritySettings } from './security-options.js'

/** What the security settings come down to. */
export interface Security {
  /** Headers that are the same on every answer. */
  readonly headers: readonly RecordedHeader[]
  /** What must be decided for each request. */
  readonly middlewares: readonly RequestHandler[]
  /** `null` where no header depends on who asks from where. */
  readonly crossOrigin: CrossOrigin | null
}

const NOTHING: Security = { headers: [], middlewares: [], crossOrigin: null }

/** Runs what never changes once, now, and keeps the rest for the requests. Loads nothing that is off. */
export async function buildSecurity(settings: SecuritySettings): Promise<Security> {
  const helmetPart = await buildHelmet(settings.helmet)
  const corsPart = await buildCors(settings.cors)
  return {
    headers: [...helmetPart.headers, ...corsPart.headers],
    middlewares: [...helmetPart.middlewares, ...corsPart.middlewares],
    crossOrigin: corsPart.crossOrigin,
  }
}

async function buildHelmet(options: HelmetOptions | null): Promise<Security> {
  if (options === null) return NOTHING
  const { default: helmet } = await import('helmet')
  const middleware = helmet(options)
  if (isDynamic(options)) return { ...NOTHING, middlewares: [middleware] }
  return { ...NOTHING, headers: recordHeaders(middleware, {}) }
}

/** A directive that is a function (a nonce) has another value for every request. */
function isDynamic({ contentSecurityPolicy: policy }: HelmetOptions): boolean {
  const directives = typeof policy === 'object' ? Object.values(policy.directives ?? {}) : []
  // A directive is one value or any iterable of values: a Set counts.
  return directives.some((value) => {
    const parts = typeof value === 'object' && value !== null ? [...value] : [value]
    return parts.some((part) => typeof part === 'function')
  })
}

async function buildCors(options: CorsOptions | null): Promise<Security> {
  if (options === null) return NOTHING
  const { default: cors } = await import('cors')
  const middleware = cors(options)
  // It may ask a database, or toss a coin.
  if (typeof options.origin === 'function') return { ...NOTHING, middlewares: [middleware] }
  if (!isFixed(options.origin)) return { ...NOTHING, crossOrigin: crossOriginBy(middleware) }
  const headers = recordHeaders(middleware, {})
  return { ...NOTHING, headers, crossOrigin: { headersOf: null, preflight: middleware } }
}

/** Whether answers say the same to every origin. */
function isFixed(origin: CorsOptions['origin']): boolean {
  return origin === undefined || typeof origin === 'string'
}
