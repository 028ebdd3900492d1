import type { Request } from '../../contracts/handler.js'
import type { Schema } from '../../contracts/schema.js'
import type { EnvelopeChoice, ErrorWire, Failure } from '../../contracts/wire-format.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { checkBodySchema, checkMediaType } from '../../model/check-envelope.js'

/** The `errors` option. */
export interface ErrorOptions {
  /**
   * Returns the body of an error response, as JSON data: `(failure, req) => body`. `failure` is frozen: `status`,
   * `code`, `message`, and, if there are any, `errors` and `requestId`. `req` is `undefined` if Node's parser could not
   * read the request. If the function fails, the client receives the default format. `'problem'`: every error is an RFC
   * 9457 document.
   *
   * @defaultValue the error envelope, or RFC 9457 for clients that request it
   */
  readonly format?: 'problem' | ((failure: Failure, req?: Request) => unknown)
  /**
   * The schema of the body that `format` returns: a Standard Schema or a JSON Schema. The OpenAPI document contains it.
   *
   * @defaultValue none; required if `format` is a function
   */
  readonly schema?: Schema
  /**
   * The media type of the body that `format` returns, such as `application/vnd.api+json`.
   *
   * @defaultValue `'application/json'`
   */
  readonly mediaType?: string
  /**
   * The status of errors by their cause: `{ validation: 422 }` for requests that a schema rejects
   * (`VALIDATION_FAILED`). Allowed values are 400, 406, 409, 412 and 422, because clients handle other statuses
   * differently.
   *
   * @defaultValue `{ validation: 400 }`
   */
  readonly status?: {
    /** The status of `VALIDATION_FAILED`. Default 400. */
    readonly validation?: number
  }
}

/** The `errors` option, resolved. */
export interface ErrorSettings {
  readonly wire: ErrorWire
  /** The status of `VALIDATION_FAILED`. */
  readonly validationStatus: number
}

type Option = 'problem' | ErrorOptions | undefined

const NAMES: OptionNames<ErrorOptions> = {
  format: true,
  schema: true,
  mediaType: true,
  status: { validation: true },
}
/**
 * The statuses that are allowed for rejected input. Clients handle the other 4xx statuses differently: they sign in,
 * wait, or send the request in another form.
 */
const OF_VALIDATION: readonly unknown[] = [400, 406, 409, 412, 422]

/** The `errors` option. A misspelt name is an error, because clients would receive an unexpected format. */
export const errorGroup: OptionGroup<Option, ErrorSettings> = {
  unknown: (errors) => unknownOptions('errors.', errors, NAMES),
  check,
  resolve(errors) {
    const validationStatus = statusOf(errors)?.validation ?? 400
    return Object.freeze({ wire: wireOf(errors), validationStatus })
  },
}

/** Replaces the error format with the format in the application's own envelope, if the envelope has one. */
export function errorsWith(envelope: EnvelopeChoice, errors: ErrorSettings): ErrorSettings {
  if (typeof envelope !== 'object' || envelope.error === undefined) return errors
  return Object.freeze({ ...errors, wire: envelope.error })
}

function wireOf(errors: Option): ErrorWire {
  if (errors === undefined) return 'negotiated'
  const { format, schema = {}, mediaType } = errors === 'problem' ? { format: errors } : errors
  if (format === undefined) return 'negotiated'
  if (format === 'problem') return format
  return Object.freeze({ format, schema, ...(mediaType !== undefined && { mediaType }) })
}

function statusOf(errors: Option): ErrorOptions['status'] {
  return typeof errors === 'object' ? errors?.status : undefined
}

function check(errors: unknown): Problem[] {
  if (errors === undefined || errors === 'problem') return []
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) {
    const remedy = "Pass 'problem', or { format, schema, mediaType, status }."
    return [invalid('errors', `${shown(errors)} is not an error format.`, remedy)]
  }
  const options = errors as ErrorOptions
  return [...checkFormat(options), ...checkStatus(options.status)]
}

function checkFormat({ format, schema, mediaType }: ErrorOptions): Problem[] {
  if (typeof format === 'function') {
    return [...checkBodySchema('errors', schema), ...checkMediaType('errors', mediaType)]
  }
  const problems: Problem[] = []
  if (format !== undefined && format !== 'problem') {
    const remedy = "Pass a function (failure, req) => body, or 'problem'."
    problems.push(invalid('errors.format', `${shown(format)} is not a format.`, remedy))
  }
  for (const [name, value] of Object.entries({ schema, mediaType })) {
    if (value === undefined) continue
    const cause = 'It belongs to a custom `format`, but `format` is not a function.'
    problems.push(
      invalid(`errors.${name}`, cause, 'Pass the function `format`, or remove this option.'),
    )
  }
  return problems
}

function checkStatus(status: ErrorOptions['status']): Problem[] {
  if (status === undefined) return []
  if (typeof status !== 'object' || status === null) {
    return [invalid('errors.status', 'It is not an object.', 'Pass { validation: 422 }.')]
  }
  const { validation } = status
  if (validation === undefined) return []
  if (OF_VALIDATION.includes(validation)) return []
  const cause = `${shown(validation)} is not one of the statuses for rejected input: 400, 406, 409, 412, 422.`
  return [invalid('errors.status.validation', cause, 'Pass 400 or 422.')]
}
