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
