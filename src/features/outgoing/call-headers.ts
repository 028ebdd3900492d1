import type { Request as ServerRequest } from '../../contracts/handler.js'
import { REQUEST_ID_HEADER, sendableRequestId } from '../../http/request-id.js'
import { traceOf } from '../../http/trace-context.js'
import { WorkContext } from '../../http/work-context.js'
import { type AskedCall, isSafe, methodOf } from './call.js'

/** Dependencies of the headers of a call, besides the program. */
export interface HeadersConfig {
  /** More headers with which a client proves to this application who it is, in lower case. */
  readonly credentials: readonly string[]
  /** Called with the name of each header that is left out. */
  readonly onLeftOut: (name: string) => void
}

/** Headers of credentials in any application. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie']

const KEY = 'idempotency-key'

/** Returns the headers that the program has given, without credentials of the request, with its trace and its id. */
export function headersOf(asked: AskedCall, config: HeadersConfig): Headers {
  const { input, init, req } = asked
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}))
  if (req === undefined) return addWork(headers, asked)
  leaveOut(headers, req, config)
  if (init.public !== true) addContext(headers, req)
  return headers
}

/** A program that passes all headers of its request on would give the credentials of its client to the other host. */
function leaveOut(headers: Headers, req: ServerRequest, config: HeadersConfig): void {
  const { credentials, onLeftOut } = config
  for (const name of new Set([...CREDENTIALS, ...credentials])) {
    const own = req.headers[name]
    if (own === undefined || headers.get(name) !== String(own).trim()) continue
    headers.delete(name)
    onLeftOut(name)
  }
}

/** A job may run several times, so a call that changes something has the same key in each run. */
function addWork(headers: Headers, asked: AskedCall): Headers {
  const work = WorkContext.current()
  if (work === undefined) return headers
  const own = asked.init.public === true ? {} : work.headers
  for (const [name, value] of Object.entries(own)) if (!headers.has(name)) headers.set(name, value)
  const key = isSafe(methodOf(asked)) ? undefined : work.idempotencyKey
  if (key !== undefined && !headers.has(KEY)) headers.set(KEY, key())
  return headers
}

function addContext(headers: Headers, req: ServerRequest): void {
  const id = sendableRequestId(req)
  if (id !== undefined && !headers.has(REQUEST_ID_HEADER)) headers.set(REQUEST_ID_HEADER, id)
  if (headers.has('traceparent')) return
  for (const [name, value] of Object.entries(traceOf(req).headers)) headers.set(name, value)
}
