import type { StandardSchemaV1 } from '@standard-schema/spec'
import { boundArktype } from './bound-arktype.js'
import { boundValibot } from './bound-valibot.js'
import { boundZod } from './bound-zod.js'

/** A schema that stops soon behind the errors that are sent, where it is known how its library is stopped; else the schema. */
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
