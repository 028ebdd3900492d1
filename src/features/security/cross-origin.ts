import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler, Response } from '../../contracts/handler.js'
import type { BlazonRequest } from '../../http/request.js'
import { addHeaders } from '../../http/send/response-headers.js'
import type { RunRoute } from '../../step/step.js'

/** Origins whose headers are kept. A pattern may let more in than anyone should remember. */
const MAX_ORIGINS = 100

/** A header that a middleware has set. */
export type RecordedHeader = readonly [name: string, value: string]

/** What CORS does to requests, when it is told which origins it trusts. */
export interface CrossOrigin {
  /** Headers of the answer to an origin, `[name, value, …]`, for whoever asks to keep; `null` where all answers have the same. */
  readonly headersOf: ((origin: string | undefined) => string[]) | null
  /** Answers `OPTIONS`. */
  readonly preflight: RequestHandler
}

/** Runs `cors` once for each origin that it lets in: of a request that is no preflight, it reads nothing else. */
export function crossOriginBy(middleware: RequestHandler): CrossOrigin {
  const kept = new Map<string, readonly string[]>()
  function headersOf(origin = ''): string[] {
    const known = kept.get(origin)
    if (known !== undefined) return [...known]
    const headers = recordHeaders(middleware, origin === '' ? {} : { origin })
    const isTrusted = headers.some(([name]) => name === 'Access-Control-Allow-Origin')
    if ((isTrusted || origin === '') && kept.size < MAX_ORIGINS) kept.set(origin, headers.flat())
    return headers.flat()
  }
  // What is wrong with the options shows now, and not in the first request.
  headersOf()
  return { headersOf, preflight: middleware }
}

/**
 * Adds the headers of an origin before anything can fail, and gives `OPTIONS` to `preflighted`. No middleware: with one,
 * and the headers set one by one, a request took 65,000 instructions more.
 *
 * @param preflighted `preflight`, and then what all others run.
 */
export function crossOriginStep(
  { headersOf }: CrossOrigin,
  { preflighted, run }: { preflighted: RunRoute; run: RunRoute },
): RunRoute {
  return function shareWithOrigin(req: BlazonRequest, res: Response) {
    // No browser asks for the whole server: that is no preflight.
    if (req.method === 'OPTIONS' && req.url !== '*') return preflighted(req, res)
    if (headersOf !== null) addHeaders(res, headersOf(req.headers.origin))
    run(req, res)
  }
}

/** Runs a middleware that only sets headers against a stand-in that notes them. */
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
