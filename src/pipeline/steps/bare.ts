import type { Response } from '../../contracts/handler.js'
import type { ApiResponseOptions } from '../../contracts/operation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { setDocumentedType } from '../../http/send/content-type.js'
import { isJsonType, isPlainJson, isSentWithoutEnvelope } from '../../schema/response-shape.js'

/** How the values that a handler returns for one status are sent without an envelope. */
export interface BareResponse {
  /** Sends data: JSON or text. */
  readonly send: (res: Response, value: unknown) => void
  /** The documented media type of streams and bytes; `null` if it is a range. */
  readonly type: string | null
}

/** The responses by status. */
export type BareResponses = ReadonlyMap<number, BareResponse>

/** Compiles the functions that send responses documented without an envelope; `null` if the route has none. */
export function compileBareResponses(route: RouteModel): BareResponses | null {
  const stated = route.operation.responses.filter(isSentWithoutEnvelope)
  if (stated.length === 0) return null
  return new Map(stated.map((each) => [each.status, compileResponse(each, route)]))
}

function compileResponse(stated: ApiResponseOptions, { name, headers }: RouteModel): BareResponse {
  const { status } = stated
  const ofHeader = headers?.find(([header]) => header.toLowerCase() === 'content-type')?.[1]
  const type = stated.contentType ?? ofHeader ?? 'application/json'
  const send = isJsonType(type)
    ? jsonSender(status, isPlainJson(type) ? null : type)
    : textSender({ name, status, type })
  return { send, type: type.includes('*') ? null : type }
}

/** @param type `null` for `application/json`, which `res.json` sets itself. */
function jsonSender(status: number, type: string | null): BareResponse['send'] {
  return function sendJson(res, value) {
    if (type !== null) setType(res, type)
    // JSON has no `undefined`, and an empty body is not JSON.
    res.status(status).json(value ?? null)
  }
}

function textSender({ name, status, type }: Omit<WrongValue, 'value'>): BareResponse['send'] {
  return function sendText(res, value) {
    if (typeof value !== 'string') {
      throw new TypeError(explainValue({ name, status, type, value }))
    }
    setType(res, type)
    res.status(status).send(value)
  }
}

/** Sets the documented type. For a range such as `text/*`, a string is plain text unless the handler has set a type. */
function setType(res: Response, type: string): void {
  if (!type.includes('*')) setDocumentedType(res, type)
  else if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'text/plain')
}

interface WrongValue {
  readonly name: string
  readonly status: number
  readonly type: string
  readonly value: unknown
}

function explainValue({ name, status, type, value }: WrongValue): string {
  return (
    `${name} returned ${kindOf(value)}, but its response ${status} is documented as '${type}'. ` +
    'Return a string or bytes (Buffer, Uint8Array, a stream), or send the response with `res`. ' +
    'If the response is JSON, remove `contentType` from @ApiResponseDoc.'
  )
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
