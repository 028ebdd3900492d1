import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { bodyText, type Exchange, isJson } from '../app/contract/exchange.js'

/** Checks an exchange. Returns an error if the response is not as documented, otherwise `undefined`. */
export type CheckExchange = (exchange: Exchange) => Error | undefined

/** Whether a response has a JSON body. */
export function hasJsonBody({ method }: ClientRequest, res: IncomingMessage): boolean {
  const isBodiless = method === 'HEAD' || res.statusCode === 204 || res.statusCode === 304
  return !isBodiless && isJson(res.headers['content-type'])
}

/**
 * Passes the response of a request to `checkExchange`, without consuming the body that the caller reads.
 *
 * @param report Receives the result: for a JSON body, before the caller receives the end of the body; otherwise, when
 * the head arrives.
 */
export function observe(
  req: ClientRequest,
  checkExchange: CheckExchange,
  report: (failure: Error | undefined) => void,
): void {
  req.prependOnceListener('response', (res: IncomingMessage) => {
    const { statusCode: status = 0, headers } = res
    const sent = req.getHeaders() as IncomingHttpHeaders
    const exchange = { method: req.method, url: req.path, sent, status, headers, body: null }
    if (!hasJsonBody(req, res)) return report(checkExchange(exchange))
    const chunks: Buffer[] = []
    const push = res.push
    // A `data` listener would start the stream before the caller has attached its own listeners.
    res.push = function pushObserved(chunk, encoding) {
      if (chunk !== null) chunks.push(chunk)
      else
        report(
          checkExchange({
            ...exchange,
            body: bodyText(Buffer.concat(chunks), headers['content-encoding']),
          }),
        )
      return push.call(this, chunk, encoding)
    }
  })
}
