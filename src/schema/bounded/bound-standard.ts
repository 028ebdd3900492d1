import type { StandardSchemaV1 } from '@standard-schema/spec'
import { boundArktype } from './bound-arktype.js'
import { boundValibot } from './bound-valibot.js'
import { boundZod } from './bound-zod.js'

/**
 * Returns a schema that stops soon after the {@link MAX_ISSUES} issues that a response can hold. The schemas
 * of libraries that this package cannot stop are returned unchanged.
 */
export function boundStandard(schema: StandardSchemaV1): StandardSchemaV1 {
  switch (schema['~standard'].vendor) {
    case 'arktype':
      return boundArktype(schema)
    case 'zod':
      return boundZod(schema)
    case 'valibot':
      return boundValibot(schema)
    default:
      return schema
  }
}
