// What the two floors share: the headers of the full stack, and the body of a request.
import { ORIGIN, RATE_LIMIT, RATE_WINDOW_SECONDS } from '../orders.mjs'

const HELMET_HEADERS = [
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
].flat()

const LIMIT_HEADERS = [
  ['RateLimit-Policy', `"default";q=${RATE_LIMIT};w=${RATE_WINDOW_SECONDS}`],
  ['RateLimit', `"default";r=${RATE_LIMIT - 1};t=${RATE_WINDOW_SECONDS}`],
].flat()

const ORIGIN_HEADERS = ['Access-Control-Allow-Origin', ORIGIN]
/** The headers of the full stack that middlewares neither set nor change. */
export const POLICY_HEADERS = [...HELMET_HEADERS, ...ORIGIN_HEADERS, ...LIMIT_HEADERS]

const PRIVATE = ['Cache-Control', 'no-store']
export const FULL_HEADERS = [...POLICY_HEADERS, 'Vary', 'Origin', ...PRIVATE]
export const MIDDLEWARE_HEADERS = [...POLICY_HEADERS, 'Vary', 'Origin, Accept-Encoding', ...PRIVATE]

/** Calls back with a request's body, parsed. */
export function withBody(req, callback) {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    callback(JSON.parse(bytes.toString()))
  })
}
