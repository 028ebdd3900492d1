import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import type { FileRule } from '../../contracts/inputs.js'
import type {
  OpenApi30Schema,
  OpenApiDocument,
  OpenApiMediaType,
  OpenApiSchema,
} from '../../contracts/openapi.js'
import { lowerDocument, lowerSchema } from '../../schema/dialect/rewrite-schema.js'
import { componentName } from '../../schema/openapi-to-json.js'
import { FORM_TYPE, isFormFile } from './write-form.js'

const FORM = 'application/x-www-form-urlencoded'

/** A format in which the body of an operation can be sent. Bytes are generated as a string. */
export interface BodyType {
  readonly kind: 'json' | 'form' | 'text' | 'upload'
  /** The `Content-Type` to send. */
  readonly contentType: string
  readonly schema: OpenApiSchema
  /** The parts of a form with files, if the kind is `upload`; otherwise `null`. */
  readonly parts: FormParts | null
}

/**
 * The body types that can be generated, JSON first. A form with files can be generated if the document contains the
 * rules for the files.
 */
export function bodyTypesOf({ operation, document }: DocumentedOperation): readonly BodyType[] {
  const content = Object.entries(operation.requestBody?.content ?? {})
  return content
    .flatMap(([type, media]): BodyType[] => {
      const { schema } = media
      if (!type.startsWith('multipart/')) {
        const contentType = type.replace(/^\*/, 'application').replace(/\*$/, 'x-fuzz')
        return [{ kind: kindOf(type), contentType, schema, parts: null }]
      }
      const parts = formPartsOf(media, document)
      return parts === null ? [] : [{ kind: 'upload', contentType: FORM_TYPE, schema, parts }]
    })
    .sort((a, b) => Number(b.kind === 'json') - Number(a.kind === 'json'))
}

function kindOf(type: string): BodyType['kind'] {
  if (/[/+]json$/.test(type)) return 'json'
  return type === FORM ? 'form' : 'text'
}

/** Whether a value can be written as a body of this type. */
export function isWritable({ kind }: BodyType, value: unknown): boolean {
  if (kind === 'json') return true
  if (kind === 'text') return typeof value === 'string'
  return typeof value === 'object' && value !== null && Object.values(value).every(isField)
}

function isField(value: unknown): boolean {
  if (isFormFile(value)) return true
  if (Array.isArray(value))
    return value.length > 0 && value.every((item) => isScalar(item) || isFormFile(item))
  return isScalar(value)
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** A media type that an operation does not accept; `undefined` if it accepts every type. */
export function otherType({ operation }: DocumentedOperation): string | undefined {
  const types = Object.keys(operation.requestBody?.content ?? {})
  if (types.includes('*/*')) return undefined
  return ['text/plain', 'application/x-unknown', 'image/x-unknown'].find(
    (type) => !types.includes(type) && !types.includes(type.replace(/[^/]+$/, '*')),
  )
}

/** The parts of a form with files, as the document describes them. */
export interface FormParts {
  readonly files: Readonly<Record<string, FileRule>>
  /** The combined schema of the text fields. */
  readonly fields: OpenApi30Schema
}

/**
 * Reads the parts of a form from the document.
 *
 * @returns `null` for a form with a file whose size the document does not limit. `@Upload` limits all sizes, so this
 * form is read by other code, whose rules are unknown.
 */
function formPartsOf(
  { schema, encoding = {}, 'x-max-file-bytes': sizes = {} }: OpenApiMediaType,
  document: OpenApiDocument,
): FormParts | null {
  const { schemas = {} } = lowerDocument(document).components
  const whole = resolved(lowerSchema(schema, document), schemas)
  const { properties = {}, required = [] } = whole
  const files: Record<string, FileRule> = {}
  const fields: Record<string, OpenApi30Schema> = {}
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
  schema: OpenApi30Schema,
  components: Readonly<Record<string, OpenApi30Schema>>,
): OpenApi30Schema {
  if (schema.$ref === undefined) return schema
  return components[componentName(schema.$ref)] ?? {}
}
