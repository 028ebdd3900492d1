import type { RouteModel } from '../contracts/route-model.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import type { CompileValidator } from '../schema/compile-validator.js'
import type { DeclaresOf } from './declared-names.js'

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
 * @throws ConfigError that names every schema that does not compile.
 */
export async function compileInputs(
  routes: readonly RouteModel[],
  { compile, declaresOf }: InputCompiler,
): Promise<CompiledInput[][]> {
  const problems: Problem[] = []
  const compileInput = async (route: RouteModel, source: InputSource, schema: Schema) => {
    try {
      // The fields of a form are text, like query values, so they are coerced in the same way.
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
      // Bodies with options have steps of their own: see `compileBodies`.
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

/** The problem of a JSON Schema that does not compile. */
export function invalidSchema(route: RouteModel, source: string, error: unknown): Problem {
  return {
    code: 'E_SCHEMA_INVALID',
    subject: route.name,
    cause: `The JSON Schema of its ${source} does not compile: ${(error as Error).message}.`,
    remedy: 'Correct the schema. Its draft is 2020-12 unless `$schema` names 2019-09 or draft-07.',
  }
}
