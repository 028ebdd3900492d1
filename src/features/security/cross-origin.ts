import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler, Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../../http/request.js'
import { addHeaders } from '../../http/send/response-headers.js'
import type { RunRoute } from '../../step/step.js'

/** The most origins whose headers are stored. A pattern may allow an unlimited number of origins. */
const MAX_ORIGINS = 100

/** A header that a middleware set. */
export type RecordedHeader = readonly [name: string, value: string]

/** How CORS handles requests. */
export interface CrossOrigin {
  /**
   * Returns the response headers for an origin, as `[name, value, …]`. The caller may keep the list. `null`
   * when all responses have the same headers.
   */
  readonly headersOf: ((origin: string | undefined) => string[]) | null
  /** Handles `OPTIONS` requests. */
  readonly preflight: RequestHandler
}

/**
 * Runs `cors` once for each allowed origin and stores the headers. This is safe because `cors` reads only the
 * origin of a request that is not a preflight.
 */
export function crossOriginBy(middleware: RequestHandler): CrossOrigin {
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
 * Adds the headers for an origin before any other code of the request can fail, and passes `OPTIONS` to
 * `preflighted`. It is not a middleware: a middleware that sets the headers one by one took 65,000 more
 * instructions per request.
 *
 * @param preflighted Runs `preflight`, and then the same as `run`.
 */
export function crossOriginStep(
  { headersOf }: CrossOrigin,
  { preflighted, run }: { preflighted: RunRoute; run: RunRoute },
): RunRoute {
  return function shareWithOrigin(req: BlazonRequest, res: Response) {
    // `OPTIONS *` is about the whole server. Browsers never send it, so it is not a preflight.
    if (req.method === 'OPTIONS' && req.url !== '*') return preflighted(req, res)
    if (headersOf !== null) addHeaders(res, headersOf(req.headers.origin))
    run(req, res)
  }
}

/** Runs a middleware that only sets headers on a stand-in for a response, and returns the headers. */
export function recordHeaders(
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
