import type { Problem } from './config-error.js'

/** Every name of an object of options. A new option that is missing here does not compile. */
export type Names<Options> = Readonly<Record<keyof Options, true>>

/** The functions of one group of options, which turn an option into settings. */
export interface OptionGroup<Option, Settings> {
  /** Finds names that the group does not have. The option is not checked yet. */
  readonly unknown: (option: Option) => Problem[]
  /** Finds invalid values, and values that contradict each other within the group. */
  readonly check: (option: Option) => Problem[]
  /** Fills in defaults and converts units. The option is checked; the result is frozen. */
  readonly resolve: (option: Option) => Settings
}

/**
 * Finds names that an object of options does not have: typing errors, and options of another version.
 *
 * @param path The prefix of each name in the messages: `'auth.'`.
 */
export function unknownNames(path: string, value: unknown, names: object): Problem[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(names, name))
    .map((name) => ({
      code: 'W_OPTION_UNKNOWN',
      subject: `${path}${name}`,
      cause: 'It is not an option of this version, and has no effect.',
      remedy: `The options here are: ${Object.keys(names).join(', ')}.`,
    }))
}

/** Returns the same names as errors: for groups in which a misspelt option would omit a security check. */
export function refusedNames(path: string, value: unknown, names: object): Problem[] {
  return unknownNames(path, value, names).map((problem) => ({
    ...problem,
    code: 'E_OPTION_INVALID',
  }))
}
