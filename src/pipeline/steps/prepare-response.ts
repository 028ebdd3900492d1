import type { Response } from '../../contracts/handler.js'
import type { ResponseFieldsMode } from '../../contracts/operation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest } from '../../http/request.js'
import { joinHeader } from '../../http/send/response-headers.js'
import { ALL_ROWS, type JsonPreparation, prepareJson, REFUSED } from '../../http/send/send-json.js'
import type { BodyFields, ResponseFields } from '../../schema/fields/response-fields.js'
import type { WriteDates } from '../../schema/response-dates.js'
import type { OnError, StepFactory } from '../../step/step.js'

/** The settings for a route's response fields. */
export interface RouteFields {
  readonly mode: Exclude<ResponseFieldsMode, 'send'>
  /** The fields, by status. For all other statuses, bodies are sent unchanged. */
  readonly byStatus: ReadonlyMap<number, ResponseFields>
}

/** The input of {@link fieldsStage}. */
export interface FieldsConfig {
  readonly fields: RouteFields
  /** The route, whose name is logged. */
  readonly route: { readonly name: string }
  readonly onError: OnError
}

/** Limits a body or data to the fields in its schema. */
type Limit = (value: unknown, fields: BodyFields, target: Target) => unknown

interface Target {
  readonly status: number
  readonly res: Response
}

/**
 * Limits the body of `res.json` to the fields in its schema, or compares the body with its schema. Every JSON response
 * of a handler passes through `res.json`, because returned values, `this.ok` and `res.send` use it. Data is limited
 * before it is put into a custom envelope, because a custom envelope can put the data anywhere.
 */
export function fieldsStage(config: FieldsConfig): StepFactory {
  const preparation = fieldsPreparation(config)
  return (next) =>
    function limitFields(req, res) {
      prepareJson(res, preparation)
      return next(req, res)
    }
}

/** Returns the functions that limit the bodies of `res.json` to the fields in their schemas. */
export function fieldsPreparation(config: FieldsConfig): JsonPreparation {
  const { mode, byStatus } = config.fields
  const limit = mode === 'strip' ? stripFields(config) : checkFields(config)
  const prepared = (select: (fields: ResponseFields) => BodyFields): JsonPreparation['prepare'] =>
    function limitBody(body, res) {
      const status = res.statusCode
      const fields = byStatus.get(status)
      return fields === undefined ? body : limit(body, select(fields), { status, res })
    }
  const rowsOf: JsonPreparation['rowsOf'] = (status, res) => {
    const fields = byStatus.get(status)
    if (fields === undefined) return ALL_ROWS
    const { rows } = fields
    if (rows === null) return null
    const { list, isDocument } = rows
    return { limit: (all) => limit(all, list, { status, res }), isDocument }
  }
  const ofBody: JsonPreparation = {
    prepare: prepared((fields) => fields.wrapped?.body ?? fields),
    inEnvelope: null,
    rowsOf,
    isRequired: true,
  }
  const prepareData = (data: unknown, status: number, res: Response) => {
    const fields = byStatus.get(status)
    // A missing value has no fields, and a documented envelope may contain no data.
    if (fields === undefined || data === undefined) return data
    return limit(data, fields.wrapped?.data ?? fields, { status, res })
  }
  return {
    prepare: prepared((fields) => fields),
    inEnvelope: { prepareData, ofBody },
    rowsOf,
    isRequired: true,
  }
}

function stripFields({ route: { name } }: FieldsConfig): Limit {
  return function strip(value, fields, { status }) {
    try {
      return fields.strip(value)
    } catch (cause) {
      throw explained(cause, `${name}: the response ${status}`)
    }
  }
}

/**
 * A mismatch is reported as an error of the route instead of being thrown. If a handler responds in a callback, it
 * could not catch the error, which would end the process.
 */
function checkFields({ route: { name }, onError }: FieldsConfig): Limit {
  return function check(value, fields, { status, res }) {
    const checked = fields.check(value)
    if (checked.lie === null) return checked.plain
    const message =
      `${name}: the response ${status} does not match its @ApiResponseDoc: ${checked.lie}. ` +
      'Correct the handler, or the schema.'
    onError(refuse('INTERNAL_SERVER_ERROR', message), requestOf(res), res)
    return REFUSED
  }
}

function requestOf({ req }: Response): BlazonRequest {
  return req as BlazonRequest
}

/** Adds the route to a serialization error. Errors from getters and `toJSON` are not changed. */
export function explained(cause: unknown, subject: string): unknown {
  if (cause instanceof RangeError) {
    const text = `${subject} contains itself, or is nested too deeply for JSON.`
    return new TypeError(text, { cause })
  }
  const isOurs = cause instanceof TypeError && 'kind' in cause
  return isOurs ? new TypeError(`${subject}: ${cause.message}`, { cause }) : cause
}

/** Sets the `@Header` headers before the handler runs. The handler can still change them. */
export function headersStage(headers: NonNullable<RouteModel['headers']>): StepFactory {
  return (next) =>
    function setHeaders(req, res) {
      for (const [name, value] of headers) joinHeader(res, name, value)
      return next(req, res)
    }
}

/** Finds the function that writes the dates of a route's responses; `null` if the responses contain no dates. */
export type FindDateWriter = () => WriteDates | null

/**
 * Converts a response's documented dates to strings in advance. Otherwise, `JSON.stringify` would call `toJSON` for
 * each `Date`, which takes longer than all other work for a list of orders. A route's schemas are read on the first
 * request to the route, because reading the schemas of all routes would slow down boot.
 */
export function datesStage(find: FindDateWriter): StepFactory {
  return (next) => {
    let dates: JsonPreparation | null | undefined
    return function writeDates(req, res) {
      if (dates === undefined) dates = preparationOf(find())
      if (dates !== null) prepareJson(res, dates)
      return next(req, res)
    }
  }
}

function preparationOf(write: WriteDates | null): JsonPreparation | null {
  return write && { prepare: write, inEnvelope: null, rowsOf: () => ALL_ROWS, isRequired: false }
}
