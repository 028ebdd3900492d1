import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { CorsOptions } from 'cors'
import type { HelmetOptions } from 'helmet'
import type { RequestHandler, Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../../http/request.js'
import { addHeaders } from '../../http/send/response-headers.js'
import { isThenable, type RunRoute } from '../../step/step.js'
import type { SecuritySettings } from './security-options.js'

/** The parts that implement the security settings. */
export interface Security {
  /** The headers that are the same on every response. */
  readonly headers: readonly RecordedHeader[]
  /** The middlewares that must run for each request. */
  readonly middlewares: readonly RequestHandler[]
  /** `null` if CORS is off, or if `origin` is a function. In the second case, CORS runs as a middleware. */
  readonly crossOrigin: CrossOrigin | null
}

const NOTHING: Security = { headers: [], middlewares: [], crossOrigin: null }

/**
 * Computes the constant headers at boot, and returns the parts that must run for each request. If a feature is off, its
 * package is not loaded.
 *
 * @param exposed The framework's response headers that scripts from other origins can also read.
 */
export async function buildSecurity(
  settings: SecuritySettings,
  exposed: readonly string[],
): Promise<Security> {
  const helmetPart = await buildHelmet(settings.helmet)
  const corsPart = await buildCors(settings.cors && exposing(settings.cors, exposed))
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

/** Whether a directive contains a function, for example for a nonce. The value then differs for each request. */
function isDynamic({ contentSecurityPolicy: policy }: HelmetOptions): boolean {
  const directives = typeof policy === 'object' ? Object.values(policy.directives ?? {}) : []
  // A directive is one value or any iterable of values, including a `Set`.
  return directives.some((value) => {
    const parts = typeof value === 'object' && value !== null ? [...value] : [value]
    return parts.some((part) => typeof part === 'function')
  })
}

async function buildCors(options: CorsOptions | null): Promise<Security> {
  if (options === null) return NOTHING
  const { default: cors } = await import('cors')
  const { origin } = options
  // The function may query a database or return different results, so the headers cannot be stored.
  if (typeof origin === 'function') {
    return { ...NOTHING, middlewares: [cors({ ...options, origin: withPromises(origin) })] }
  }
  const middleware = cors(options)
  if (!isFixed(options.origin)) return { ...NOTHING, crossOrigin: crossOriginBy(middleware) }
  const headers = recordHeaders(middleware, {})
  return { ...NOTHING, headers, crossOrigin: { headersOf: null, preflight: middleware } }
}

/** Adds names to the list of response headers that scripts from other origins can read. */
function exposing(options: CorsOptions, names: readonly string[]): CorsOptions {
  if (names.length === 0) return options
  const { exposedHeaders: own = [] } = options
  const all = new Set([...(typeof own === 'string' ? own.split(/\s*,\s*/) : own), ...names])
  return { ...options, exposedHeaders: [...all] }
}

/** Whether responses have the same headers for every origin. */
function isFixed(origin: CorsOptions['origin']): boolean {
  return origin === undefined || typeof origin === 'string'
}

type Origin = NonNullable<CorsOptions['origin']>
type OriginFunction = Extract<Origin, (...args: never) => unknown>

/**
 * Allows a `security.cors.origin` function to return a promise for its decision instead of calling the callback.
 * Without this wrapper, `cors` would wait forever for the callback.
 */
function withPromises(origin: OriginFunction): OriginFunction {
  return (requested, callback) => {
    let hasDecided = false
    const decide: typeof callback = (error, allowed) => {
      if (hasDecided) return
      hasDecided = true
      callback(error, allowed)
    }
    const made: unknown = origin(requested, decide)
    if (!isThenable(made)) return
    made.then(
      (allowed) => {
        // An `async` function that takes the callback may call the callback after its promise has resolved.
        if (allowed === undefined && origin.length > 1) return
        const error = allowed === undefined ? undecided() : null
        decide(error, allowed as Parameters<typeof callback>[1])
      },
      (error) => decide(error as Error),
    )
  }
}

function undecided(): Error {
  return new Error(
    'security.cors.origin returned a promise that resolved to undefined. Resolve it to true, false or the allowed origin; or call the callback.',
  )
}

/** The maximum number of origins whose headers are stored, because a pattern may allow any number of origins. */
const MAX_ORIGINS = 100

type RecordedHeader = readonly [name: string, value: string]

/** The functions that implement CORS. */
export interface CrossOrigin {
  /**
   * Returns the response headers for an origin, as `[name, value, …]`. The caller can keep the list. The property is
   * `null` if all responses have the same headers.
   */
  readonly headersOf: ((origin: string | undefined) => string[]) | null
  /** Handles `OPTIONS` requests. */
  readonly preflight: RequestHandler
}

/**
 * Runs `cors` once for each allowed origin and stores the headers. This is safe because `cors` reads only the origin,
 * except for preflight requests.
 */
function crossOriginBy(middleware: RequestHandler): CrossOrigin {
  const stored = new Map<string, readonly string[]>()
  function headersOf(origin = ''): string[] {
    const known = stored.get(origin)
    if (known !== undefined) return [...known]
    const headers = recordHeaders(middleware, origin === '' ? {} : { origin })
    const isTrusted = headers.some(([name]) => name === 'Access-Control-Allow-Origin')
    if ((isTrusted || origin === '') && stored.size < MAX_ORIGINS)
      stored.set(origin, headers.flat())
    return headers.flat()
  }
  // Errors in the options are thrown at boot, not at the first request.
  headersOf()
  return { headersOf, preflight: middleware }
}

/**
 * Adds the headers for an origin before any code that handles the request can fail, and passes `OPTIONS` requests to
 * `preflighted`. The step is not a middleware, because a middleware that sets the headers one by one took 65,000 more
 * instructions per request.
 *
 * @param preflighted Runs `preflight`, and then the same steps as `run`.
 */
export function crossOriginStep(
  { headersOf }: CrossOrigin,
  { preflighted, run }: { preflighted: RunRoute; run: RunRoute },
): RunRoute {
  return function shareWithOrigin(req: BlazonRequest, res: Response) {
    // `OPTIONS *` concerns the whole server. Browsers never send it, so it is not a preflight request.
    if (req.method === 'OPTIONS' && req.url !== '*') return preflighted(req, res)
    if (headersOf !== null) addHeaders(res, headersOf(req.headers.origin))
    run(req, res)
  }
}

/**
 * Runs a middleware that only sets headers, with a stand-in for the response. Returns the headers that the middleware
 * set.
 */
function recordHeaders(
  middleware: RequestHandler,
  requestHeaders: IncomingHttpHeaders,
): RecordedHeader[] {
  const headers = new Map<string, RecordedHeader>()
  const res = {
    setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), [name, value]),
    getHeader: (name: string) => headers.get(name.toLowerCase())?.[1],
    removeHeader: (name: string) => headers.delete(name.toLowerCase()),
  } as unknown as ServerResponse
  const req = { method: 'GET', headers: requestHeaders } as IncomingMessage
  middleware(req, res, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return [...headers.values()]
}
