import type { StandardSchemaV1 } from '@standard-schema/spec'
import { boundZod } from './bound-zod.js'

/** Returns a schema that stops soon after the {@link MAX_ISSUES} issues that a response can hold. */
export type BoundSchema = (schema: StandardSchemaV1) => StandardSchemaV1

/**
 * Loads the bound of a library. Schemas of libraries that this package cannot stop are returned unchanged.
 *
 * @param vendor The library, as its schemas name it.
 */
export async function loadBound(vendor: string): Promise<BoundSchema> {
  switch (vendor) {
    case 'arktype':
      return (await import('./bound-arktype.js')).boundArktype
    case 'zod':
      return boundZod
    case 'valibot':
      return (await import('./bound-valibot.js')).boundValibot
    default:
      return (schema) => schema
  }
}
