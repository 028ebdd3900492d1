import { STATUS_CODES } from 'node:http'
import type { Request, Response } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { EnvelopeFormat } from '../contracts/wire-format.js'
import type { SuccessEnvelope } from '../errors/envelope.js'
import { representationOf } from '../http/request-notes.js'
import { setDocumentedType } from '../http/send/response-headers.js'
import { preparedData, REFUSED, sendAround, sendJsonAs } from '../http/send/send-json.js'
import {
  headerTypeOf,
  isJsonType,
  isPlainJson,
  isSentWithoutEnvelope,
} from '../schema/response-shape.js'
import { ignoreRejection, isThenable } from '../step/step.js'

/** The data of a success response, and the facts that an envelope can use. */
export interface Success {
  readonly status: number
  readonly message: string
  readonly data: unknown
}

/** Sends a success response. */
export type SendSuccess = (res: Response, success: Success) => void

/** Sends the value that a handler returned. */
export type SendReturned = (res: Response, status: number, value: unknown) => void

/** The parts of a route that determine how its success responses are sent. */
export type WireRoute = Pick<RouteModel, 'name' | 'envelope' | 'headers' | 'produces'> & {
  readonly operation: Pick<RouteModel['operation'], 'responses'>
}

/** Returns the function that sends the return values of a route's handler. */
export function returnedSender(route: WireRoute & Pick<RouteModel, 'isEnveloped'>): SendReturned {
  if (route.isEnveloped) return sendEnvelope
  const send = ownSender(route)
  return (res, status, data) => send(res, { status, message: reasonOf(status), data })
}

/** Sends a returned value in the framework's own envelope. */
export function sendEnvelope(res: Response, status: number, data: unknown): void {
  if (status === 204) return void res.status(204).end()
  res.status(status).json(successEnvelope(status, reasonOf(status), data))
}

/** Puts the data of a success response into the envelope. */
export function successEnvelope<TData>(
  status: number,
  message: string,
  data: TData,
): SuccessEnvelope<TData> {
  return { statusCode: 'success', status, message, data }
}

function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'OK'
}

/** The functions that send success responses, for routes that do not always use the framework's own envelope. */
const senders = new WeakMap<WireRoute, SendSuccess>()

/** Returns the function that sends a route's success responses. */
export function ownSender(route: WireRoute): SendSuccess {
  const known = senders.get(route)
  if (known !== undefined) return known
  const made = route.produces === null ? compileSender(route) : producedSender(route)
  senders.set(route, made)
  return made
}

/** Creates the function for `@Produces` routes. Errors that the handler itself sends are still JSON. */
function producedSender(route: WireRoute): SendSuccess {
  const sendJson = compileSender(route)
  return function sendChosen(res, success) {
    const { type, send = null } = representationOf(res.req as Request) ?? {}
    const hasBody = success.status !== 204 && success.status < 400
    if (hasBody && send !== null) return send(res, success)
    if (hasBody && type !== undefined) setDocumentedType(res, type)
    sendJson(res, success)
  }
}

function compileSender(route: WireRoute): SendSuccess {
  const stated = route.operation.responses.filter((each) => isSentWithoutEnvelope(each, route))
  const bare = new Map(stated.map((each) => [each.status, bareSender(route, each.contentType)]))
  const other = otherSender(route)
  return function sendSuccess(res, success) {
    if (success.status === 204) return void res.status(204).end()
    const send = bare.get(success.status) ?? other
    send(res, success)
  }
}

/** Creates the function for statuses that the document does not describe individually. */
function otherSender(route: WireRoute): SendSuccess {
  const { envelope } = route
  if (envelope === false) return bareSender(route)
  if (envelope !== true) return formatSender(envelope, route)
  return (res, { status, message, data }) =>
    void res.status(status).json(successEnvelope(status, message, data))
}

/** Sends the result of an envelope's `success`. */
function formatSender(envelope: EnvelopeFormat, route: WireRoute): SendSuccess {
  const type = headerTypeOf(route) ?? envelope.mediaType ?? 'application/json'
  return function sendFormat(res, { status, message, data }) {
    const ready = preparedData(res, status, data)
    if (ready === REFUSED) return
    const body: unknown = envelope.success(ready, { status, message, req: res.req as Request })
    if (!isJsonData(body)) throw notJson(route.name, body)
    res.status(status)
    sendAround(res, () => void (isPlainJson(type) ? res.json(body) : sendJsonAs(res, type, body)))
  }
}

/** Whether JSON can represent a value at all. A promise, for example, would become `{}`. */
export function isJsonData(value: unknown): boolean {
  return !['undefined', 'function', 'symbol'].includes(typeof value) && !isThenable(value)
}

function notJson(name: string, body: unknown): TypeError {
  ignoreRejection(body)
  const got = isThenable(body) ? 'a promise' : kindOf(body)
  return new TypeError(
    `The envelope of ${name} returned ${got}. Its \`success\` must return the body as JSON data, synchronously.`,
  )
}

/** Creates the function that sends data as the whole body. */
function bareSender(route: WireRoute, contentType?: string): SendSuccess {
  const type = contentType ?? headerTypeOf(route) ?? 'application/json'
  if (isJsonType(type)) return jsonSender(isPlainJson(type) ? null : type)
  return function sendText(res, { status, data }) {
    const body = bodyOf(data)
    if (body === undefined) {
      throw new TypeError(explainValue({ name: route.name, status, type, value: data }))
    }
    setType(res, type, typeof body === 'string')
    res.status(status).send(body)
  }
}

/** @param type The media type; `null` for `application/json`, which `res.json` sets itself. */
function jsonSender(type: string | null): SendSuccess {
  return function sendJson(res, { status, data }) {
    if (type !== null) setType(res, type, true)
    // Send `null` for `undefined`, which JSON does not have. An empty body is not valid JSON.
    res.status(status).json(data ?? null)
  }
}

/** Returns the value as a body that is sent unchanged; `undefined` if the value is neither a string nor bytes. */
function bodyOf(value: unknown): string | Buffer | undefined {
  if (typeof value === 'string') return value
  if (!(value instanceof Uint8Array)) return undefined
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** Sets the documented type. For a range such as `text/*`, a string is plain text unless the handler has set a type. */
function setType(res: Response, type: string, isText: boolean): void {
  if (!type.includes('*')) setDocumentedType(res, type)
  else if (isText && !res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'text/plain')
}

interface WrongValue {
  readonly name: string
  readonly status: number
  readonly type: string
  readonly value: unknown
}

function explainValue({ name, status, type, value }: WrongValue): string {
  return (
    `${name} returned ${kindOf(value)}, but its response ${status} has the media type '${type}'. ` +
    'Return a string or bytes (Buffer, Uint8Array, a stream), or send the response with `res`. ' +
    'If the response is JSON, remove `contentType` from @ApiResponseDoc, or the @Header that sets `Content-Type`.'
  )
}

/** Names the kind of a returned value, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
