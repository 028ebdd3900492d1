import type { SchemaConverters } from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import type { CompiledParameter, ParameterCheck } from '../pipeline/steps/parameters.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import type { CompileValidator } from '../schema/compile-validator.js'
import { fieldNames } from '../schema/object-fields.js'
import type { Settings } from './settings/settings.js'

/**
 * If error messages can repeat only the names in a schema, returns a function that checks whether the schema contains a
 * name. If they can repeat any name, returns `null`.
 */
type DeclaresOf = (schema: Schema) => CompiledInput['declares']

/** Creates the {@link DeclaresOf} of an application. */
export function declaresFor({ validation, converters }: Settings): DeclaresOf {
  return (schema) => (validation.isGeneric ? declaredNames(schema, converters) : null)
}

/**
 * Returns a function that checks whether the JSON Schema of a schema contains a name. The schema is converted at the
 * first check, because most schemas never reject a value.
 */
function declaredNames(
  schema: Schema,
  converters: SchemaConverters | undefined,
): (name: string) => boolean {
  let names: ReadonlySet<string> | undefined
  return (name) => {
    names ??= fieldNames(schema, converters) ?? new Set()
    return names.has(name)
  }
}

const SOURCES: readonly InputSource[] = ['params', 'query', 'headers', 'cookies', 'body']

/** The input of {@link compileInputs}. */
export interface InputCompiler {
  readonly compile: CompileValidator
  readonly declaresOf: DeclaresOf
}

/**
 * Compiles the input schemas of every route.
 *
 * @returns the inputs of each route, by the index of the route, in the order in which they are checked.
 * @throws ConfigError with every schema that does not compile.
 */
export async function compileInputs(
  routes: readonly RouteModel[],
  { compile, declaresOf }: InputCompiler,
): Promise<CompiledInput[][]> {
  const problems: Problem[] = []
  const compileInput = async (route: RouteModel, source: InputSource, schema: Schema) => {
    try {
      // Form fields are text, like query values, so they are coerced in the same way.
      const isForm = source === 'body' && route.upload !== null
      const validate = await compile(schema, isForm ? 'query' : source)
      return { index: route.index, input: { source, validate, declares: declaresOf(schema) } }
    } catch (error) {
      problems.push(invalidSchema(route, source, error))
      return undefined
    }
  }
  const compiling: ReturnType<typeof compileInput>[] = []
  for (const route of routes) {
    for (const source of SOURCES) {
      // Bodies with options have separate steps: see `compileBodies`.
      const isElsewhere = source === 'body' && route.bodies !== null
      const schema = isElsewhere ? null : route.inputs[source]
      if (schema !== null) compiling.push(compileInput(route, source, schema))
    }
  }
  const inputs = routes.map((): CompiledInput[] => [])
  for (const compiled of await Promise.all(compiling)) {
    if (compiled !== undefined) inputs[compiled.index]?.push(compiled.input)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return inputs
}

/** Creates the problem for a JSON Schema that does not compile. */
export function invalidSchema(route: RouteModel, source: string, error: unknown): Problem {
  return {
    code: 'E_SCHEMA_INVALID',
    subject: route.name,
    cause: `The JSON Schema of its ${source} does not compile: ${(error as Error).message}.`,
    remedy:
      'Correct the schema. Its draft is 2020-12 unless `$schema` specifies 2019-09 or draft-07.',
  }
}

const NONE: readonly CompiledParameter[] = Object.freeze([])

/** The input of {@link compileParameters}. */
interface ParameterCompiler extends InputCompiler {
  /** The response status for an invalid value. */
  readonly validationStatus: number
}

/**
 * Compiles the schemas of the parameters that `defineParameter` declares.
 *
 * @returns the parameters of each route.
 * @throws ConfigError with every schema that does not compile.
 */
export async function compileParameters(
  routes: readonly RouteModel[],
  compiler: ParameterCompiler,
): Promise<(route: RouteModel) => readonly CompiledParameter[]> {
  const byRoute = new Map<RouteModel, readonly CompiledParameter[]>()
  const problems: Problem[] = []
  for (const route of routes) {
    if (route.definedParameters === null) continue
    const compiled: CompiledParameter[] = []
    for (const { definition, source, input } of route.definedParameters) {
      try {
        const check = input === null || source === null ? null : await checkOf(input)
        compiled.push({ definition, check })
      } catch (error) {
        problems.push(invalidSchema(route, `parameter '${definition.place?.name}'`, error))
      }
      async function checkOf(schema: NonNullable<typeof input>): Promise<ParameterCheck> {
        const validate = await compiler.compile(schema, source as ParameterCheck['source'])
        const name = definition.place?.name as string
        return {
          source: source as ParameterCheck['source'],
          name,
          validate,
          declares: compiler.declaresOf(schema),
          status: compiler.validationStatus,
        }
      }
    }
    byRoute.set(route, compiled)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return (route) => byRoute.get(route) ?? NONE
}
