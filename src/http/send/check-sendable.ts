import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'

/** A call that sends something: a method of a response, and its arguments. */
export interface Sendable {
  readonly name: 'writeHead' | 'flushHeaders' | 'write' | 'end'
  readonly args: readonly unknown[]
}

/**
 * Throws the error that Node would throw later, when a held response is sent. At that time the handler has returned
 * and cannot catch the error, and its transaction is committed although the response cannot be sent.
 *
 * @param isFirst Whether the head is sent by this call.
 * @throws TypeError, RangeError as Node's method of that name.
 */
export function checkSendable(
  res: ServerResponse,
  { name, args }: Sendable,
  isFirst: boolean,
): void {
  if (name === 'writeHead') checkHead(args)
  else if (isFirst) checkStatus(res.statusCode, res.statusMessage)
  if (name === 'write' || (name === 'end' && Boolean(args[0]))) checkChunk(args[0])
}

function checkHead([status, ...rest]: readonly unknown[]): void {
  checkStatus(status, typeof rest[0] === 'string' ? rest.shift() : undefined)
  const [headers] = rest
  const list = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers ?? {})
  for (const [name, value] of list) {
    validateHeaderName(name)
    for (const each of Array.isArray(value) ? value : [value]) validateHeaderValue(name, each)
  }
}

/** Node takes `[name, value, …]` as well as `[[name, value], …]`. */
export function pairsOf(list: readonly unknown[]): [name: string, value: string][] {
  if (Array.isArray(list[0])) return list as [string, string][]
  if (list.length % 2 !== 0)
    throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'A header has no value')
  return list.flatMap((name, i) =>
    i % 2 === 0 ? [[name as string, list[i + 1] as string] as [string, string]] : [],
  )
}

function checkStatus(status: unknown, reason: unknown): void {
  const code = Number(status) | 0
  if (code < 100 || code > 999) {
    throw coded(
      RangeError,
      'ERR_HTTP_INVALID_STATUS_CODE',
      `Invalid status code: ${String(status)}`,
    )
  }
  if (reason) validateHeaderValue('Reason-Phrase', String(reason))
}

function checkChunk(chunk: unknown): void {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array || typeof chunk === 'function')
    return
  if (chunk === null)
    throw coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream')
  throw coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `A response body is text or bytes, not ${typeof chunk}`,
  )
}

function coded(Kind: ErrorConstructor, code: string, message: string): Error {
  return Object.assign(new Kind(message), { code })
}
