import type { StandardSchemaV1 } from '@standard-schema/spec'
import type {
  Schema,
  ValidationIssue,
  ValidationResult,
  Validator,
} from '../../contracts/schema.js'
import { ConfigError, type Problem } from '../../errors/config-error.js'
import { createValidatorCompiler } from '../../schema/compile-validator.js'
import { checkEnvOptions, type EnvOptions } from './env-options.js'
import { type EnvReading, explainIssues, noteUnread } from './explain-issues.js'
import {
  envProblem,
  findTexts,
  type Level,
  levelsOf,
  MOUNTED,
  type Scope,
  skippedNames,
} from './sources.js'
import { maskSecrets, type Variables, variablesOf } from './variables.js'

/** The schema and the options of an `env()`. */
export interface EnvDeclaration {
  readonly schema: Schema
  readonly options: EnvOptions
}

/** All data about the variables, before the schema validates them. */
export interface Gathered extends EnvReading {
  /** The strings that the schema validates. */
  readonly input: object
  /** Variables that cannot be read. */
  readonly problems: readonly Problem[]
}

/** The result of the validation: the values of the variables, or their problems. */
export type Outcome =
  | { readonly values: object; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] }

/**
 * Reads the variables synchronously.
 *
 * @throws ConfigError with one problem for each invalid variable, or if the schema is asynchronous or a JSON Schema.
 */
export function readEnv(declaration: EnvDeclaration, scope: Scope): object {
  const gathered = gather(declaration, scope)
  const { schema } = declaration
  const result = isStandard(schema) ? validate(schema, gathered) : null
  if (result === null || isPromise(result)) {
    if (result !== null) Promise.resolve(result).catch(() => {})
    throw new ConfigError([needsTime(result === null)])
  }
  return noted(valuesOf(judge(result, gathered)), { declaration, gathered })
}

/**
 * Reads the variables, and awaits the schema if it is asynchronous. Throws a ConfigError for the same invalid variables
 * as {@link readEnv}.
 */
export async function readEnvAsync(declaration: EnvDeclaration, scope: Scope): Promise<object> {
  const gathered = gather(declaration, scope)
  return noted(valuesOf(await settleEnv(gathered)), { declaration, gathered })
}

interface Read {
  readonly declaration: EnvDeclaration
  readonly gathered: Gathered
}

/**
 * Records the unread variables and returns the values. It is called only if all variables are valid. Otherwise, the
 * error message already contains the name of the unread file.
 */
function noted(values: object, { declaration, gathered }: Read): object {
  noteUnread(declaration, gathered)
  return values
}

/** Collects the strings of all variables. Throws a ConfigError if the declaration is invalid. */
export function gather({ schema, options }: EnvDeclaration, scope: Scope): Gathered {
  const mistakes = checkEnvOptions(options)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  const variables = variablesOf(schema, options)
  const { levels, problem } = levelsOf(options, scope)
  const found = findTexts(variables, levels)
  // The object has no prototype, so that the schema does not find `constructor` in it.
  const input = Object.create(null) as Record<string, string>
  for (const [name, { text }] of found) if (text !== undefined) input[name] = text
  const problems = [...found.values()].flatMap((each) => each.problem ?? [])
  return {
    schema,
    variables,
    found,
    others: otherNames(levels, variables),
    skipped: skippedNames(options, scope),
    input,
    problems: problem === undefined ? problems : [problem, ...problems],
  }
}

function otherNames(levels: readonly Level[], variables: Variables): string[] {
  const isRead = (name: string) =>
    variables.has(name) || (name.endsWith(MOUNTED) && variables.has(name.slice(0, -MOUNTED.length)))
  const names = levels.flatMap(({ values }) => Object.keys(values).filter((name) => values[name]))
  return [...new Set(names)].filter((name) => !isRead(name))
}

/** Validates the strings, and awaits the schema if it is asynchronous. */
export async function settleEnv(gathered: Gathered): Promise<Outcome> {
  const { schema, input } = gathered
  if (isStandard(schema)) {
    const result = validate(schema, gathered)
    if (!isPromise(result)) return judge(result, gathered)
    return judge(await Promise.resolve(result).catch(thrown), gathered)
  }
  let validator: Validator
  try {
    validator = await createValidatorCompiler()(schema, 'params')
  } catch (error) {
    return { problems: [notCompiled(error)] }
  }
  return judge(await validator(input), gathered)
}

type Validated = ValidationResult | { readonly thrown: string }

function validate(
  schema: StandardSchemaV1,
  { input }: Gathered,
): Validated | Promise<StandardSchemaV1.Result<unknown>> {
  try {
    return schema['~standard'].validate(input) as ReturnType<typeof validate>
  } catch (error) {
    return thrown(error)
  }
}

/** Reports only the error's name, because its message may contain the unexpected value. */
function thrown(error: unknown): Validated {
  return { thrown: error instanceof Error ? error.constructor.name : typeof error }
}

function judge(result: Validated | StandardSchemaV1.Result<unknown>, gathered: Gathered): Outcome {
  const { problems } = gathered
  if ('thrown' in result) return { problems: [...problems, threw(result.thrown)] }
  const { issues } = result
  if (issues !== undefined) {
    return { problems: [...problems, ...explainIssues(issues.map(toIssue), gathered)] }
  }
  if (problems.length > 0) return { problems }
  const { value } = result
  if (!isRecord(value)) return { problems: [notAnObject()] }
  return { values: maskSecrets(value, (name) => isShown(name, gathered)) }
}

/**
 * Whether a property can be shown. A property that the schema has created may contain a secret, so such a property is
 * shown only if no variable is secret.
 */
export function isShown(name: string, { variables }: Pick<EnvReading, 'variables'>): boolean {
  const variable = variables.get(name)
  if (variable !== undefined) return !variable.isSecret
  return ![...variables.values()].some(({ isSecret }) => isSecret)
}

function valuesOf(outcome: Outcome): object {
  if (outcome.problems !== undefined) throw new ConfigError(outcome.problems)
  return outcome.values
}

function toIssue({ path = [], message }: StandardSchemaV1.Issue): ValidationIssue {
  // `path.map` is not used, because arktype's path is a subclass of `Array` whose `map` adds an item to an empty path.
  const steps = [...path]
  return { message, path: steps.map((step) => (typeof step === 'object' ? step.key : step)) }
}

function isStandard(schema: Schema): schema is StandardSchemaV1 {
  return typeof (schema as StandardSchemaV1)['~standard']?.validate === 'function'
}

/** Checks for `then`, because `instanceof` does not recognize promises from another realm. */
function isPromise<T>(value: object | Promise<T>): value is Promise<T> {
  return 'then' in value && typeof value.then === 'function'
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function needsTime(isJsonSchema: boolean): Problem {
  const what = isJsonSchema
    ? 'Its schema is a JSON Schema, whose validator must be loaded first.'
    : 'Its schema is asynchronous.'
  return envProblem(
    'env()',
    `${what} The variables cannot be read synchronously.`,
    'List the provider of env() in `providers: [Env.provider]`, so that boot waits for it. To read the variables earlier, use a synchronous schema.',
  )
}

/**
 * Reports that the JSON Schema does not compile. The message of the error can be shown: no value has been validated
 * yet, so the message describes only the schema.
 */
function notCompiled(error: unknown): Problem {
  return {
    code: 'E_SCHEMA_INVALID',
    subject: 'env()',
    cause: `Its JSON Schema does not compile: ${error instanceof Error ? error.message : String(error)}.`,
    remedy: 'Correct the schema.',
  }
}

function threw(name: string): Problem {
  return envProblem(
    'env()',
    `Its schema threw a ${name}. The message is not shown, because it may repeat a value.`,
    'Change the checks and transforms of the schema so that they report issues instead of throwing errors.',
  )
}

function notAnObject(): Problem {
  return envProblem(
    'env()',
    'Its schema produces a value that is not a plain object.',
    'Make the schema produce an object whose fields are the variables. Create other values in a provider.',
  )
}
