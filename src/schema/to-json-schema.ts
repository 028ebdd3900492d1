import type { SchemaConverter, SchemaSide } from '../contracts/openapi.js'
import { KeyedSchema, ListSchema } from './composed-schemas.js'
import { describeArktype } from './libraries/arktype.js'
import { unknown } from './libraries/library-result.js'
import { describeKeyed, describeList, describePlain } from './libraries/own.js'
import { describeValibot } from './libraries/valibot.js'
import { describeOldZod, zodOptions } from './libraries/zod-options.js'

/** The part of a Standard Schema that this file reads. */
interface Standard {
  readonly vendor?: unknown
  readonly jsonSchema?: Readonly<Record<SchemaSide, (options: object) => unknown>>
}

/** Options for converting a schema to JSON Schema. */
export interface DescribeOptions {
  readonly side: SchemaSide
  /**
   * Converters from the `swagger` option, by vendor. A converter takes precedence over the library's own
   * description.
   */
  readonly converters?: Readonly<Record<string, SchemaConverter>> | undefined
}

/** Options for describing a schema in a document. */
export interface DocumentedOptions extends DescribeOptions {
  /** The abilities that all readers of the document share; `null`, the default, if the readers differ. */
  readonly audience?: readonly string[] | null
}

/** The only draft that all libraries support. */
const target = 'draft-2020-12'

/** Converts any supported schema to JSON Schema. Errors from the library are thrown. */
export function toJsonSchema(schema: object, options: DescribeOptions): unknown {
  const { side, converters = {} } = options
  if (schema instanceof KeyedSchema) {
    return describeKeyed(schema, (part) => toJsonSchema(part, options))
  }
  if (schema instanceof ListSchema) {
    return describeList(schema, (part) => toJsonSchema(part, options))
  }
  const standard = (schema as { '~standard'?: Standard })['~standard']
  if (standard === undefined) return describePlain(schema, side)
  const vendor = String(standard.vendor)
  const converter = Object.hasOwn(converters, vendor) ? converters[vendor] : undefined
  if (converter !== undefined) return converter(schema, { side, target })
  const { jsonSchema } = standard
  if (jsonSchema !== undefined) {
    const convert = (which: SchemaSide, libraryOptions?: object): unknown =>
      jsonSchema[which]({ target, ...(libraryOptions && { libraryOptions }) })
    if (vendor === 'arktype') return describeArktype(convert, side)
    return vendor === 'zod' ? convert(side, zodOptions(side)) : convert(side)
  }
  if (vendor === 'valibot') return describeValibot(schema, side)
  const described = vendor === 'zod' ? describeOldZod(schema, { side, target }) : undefined
  return described ?? unknown(silent(vendor))
}

function silent(vendor: string): string {
  const remedy = `set swagger.converters['${vendor}']`
  const other = vendor === 'zod' ? `install zod 4, or ${remedy}` : remedy
  return `The library '${vendor}' cannot describe this schema: ${other}.`
}
