import type { Schema } from '../../contracts/schema.js'
import { ConfigError, type Problem } from '../../errors/config-error.js'
import { nearNames } from '../../errors/near-names.js'
import { acceptsUndefined } from '../../schema/validate-now.js'
import { type Described, describeVariables } from './expected.js'
import { type EnvDeclaration, type Gathered, gather, type Outcome, settleEnv } from './read-env.js'
import { MASK, type Variable } from './variables.js'

/** A variable in the form that the command line prints. It never contains a secret. */
export interface ReportedVariable {
  readonly name: string
  /** The value as a string, masked if it is secret; `null` if there is none. */
  readonly value: string | null
  readonly isSecret: boolean
  /**
   * The source of the value: `the environment`, the name of a file with variables, the path of a file with the value,
   * `default`, or `null` for no value.
   */
  readonly from: string | null
  readonly isRequired: boolean
  readonly description: string | null
  /** The expected value; `null` if the schema does not describe it. */
  readonly expected: string | null
  /** The default as a string; `null` if there is none, or if the variable is secret. */
  readonly fallback: string | null
}

/** The variables of one `env()`, and all their problems. */
export interface EnvReport {
  readonly variables: readonly ReportedVariable[]
  readonly problems: readonly Problem[]
  /** Names that are set but not read, and that look like the misspelt name of a variable. */
  readonly misspelt: readonly { readonly name: string; readonly meant: string }[]
}

/** Reads the variables as an application would, and reports all of them. */
export async function reportEnv(declaration: EnvDeclaration): Promise<EnvReport> {
  let gathered: Gathered
  try {
    gathered = gather(declaration, {})
  } catch (error) {
    if (error instanceof ConfigError)
      return { variables: [], problems: error.problems, misspelt: [] }
    throw error
  }
  const outcome = await settleEnv(gathered)
  const describe = describeVariables(declaration.schema)
  const variables = [...gathered.variables.values()].map((variable) =>
    report(variable, { gathered, outcome, described: describe(variable.name) }),
  )
  return { variables, problems: outcome.problems ?? [], misspelt: misspeltOf(gathered) }
}

interface ReportDeps {
  readonly gathered: Gathered
  readonly outcome: Outcome
  readonly described: Described
}

function report(
  variable: Variable,
  { gathered, outcome, described }: ReportDeps,
): ReportedVariable {
  const { name, isSecret, schemas } = variable
  const { text, from } = gathered.found.get(name) ?? {}
  const { values = {} } = outcome as { readonly values?: object }
  const made: unknown = (values as Record<string, unknown>)[name]
  const hasMade = Object.hasOwn(values, name) && made !== undefined
  const value = hasMade ? shownValue(made, isSecret) : (text ?? null)
  const { description, expected, fallback } = described
  return {
    name,
    value: value !== null && isSecret ? MASK : value,
    isSecret,
    from: text === undefined ? (hasMade ? 'default' : null) : (from ?? null),
    // With a known library, each field is a schema. With JSON Schema alone, the description specifies whether a field
    // is required.
    isRequired:
      described.isRequired ?? !schemas.every((schema) => acceptsUndefined(schema as Schema)),
    description: description ?? null,
    expected: expected ?? null,
    fallback: isSecret ? null : (fallback ?? null),
  }
}

function shownValue(value: unknown, isSecret: boolean): string | null {
  if (isSecret) return MASK
  if (typeof value === 'string') return value
  // `JSON.stringify` returns `undefined` for values that JSON cannot represent.
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))
}

function misspeltOf({ others, variables, found }: Gathered): EnvReport['misspelt'] {
  const unset = [...variables.keys()].filter((name) => found.get(name)?.text === undefined)
  return others.flatMap((name) => {
    const [meant] = nearNames(name, unset)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/**
 * The key of a function on `globalThis` that receives every {@link DeclaredEnv}. Only the command line's child process
 * sets this function, in `cli/load/child.ts`. That file repeats this line, because with an import, every application
 * would load another file. A registered symbol is the same in every copy of this package in the process.
 */
const LISTENER = Symbol.for('blazon.env')

/** An `env()` in the application's code, for the command line. */
export interface DeclaredEnv {
  /** Reads the variables and reports them. Secrets are masked. */
  report(): Promise<EnvReport>
}

type Holder = { [LISTENER]?: (declared: DeclaredEnv) => void }

/** Passes a new `env()` to the command line. Has no effect in a process that serves requests. */
export function announceEnv(declared: DeclaredEnv): void {
  const { [LISTENER]: listener } = globalThis as Holder
  listener?.(declared)
}
