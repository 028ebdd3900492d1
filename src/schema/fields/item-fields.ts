import type { SchemaConverters } from '../../contracts/openapi.js'
import type { ResponseFieldsMode } from '../../contracts/operation.js'
import type { Schema } from '../../contracts/schema.js'
import { compileResponseFields, type ResponseFields } from './response-fields.js'

/**
 * Returns a function that drops all fields of a stream item except for the fields in the schema. In `check` mode, the
 * function throws for an item that does not match the schema.
 */
export function compileItemFields(
  schema: Schema,
  mode: Exclude<ResponseFieldsMode, 'send'>,
  converters: SchemaConverters,
): (item: unknown) => unknown {
  const operation = {
    tags: [],
    isHidden: false,
    operation: {},
    body: null,
    responses: [{ status: 200, schema, raw: true }],
  }
  const route = { envelope: false, headers: null, produces: null, operation } as const
  const fields = compileResponseFields(route, converters)
  const { strip, check } = fields.get(200) as ResponseFields
  if (mode === 'strip') return strip
  return (item) => {
    const checked = check(item)
    if (checked.lie === null) return checked.plain
    throw new TypeError(
      `It yielded an item that does not match the schema of its decorator: ${checked.lie}.`,
    )
  }
}
