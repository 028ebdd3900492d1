import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'

/** What a client is told of a request that a schema refuses. */
export interface ValidationOptions {
  /**
   * Whose words the entries of `errors` are. `'library'`: the words of the schema's library, some of which repeat what the
   * client sent. `'generic'`: `is missing` and `is not valid`, and in paths `*` for names that are not in the schema, so that
   * nothing of the request is repeated.
   *
   * @defaultValue `'library'`
   * @see docs/validation.md#what-messages-repeat
   */
  readonly messages?: 'library' | 'generic'
}

/** The `validation` option, resolved. */
export interface ValidationSettings {
  /** Whether messages repeat nothing of a request. */
  readonly isGeneric: boolean
}

type Option = ValidationOptions | undefined

const NAMES: Names<ValidationOptions> = { messages: true }
const MESSAGES: readonly unknown[] = [undefined, 'library', 'generic']

/** The `validation` option. A value or a name that is not understood would go on repeating what was sent, so both are errors. */
export const validationGroup: OptionGroup<Option, ValidationSettings> = {
  unknown: (validation) => refusedNames('validation.', validation, NAMES),
  check,
  resolve: (validation) => Object.freeze({ isGeneric: validation?.messages === 'generic' }),
}

function check(validation: unknown): Problem[] {
  if (validation === undefined) return []
  if (typeof validation !== 'object' || validation === null) {
    return [invalid('validation', 'It is not an object.', "Give { messages: 'generic' }.")]
  }
  const { messages } = validation as ValidationOptions
  if (MESSAGES.includes(messages)) return []
  const cause = `${String(messages)} is no kind of messages.`
  return [invalid('validation.messages', cause, "Give 'library' or 'generic'.")]
}
