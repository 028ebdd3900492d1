import type { Response } from '../../contracts/handler.js'
import type { ApiResponseOptions } from '../../contracts/operation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { isJsonType, isPlainJson, isSentWithoutEnvelope } from '../../schema/response-shape.js'

/** Sends the value that a handler has returned without an envelope. */
export type SendBare = (res: Response, value: unknown) => void

/** The functions by status. */
export type BareResponses = ReadonlyMap<number, SendBare>

/** Compiles the functions that send responses documented without an envelope; `null` if the route has none. */
export function compileBareResponses(route: RouteModel): BareResponses | null {
  const stated = route.operation.responses.filter(isSentWithoutEnvelope)
  if (stated.length === 0) return null
  return new Map(stated.map((each) => [each.status, compileSend(each, route)]))
}

function compileSend(stated: ApiResponseOptions, { name, headers }: RouteModel): SendBare {
  const { status } = stated
  const ofHeader = headers?.find(([header]) => header.toLowerCase() === 'content-type')?.[1]
  const type = stated.contentType ?? ofHeader ?? 'application/json'
  if (isJsonType(type)) return jsonSender(status, isPlainJson(type) ? null : type)
  return function sendText(res, value) {
    const body = bodyOf(value)
    if (body === undefined) throw new TypeError(explainValue({ name, status, type, value }))
    setType(res, type, typeof body === 'string')
    res.status(status).send(body)
  }
}

/** @param type `null` for `application/json`, which `res.json` sets itself. */
function jsonSender(status: number, type: string | null): SendBare {
  return function sendJson(res, value) {
    if (type !== null) setType(res, type, true)
    // JSON has no `undefined`, and an empty body is not JSON.
    res.status(status).json(value ?? null)
  }
}

/** Returns the value as a body that is sent unchanged; `undefined` if the value is neither text nor bytes. */
function bodyOf(value: unknown): string | Buffer | undefined {
  if (typeof value === 'string') return value
  if (!(value instanceof Uint8Array)) return undefined
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/**
 * Sets the documented type, unless the handler has set it already, perhaps with other parameters such as a charset.
 */
function setType(res: Response, type: string, isText: boolean): void {
  const isRange = type.includes('*')
  const set = res.get('Content-Type')
  if (isRange && set === undefined && isText) res.setHeader('Content-Type', 'text/plain')
  if (!isRange && essenceOf(set) !== essenceOf(type)) res.setHeader('Content-Type', type)
}

/** The type without its parameters. */
function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
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
    'Return a string or bytes (Buffer, Uint8Array), or send the response with `res`. ' +
    'If the response is JSON, remove `contentType` from @ApiResponseDoc.'
  )
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
