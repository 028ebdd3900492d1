import type { ServerResponse } from 'node:http'
import type { Logger } from '../contracts/logger.js'
import { respondWithoutApp } from '../pipeline/fail.js'

/**
 * Responds to a request if the start has failed. There are no routes yet that could respond, and no caller receives the
 * error, so it is logged.
 */
export function refuseUnstarted(
  err: unknown,
  res: ServerResponse,
  logger: Pick<Logger, 'error'>,
): void {
  logger.error({ err }, 'The application did not start')
  respondWithoutApp(res, 'SERVICE_UNAVAILABLE')
}

/**
 * Returns a function that refuses requests of Node's HTTP/2, whose messages are of other classes. The mistake is in the
 * program, not in a request, so the first request alone is logged.
 */
export function createHttp2Refusal(logger: Pick<Logger, 'error'>): (res: ServerResponse) => void {
  let isLogged = false
  return function refuseHttp2(res) {
    if (!isLogged) logger.error({}, HTTP2)
    isLogged = true
    respondWithoutApp(res, 'HTTP_VERSION_NOT_SUPPORTED')
  }
}

const HTTP2 =
  'app.handler cannot handle requests of HTTP/2: they get a 505. Use http.createServer or https.createServer, and let a proxy speak HTTP/2.'

/** A client of HTTP/1 may write any version in its request, so the response decides. */
export function isHttp2({ httpVersionMajor }: { httpVersionMajor: number }, res: object): boolean {
  return httpVersionMajor === 2 && 'stream' in res
}
