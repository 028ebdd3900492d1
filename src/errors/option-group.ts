import { ConfigError, type Problem } from './config-error.js'
import { nearNames } from './near-names.js'

/**
 * Every name of an object of options. A new option that is missing here does not compile. `true` is an option; `'sync'` is a
 * function whose result is used at once, so it cannot be asynchronous; a table has the names of an object in it, or of
 * each object in a list.
 */
export type OptionNames<Options> = { readonly [K in keyof Options]-?: NameOf<Options[K]> }

type NameOf<Option> = [FunctionIn<Option>] extends [never]
  ? true | 'sync' | NestedNames
  : FunctionIn<Option> extends (...args: never) => infer Result
    ? KindOf<Result>
    : true

type FunctionIn<Option> = Extract<Option, (...args: never) => unknown>

/** A function may be asynchronous if its type allows it, or if its result is unused. */
type KindOf<Result> = unknown extends Result
  ? true
  : // biome-ignore lint/suspicious/noConfusingVoidType: the type of a function whose result is unused
    [Result] extends [void]
    ? true
    : [Extract<Result, PromiseLike<unknown>>] extends [never]
      ? 'sync'
      : true

/** The names of an object in options. `*` stands for any other name, and `x-` for any name with this prefix. */
export interface NestedNames {
  readonly [name: string]: true | 'sync' | NestedNames
}

/** The functions of one group of options, which turn an option into settings. */
export interface OptionGroup<Option, Settings> {
  /** Finds names that the group does not have. Called before the option is checked. */
  readonly unknown: (option: Option) => Problem[]
  /** Finds invalid values, and values that contradict each other within the group. */
  readonly check: (option: Option) => Problem[]
  /** Fills in defaults and converts units. The option is checked; the result is frozen. */
  readonly resolve: (option: Option) => Settings
}

/**
 * Finds names that an object of options does not have, at any depth: typing errors, and options of another version.
 * Also finds asynchronous functions whose result is used at once: a promise is truthy, and not a valid value.
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
 * Finds asynchronous functions, also in lists, under names whose results are used at once.
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
 * Whether a function was written as `async`. Other functions that return a promise show this only when they are called.
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

/** Whether a value is a list, or an object that is not an instance of a class, which may have fields of its own. */
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
    remedy: `${meant === undefined ? '' : `Did you mean ${meant}? `}The options here are: ${known.join(', ')}.`,
  }
}

/**
 * Returns the same names as errors, at any depth: for options in which a misspelt name would omit a check, and for functions that
 * cannot warn.
 *
 * @param path The prefix of each name in the messages: `'mails(): '`.
 * @param value The options, as they were given.
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
 * Refuses names that the options of a function do not have.
 *
 * @param call The function: `csv()`.
 * @throws ConfigError with all problems.
 */
export function refuseUnknown(call: string, value: unknown, names: object): void {
  const problems = unknownOptions(`${call}: `, value, names)
  if (problems.length > 0) throw new ConfigError(problems)
}
