import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import { KeyedSchema } from './composed-schemas.js'
import { describeOnce } from './describe-schema.js'
import { createOpenApiCompiler } from './openapi-validator.js'
import { acceptsUndefined, isStandard } from './validate-now.js'

/** Returns a route's body schemas, without duplicates. */
export function schemasOfBody({
  inputs,
  bodies,
}: Pick<RouteModel, 'inputs' | 'bodies'>): readonly Schema[] {
  const all = bodies === null ? [inputs.body] : bodies.map(({ schema }) => schema)
  return [...new Set(all.filter((schema) => schema !== null))]
}

type BodyFacts = Pick<RouteModel, 'operation' | 'bodies' | 'inputs' | 'upload'>

/**
 * Whether a request must have a body. `required` in `@ApiBody` takes precedence. Otherwise, the schema of the first
 * body decides, because a request without a body is validated against that schema. Without such a schema, a body is
 * required if every body type is described. A form with files is always required.
 */
export function isBodyRequired({ operation, bodies, inputs, upload }: BodyFacts): boolean {
  const { required } = operation.body ?? {}
  if (required !== undefined) return required
  const [first] = bodies ?? []
  const schema = first === undefined ? inputs.body : first.schema
  if (schema === null) return bodies?.every(({ isDescribed }) => isDescribed) ?? true
  return upload !== null || !acceptsNoBody(schema, first?.type === 'form' ? {} : undefined)
}

/**
 * Whether a schema accepts a request without a body. A JSON Schema without `type` can accept it.
 *
 * @param empty The value that a JSON Schema's validator receives for a request without a body.
 */
function acceptsNoBody(schema: Schema, empty: unknown): boolean {
  if (isStandard(schema)) return !(schema instanceof KeyedSchema) && acceptsUndefined(schema)
  if (empty === undefined && 'type' in schema) return false
  const described = describeOnce(schema, { side: 'input' })
  return createOpenApiCompiler(described.definitions)(described.schema)(empty)
}
