import type { Schema } from '../../contracts/schema.js'
import { acceptsUndefined } from '../accepts-undefined.js'
import { isNode, RESOURCE_MARK } from '../dialect/conversion.js'
import type { KeyedSchema } from '../keyed-schema.js'
import type { ListSchema } from '../list-schema.js'

/**
 * Describes an input key by key. A key without a schema is left out: it accepts every value.
 *
 * @param describe Describes the schema of one key.
 */
export function describeKeyed(
  { entries }: KeyedSchema,
  describe: (schema: Schema) => unknown,
): Readonly<Record<string, unknown>> {
  const described = Object.entries(entries).filter((entry) => entry[1] !== null) as [
    string,
    Schema,
  ][]
  const properties = described.map(([key, schema]) => [key, asResource(describe(schema))] as const)
  const required = described.filter(([, schema]) => !acceptsUndefined(schema)).map(([key]) => key)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** Describes a list by its items. */
export function describeList(
  { item, max }: ListSchema,
  describe: (schema: Schema) => unknown,
): Readonly<Record<string, unknown>> {
  return { type: 'array', items: asResource(describe(item)), maxItems: max }
}

/** References in the schema of a key begin at this schema, and not at the schema of all keys. */
function asResource(json: unknown): unknown {
  if (json instanceof Promise) throw new Error('it returns a promise')
  return isNode(json) ? { ...json, [RESOURCE_MARK]: true } : json
}
