import type { RouteModel } from '../contracts/route-model.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import type { CompiledParameter, ParameterCheck } from '../pipeline/steps/parameters.js'
import { type InputCompiler, invalidSchema } from './compile-inputs.js'

const NONE: readonly CompiledParameter[] = Object.freeze([])

/** The input of {@link compileParameters}. */
export interface ParameterCompiler extends InputCompiler {
  /** The status of a request with a wrong value. */
  readonly validationStatus: number
}

/**
 * Compiles the schemas of the parameters of `defineParameter`.
 *
 * @returns the parameters of each route.
 * @throws ConfigError that names every schema that does not compile.
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
