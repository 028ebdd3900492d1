import type { ResponseFieldsMode } from '../../contracts/operation.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid, shown } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'

/** The `responses` option. */
export interface ResponseOptions {
  /**
   * The fields of a JSON response that its documented schema does not name. `'send'`: they are sent. `'strip'`: they are
   * dropped. `'check'`: the response is replaced by a 500, and the log names the route and the field.
   *
   * @defaultValue `'send'`
   * @see docs/responses.md#only-what-is-described
   */
  readonly fields?: ResponseFieldsMode
}

/** The `responses` option, resolved. */
export interface ResponseSettings {
  /** For routes without `@ResponseFields`. */
  readonly fields: ResponseFieldsMode
}

type Option = ResponseFieldsMode | ResponseOptions | undefined

const NAMES: Names<ResponseOptions> = { fields: true }
const MODES: readonly unknown[] = ['send', 'strip', 'check']
const REMEDY = "Give 'send', 'strip' or 'check'."

/**
 * The `responses` option. An unknown name or value is an error. As a warning, it would let fields leave that should be
 * dropped.
 */
export const responseGroup: OptionGroup<Option, ResponseSettings> = {
  unknown: (responses) => refusedNames('responses.', responses, NAMES),
  check,
  resolve(responses) {
    const { fields = 'send' } =
      typeof responses === 'string' ? { fields: responses } : { ...responses }
    return Object.freeze({ fields })
  },
}

function check(responses: unknown): Problem[] {
  if (responses === undefined) return []
  if (typeof responses === 'string') return checkMode('responses', responses)
  if (typeof responses !== 'object' || responses === null) {
    return [invalid('responses', `It is ${shown(responses)}.`, REMEDY)]
  }
  const { fields } = responses as ResponseOptions
  return fields === undefined ? [] : checkMode('responses.fields', fields)
}

function checkMode(subject: string, mode: unknown): Problem[] {
  if (MODES.includes(mode)) return []
  return [invalid(subject, `${shown(mode)} is not a way to treat the fields of responses.`, REMEDY)]
}
