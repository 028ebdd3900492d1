import type { Response } from '../../contracts/handler.js'
import type { ApiResponseOptions } from '../../contracts/operation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { isJsonType, isPlainJson, isStatedBare } from '../../schema/answer-shape.js'

/** Sends what a handler has returned, and nothing around it. */
export type SendBare = (res: Response, value: unknown) => void

/** By status. */
export type BareAnswers = ReadonlyMap<number, SendBare>

/** How answers of a route are sent that are documented without envelope; `null` where none is. */
export function compileBareAnswers(route: RouteModel): BareAnswers | null {
  const stated = route.operation.responses.filter(isStatedBare)
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
    if (body === undefined) throw new TypeError(refusal({ name, status, type, value }))
    setType(res, type, typeof body === 'string')
    res.status(status).send(body)
  }
}

/** @param type `null` for the one that JSON has anyway. */
function jsonSender(status: number, type: string | null): SendBare {
  return function sendJson(res, value) {
    if (type !== null) setType(res, type, true)
    // JSON has no word for `undefined`, and an empty body is none.
    res.status(status).json(value ?? null)
  }
}

/** What is sent as it is; `undefined` for everything else. */
function bodyOf(value: unknown): string | Buffer | undefined {
  if (typeof value === 'string') return value
  if (!(value instanceof Uint8Array)) return undefined
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** One that is the same but for its parameters is the handler's own word. */
function setType(res: Response, type: string, isText: boolean): void {
  const isRange = type.includes('*')
  const set = res.get('Content-Type')
  if (isRange && set === undefined && isText) res.setHeader('Content-Type', 'text/plain')
  if (!isRange && essenceOf(set) !== essenceOf(type)) res.setHeader('Content-Type', type)
}

function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}

interface Refused {
  readonly name: string
  readonly status: number
  readonly type: string
  readonly value: unknown
}

function refusal({ name, status, type, value }: Refused): string {
  return (
    `${name} returned ${kindOf(value)}, but its response ${status} is documented as '${type}'. ` +
    'Return a string or bytes (Buffer, Uint8Array), or send the response with `res`. If it is JSON, take `contentType` out of @ApiResponseDoc.'
  )
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
