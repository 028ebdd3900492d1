import { invalid, type Problem } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'

/** The `validation` option. */
export interface ValidationOptions {
  /**
   * The messages in `errors`. `'library'`: the messages of the schema library, some of which repeat data from the
   * client. `'generic'`: only `is missing` and `is not valid`. Each name in a path that is not in the schema becomes
   * `*`, so the response repeats no data from the request.
   *
   * @defaultValue `'library'`
   * @see docs/validation.md#what-messages-repeat
   */
  readonly messages?: 'library' | 'generic'
}

/** The `validation` option, resolved. */
export interface ValidationSettings {
  /** Whether messages omit all values of the request. */
  readonly isGeneric: boolean
}

type Option = ValidationOptions | undefined

const NAMES: OptionNames<ValidationOptions> = { messages: true }
const MESSAGES: readonly unknown[] = [undefined, 'library', 'generic']

/**
 * The `validation` option. An unknown name or value is an error. With only a warning, messages would repeat data that
 * the client sent.
 */
export const validationGroup: OptionGroup<Option, ValidationSettings> = {
  unknown: (validation) => unknownOptions('validation.', validation, NAMES),
  check,
  resolve: (validation) => Object.freeze({ isGeneric: validation?.messages === 'generic' }),
}

function check(validation: unknown): Problem[] {
  if (validation === undefined) return []
  if (typeof validation !== 'object' || validation === null) {
    return [invalid('validation', 'It is not an object.', "Pass { messages: 'generic' }.")]
  }
  const { messages } = validation as ValidationOptions
  if (MESSAGES.includes(messages)) return []
  const cause = `${String(messages)} is not a valid value of \`validation.messages\`.`
  return [invalid('validation.messages', cause, "Pass 'library' or 'generic'.")]
}
