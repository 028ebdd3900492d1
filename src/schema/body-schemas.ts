import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'

/** The schemas of the bodies of a route, each once. */
export function schemasOfBody({
  inputs,
  bodies,
}: Pick<RouteModel, 'inputs' | 'bodies'>): readonly Schema[] {
  const all = bodies === null ? [inputs.body] : bodies.map(({ schema }) => schema)
  return [...new Set(all.filter((schema) => schema !== null))]
}

/** Whether a body without a schema must be there: `@ApiBody` decides, and else whether anything describes the body. */
export function isBodyRequired({
  operation,
  bodies,
}: Pick<RouteModel, 'operation' | 'bodies'>): boolean {
  return operation.body?.required ?? bodies?.every(({ isDescribed }) => isDescribed) ?? true
}
