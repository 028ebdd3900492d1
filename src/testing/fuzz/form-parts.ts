import type { FileRule } from '../../contracts/inputs.js'
import type { OpenApiDocument, OpenApiMediaType } from '../../contracts/openapi.js'
import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { lowerDocument, lowerSchema } from '../../schema/dialect/rewrite-schema.js'
import { componentName } from '../../schema/openapi-to-json.js'

/** The parts of a form with files, as the document describes them. */
export interface FormParts {
  readonly files: Readonly<Record<string, FileRule>>
  /** The schema of the text fields together. */
  readonly fields: OpenApiSchema
}

/**
 * Reads the parts of a form from the document.
 *
 * @returns `null` for a form with a file whose size the document does not limit. `@Upload` limits all: other code reads
 * this form, by rules that are not known.
 */
export function formPartsOf(
  { schema, encoding = {}, 'x-max-file-bytes': sizes = {} }: OpenApiMediaType,
  document: OpenApiDocument,
): FormParts | null {
  const { schemas = {} } = lowerDocument(document).components
  const whole = resolved(lowerSchema(schema, document), schemas)
  const { properties = {}, required = [] } = whole
  const files: Record<string, FileRule> = {}
  const fields: Record<string, OpenApiSchema> = {}
  for (const [name, property] of Object.entries(properties)) {
    const part = resolved(property, schemas)
    const isList = part.type === 'array'
    const item = isList && part.items !== undefined ? resolved(part.items, schemas) : part
    if (item.format !== 'binary') {
      fields[name] = property
      continue
    }
    const { contentType = null } = encoding[name] ?? {}
    const maxBytes = sizes[name]
    if (maxBytes === undefined) return null
    files[name] = {
      maxBytes,
      types: contentType === null ? null : contentType.split(', '),
      max: isList ? (part.maxItems ?? 1) : 1,
      isOptional: !required.includes(name),
    }
  }
  const ofFields = required.filter((name) => Object.hasOwn(fields, name))
  return { files, fields: { ...whole, properties: fields, required: ofFields } }
}

function resolved(
  schema: OpenApiSchema,
  components: Readonly<Record<string, OpenApiSchema>>,
): OpenApiSchema {
  if (schema.$ref === undefined) return schema
  return components[componentName(schema.$ref)] ?? {}
}
