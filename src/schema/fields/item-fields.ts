import type { SchemaConverters } from '../../contracts/openapi.js'
import type { ResponseFieldsMode } from '../../contracts/operation.js'
import type { Schema } from '../../contracts/schema.js'
import { compileResponseFields, type ResponseFields } from './response-fields.js'

/**
 * Returns the function that drops the fields of a stream's items which their schema does not name, or, under `check`,
 * throws for an item that does not match its schema.
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
