import type { Response } from '../../contracts/handler.js'
import type { ResponseFieldsMode } from '../../contracts/operation.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest } from '../../http/request.js'
import { type JsonPreparation, prepareJson, REFUSED } from '../../http/send/send-json.js'
import type { BodyFields } from '../../schema/fields/response-fields.js'
import type { OnError, Stage } from '../../step/step.js'

/** What a route does with the fields of its responses. */
export interface RouteFields {
  readonly mode: Exclude<ResponseFieldsMode, 'send'>
  /** By status. The body of another status is sent as it is. */
  readonly byStatus: ReadonlyMap<number, BodyFields>
}

interface FieldsConfig extends RouteFields {
  /** The name of the route, for the log. */
  readonly name: string
  readonly onError: OnError
}

/**
 * Reduces the body of `res.json` to the fields that its schema names, or compares it with the schema. Every JSON
 * response of a handler goes through `res.json`: returned values, `this.ok` and `res.send` call it.
 */
export function fieldsStage(config: FieldsConfig): Stage {
  const prepare = config.mode === 'strip' ? stripFields(config) : checkFields(config)
  const preparation: JsonPreparation = { prepare, isRequired: true }
  return (next) =>
    function limitFields(req, res) {
      prepareJson(res, preparation)
      return next(req, res)
    }
}

function stripFields({ byStatus, name }: FieldsConfig): JsonPreparation['prepare'] {
  return function strip(body, { statusCode }) {
    const fields = byStatus.get(statusCode)
    if (fields === undefined) return body
    try {
      return fields.strip(body)
    } catch (cause) {
      throw explained(cause, `${name}: the response ${statusCode}`)
    }
  }
}

/**
 * A lie is reported as an error of the route, and not thrown: a handler that sends its response from a callback could
 * not catch it, and it would end the process.
 */
function checkFields({ byStatus, name, onError }: FieldsConfig): JsonPreparation['prepare'] {
  return function check(body, res) {
    const { statusCode } = res
    const fields = byStatus.get(statusCode)
    if (fields === undefined) return body
    const checked = fields.check(body)
    if (checked.lie === null) return checked.plain
    const message =
      `${name}: the response ${statusCode} is not what @ApiResponseDoc describes: ${checked.lie}. ` +
      'Correct the handler, or the schema.'
    onError(refuse('INTERNAL_SERVER_ERROR', message), requestOf(res), res)
    return REFUSED
  }
}

function requestOf({ req }: Response): BlazonRequest {
  return req as BlazonRequest
}

/** Adds the route to an error about the form of a value. An error that a getter or `toJSON` throws stays as it is. */
function explained(cause: unknown, subject: string): unknown {
  if (cause instanceof RangeError) {
    const text = `${subject} contains itself, or is nested too deeply for JSON.`
    return new TypeError(text, { cause })
  }
  const isOurs = cause instanceof TypeError && 'kind' in cause
  return isOurs ? new TypeError(`${subject}: ${cause.message}`, { cause }) : cause
}
