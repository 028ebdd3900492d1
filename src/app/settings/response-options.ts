import type { ApiResponseOptions, ResponseFieldsMode } from '../../contracts/operation.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { checkDocumented } from '../../model/check-documentation.js'
import { GIVE_MODE, isFieldsMode } from '../../model/check-response-fields.js'

/** The `responses` option. */
export interface ResponseOptions {
  /**
   * How to handle JSON response fields that are not in the documented schema. `'send'`: they are sent. `'strip'`: they
   * are removed. `'check'`: the client receives a 500 response instead, and the route and the field are logged.
   *
   * @defaultValue `'send'`
   * @see docs/responses.md#only-what-is-described
   */
  readonly fields?: ResponseFieldsMode
  /**
   * Responses that every route documents, as if it had an `@ApiResponseDoc` for each: for example, a 422 response that
   * an interceptor causes. An `@ApiResponseDoc` on a method or class replaces the response with the same status.
   *
   * @defaultValue none
   * @see docs/responses.md#responses-of-every-route
   */
  readonly documented?: readonly ApiResponseOptions[]
}

/** The `responses` option, resolved. */
export interface ResponseSettings {
  /** The mode for routes without `@ResponseFields`. */
  readonly fields: ResponseFieldsMode
  readonly documented: readonly ApiResponseOptions[]
}

type Option = ResponseFieldsMode | ResponseOptions | undefined

const NAMES: OptionNames<ResponseOptions> = { fields: true, documented: true }
const GIVE_LIST = 'Pass { documented: [{ status, description, schema }] }.'

/**
 * The `responses` option. An unknown name or value is an error. With only a warning, the application would send fields
 * that should be removed.
 */
export const responseGroup: OptionGroup<Option, ResponseSettings> = {
  unknown: (responses) => unknownOptions('responses.', responses, NAMES),
  check,
  resolve(responses) {
    const { fields = 'send', documented = [] } = optionsOf(responses)
    // The items remain the same objects, so that an application that is created again has the same model.
    const frozen = Object.freeze(documented.map((each) => Object.freeze(each)))
    return Object.freeze({ fields, documented: frozen })
  },
}

function optionsOf(responses: Option): ResponseOptions {
  return typeof responses === 'string' ? { fields: responses } : { ...responses }
}

function check(responses: unknown): Problem[] {
  if (responses === undefined) return []
  if (typeof responses === 'string') return checkMode('responses', responses)
  if (typeof responses !== 'object' || responses === null || Array.isArray(responses)) {
    const remedy = "Pass 'send', 'strip', 'check', or { fields, documented }."
    const given = Array.isArray(responses) ? 'a list' : shown(responses)
    return [invalid('responses', `It is ${given}.`, remedy)]
  }
  const { fields, documented } = responses as ResponseOptions
  return [
    ...(fields === undefined ? [] : checkMode('responses.fields', fields)),
    ...(documented === undefined ? [] : checkList(documented)),
  ]
}

function checkMode(subject: string, mode: unknown): Problem[] {
  if (isFieldsMode(mode)) return []
  const cause = `${shown(mode)} is not a valid mode for response fields.`
  return [invalid(subject, cause, GIVE_MODE)]
}

function checkList(documented: unknown): Problem[] {
  const subject = 'responses.documented'
  if (!Array.isArray(documented)) return [invalid(subject, 'It is not a list.', GIVE_LIST)]
  return checkDocumented({ subject, label: 'a response' }, documented)
}
