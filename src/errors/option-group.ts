import { ConfigError, type Problem } from './config-error.js'
import { nearNames } from './near-names.js'

/**
 * All names of an options object. A new option that is missing from this list causes a compile error. `true` marks an
 * option, and `'sync'` marks a function that must be synchronous. A nested table contains the names in a nested object,
 * or in each object of a list.
 */
export type OptionNames<Options> = { readonly [K in keyof Options]-?: NameOf<Options[K]> }

type NameOf<Option> = [FunctionIn<Option>] extends [never]
  ? true | 'sync' | NestedNames
  : FunctionIn<Option> extends (...args: never) => infer Result
    ? KindOf<Result>
    : true

type FunctionIn<Option> = Extract<Option, (...args: never) => unknown>

/** A function is allowed to be asynchronous if its type includes a promise, or if its result is unused. */
type KindOf<Result> = unknown extends Result
  ? true
  : // biome-ignore lint/suspicious/noConfusingVoidType: the type of a function whose result is unused
    [Result] extends [void]
    ? true
    : [Extract<Result, PromiseLike<unknown>>] extends [never]
      ? 'sync'
      : true

/** The valid names in a nested object. `*` stands for any other name, and `x-` for any name with this prefix. */
export interface NestedNames {
  readonly [name: string]: true | 'sync' | NestedNames
}

/** The functions of one option group, which turn an option into settings. */
export interface OptionGroup<Option, Settings> {
  /** Finds unknown names. The framework calls this function before it checks the option. */
  readonly unknown: (option: Option) => Problem[]
  /** Finds invalid values, and values that contradict each other within the group. */
  readonly check: (option: Option) => Problem[]
  /** Fills in defaults and converts units. The given option has already been checked. The result is frozen. */
  readonly resolve: (option: Option) => Settings
}

/**
 * Finds unknown names in an options object, at any depth: misspelt names, and options of another version. Also finds
 * asynchronous functions under names that require a synchronous function: a promise is truthy, but not a valid result.
 *
 * @param path The prefix of each name in the messages: `'auth.'`.
 */
export function unknownNames(path: string, value: unknown, names: object): Problem[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    const place = path.replace(/[. ]$/, '')
    return value.flatMap((item, index) => unknownNames(`${place}[${index}].`, item, names))
  }
  return Object.keys(value).flatMap((name) => {
    const known = namesUnder(names, name)
    if (known === undefined) return [unknownName(path, name, Object.keys(names))]
    if (known === 'sync') return asyncFunctions(path, value, [name])
    if (typeof known !== 'object' || known === null) return []
    const inner: unknown = value[name as keyof typeof value]
    return isPlain(inner) ? unknownNames(`${path}${name}.`, inner, known) : []
  })
}

/**
 * Finds asynchronous functions, including functions in lists, under names that require synchronous functions.
 *
 * @param path The prefix of each name in the messages: `'auth.guard.'`.
 */
export function asyncFunctions(path: string, owner: object, names: readonly string[]): Problem[] {
  return names
    .filter((name) => [owner[name as keyof object]].flat().some(isAsync))
    .map((name) => ({
      code: 'E_OPTION_INVALID',
      subject: `${path}${name}`,
      cause: 'It is asynchronous, but its result is used synchronously.',
      remedy: 'Pass a function that returns the value itself, not a promise.',
    }))
}

/**
 * Whether a function was declared as `async`. Other functions that return a promise cannot be detected before they are
 * called.
 */
function isAsync(value: unknown): boolean {
  return (
    typeof value === 'function' && Object.prototype.toString.call(value).startsWith('[object Async')
  )
}

function namesUnder(names: object, name: string): unknown {
  const general = name.startsWith('x-') ? ['x-', '*'] : ['*']
  const key = [name, ...general].find((each) => Object.hasOwn(names, each))
  return key === undefined ? undefined : names[key as keyof object]
}

/**
 * Whether a value is a list or a plain object. A class instance is neither, and can have fields that are not options.
 */
export function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

function unknownName(path: string, name: string, known: readonly string[]): Problem {
  const [meant] = nearNames(name, known)
  return {
    code: 'W_OPTION_UNKNOWN',
    subject: `${path}${name}`,
    cause: 'It is not an option of this version, and has no effect.',
    remedy: `${meant === undefined ? '' : `Did you mean ${meant}? `}The valid options are: ${known.join(', ')}.`,
  }
}

/**
 * Like `unknownNames`, but returns errors instead of warnings. Use it for options in which a misspelt name would
 * disable a check, and in functions that cannot issue warnings.
 *
 * @param path The prefix of each name in the messages: `'mails(): '`.
 * @param value The options as passed by the caller.
 * @param names The valid names.
 * @example
 * const NAMES: OptionNames<MailOptions> = { from: true, retries: true }
 *
 * const problems = unknownOptions('mails(): ', options, NAMES)
 * if (problems.length > 0) throw new ConfigError(problems)
 */
export function unknownOptions(path: string, value: unknown, names: object): Problem[] {
  return unknownNames(path, value, names).map((problem) => ({
    ...problem,
    code: 'E_OPTION_INVALID',
  }))
}

/**
 * Refuses unknown names in the options of a function.
 *
 * @param call The name of the function for messages: `csv()`.
 * @throws ConfigError with all problems.
 */
export function refuseUnknown(call: string, value: unknown, names: object): void {
  const problems = unknownOptions(`${call}: `, value, names)
  if (problems.length > 0) throw new ConfigError(problems)
}
