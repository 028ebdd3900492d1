import type { OpenApiDocument } from 'blazon'

type Json = Readonly<Record<string, unknown>>

/** Any JSON value: an example, a default, the members of an enum. */
const ANY = 'any'

/** The content of a key of an object: a kind, a list `[kind]`, a map `{ of: kind }`, or any JSON. */
type Content = KindName | readonly [KindName] | { readonly of: KindName } | typeof ANY

/**
 * Every object of OpenAPI 3.0.3 with the keys it may have (section 4.7 of the specification). Callbacks and links are
 * never written and have no row: their keys are problems, like keys of another version.
 */
const KINDS = {
  Document: {
    openapi: ANY,
    info: 'Info',
    servers: ['Server'],
    paths: { of: 'PathItem' },
    components: 'Components',
    security: ['SecurityRequirement'],
    tags: ['Tag'],
    externalDocs: 'ExternalDocs',
  },
  Info: {
    title: ANY,
    description: ANY,
    termsOfService: ANY,
    contact: 'Contact',
    license: 'License',
    version: ANY,
  },
  Contact: { name: ANY, url: ANY, email: ANY },
  License: { name: ANY, url: ANY },
  Server: { url: ANY, description: ANY },
  Components: {
    schemas: { of: 'Schema' },
    responses: { of: 'Response' },
    headers: { of: 'Header' },
    securitySchemes: { of: 'SecurityScheme' },
  },
  PathItem: {
    get: 'Operation',
    put: 'Operation',
    post: 'Operation',
    delete: 'Operation',
    options: 'Operation',
    head: 'Operation',
    patch: 'Operation',
  },
  Operation: {
    tags: ANY,
    summary: ANY,
    description: ANY,
    externalDocs: 'ExternalDocs',
    operationId: ANY,
    parameters: ['Parameter'],
    requestBody: 'RequestBody',
    responses: 'Responses',
    deprecated: ANY,
    security: ['SecurityRequirement'],
  },
  ExternalDocs: { description: ANY, url: ANY },
  Parameter: {
    name: ANY,
    in: ANY,
    description: ANY,
    required: ANY,
    deprecated: ANY,
    allowEmptyValue: ANY,
    style: ANY,
    explode: ANY,
    allowReserved: ANY,
    schema: 'Schema',
    example: ANY,
  },
  RequestBody: { description: ANY, content: { of: 'MediaType' }, required: ANY },
  MediaType: { schema: 'Schema', example: ANY, encoding: { of: 'Encoding' } },
  Encoding: { contentType: ANY, headers: { of: 'Header' }, style: ANY, explode: ANY },
  Responses: {},
  Response: { description: ANY, headers: { of: 'Header' }, content: { of: 'MediaType' } },
  Header: {
    description: ANY,
    required: ANY,
    deprecated: ANY,
    style: ANY,
    explode: ANY,
    schema: 'Schema',
    example: ANY,
  },
  Tag: { name: ANY, description: ANY, externalDocs: 'ExternalDocs' },
  Reference: { $ref: ANY },
  Schema: {
    title: ANY,
    multipleOf: ANY,
    maximum: ANY,
    exclusiveMaximum: ANY,
    minimum: ANY,
    exclusiveMinimum: ANY,
    maxLength: ANY,
    minLength: ANY,
    pattern: ANY,
    maxItems: ANY,
    minItems: ANY,
    uniqueItems: ANY,
    maxProperties: ANY,
    minProperties: ANY,
    required: ANY,
    enum: ANY,
    type: ANY,
    allOf: ['Schema'],
    oneOf: ['Schema'],
    anyOf: ['Schema'],
    not: 'Schema',
    items: 'Schema',
    properties: { of: 'Schema' },
    additionalProperties: 'Schema',
    description: ANY,
    format: ANY,
    default: ANY,
    nullable: ANY,
    discriminator: 'Discriminator',
    readOnly: ANY,
    writeOnly: ANY,
    example: ANY,
    externalDocs: 'ExternalDocs',
    deprecated: ANY,
  },
  Discriminator: { propertyName: ANY, mapping: ANY },
  SecurityScheme: { type: ANY, description: ANY, scheme: ANY, bearerFormat: ANY },
  SecurityRequirement: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>

type Kinds = Readonly<Record<KindName, Readonly<Record<string, Content>>>>

/** From OpenAPI 3.1 on, schemas are JSON Schema 2020-12. The keywords that no part of this package writes are missing. */
const KINDS_OF_3_1: Kinds = {
  ...KINDS,
  Schema: {
    title: ANY,
    description: ANY,
    default: ANY,
    examples: ANY,
    deprecated: ANY,
    readOnly: ANY,
    writeOnly: ANY,
    discriminator: 'Discriminator',
    externalDocs: 'ExternalDocs',
    type: ANY,
    enum: ANY,
    const: ANY,
    multipleOf: ANY,
    maximum: ANY,
    exclusiveMaximum: ANY,
    minimum: ANY,
    exclusiveMinimum: ANY,
    maxLength: ANY,
    minLength: ANY,
    pattern: ANY,
    format: ANY,
    contentEncoding: ANY,
    contentMediaType: ANY,
    contentSchema: 'Schema',
    prefixItems: ['Schema'],
    items: 'Schema',
    contains: 'Schema',
    minContains: ANY,
    maxContains: ANY,
    maxItems: ANY,
    minItems: ANY,
    uniqueItems: ANY,
    unevaluatedItems: 'Schema',
    properties: { of: 'Schema' },
    patternProperties: { of: 'Schema' },
    additionalProperties: 'Schema',
    propertyNames: 'Schema',
    required: ANY,
    maxProperties: ANY,
    minProperties: ANY,
    dependentRequired: ANY,
    dependentSchemas: { of: 'Schema' },
    unevaluatedProperties: 'Schema',
    allOf: ['Schema'],
    anyOf: ['Schema'],
    oneOf: ['Schema'],
    not: 'Schema',
    if: 'Schema',
    then: 'Schema',
    else: 'Schema',
  },
}

const KINDS_OF_3_2: Kinds = {
  ...KINDS_OF_3_1,
  MediaType: { ...KINDS.MediaType, itemSchema: 'Schema' },
  Tag: { ...KINDS.Tag, summary: ANY, parent: ANY, kind: ANY },
}

const BY_VERSION: Readonly<Record<string, Kinds>> = {
  '3.0.3': KINDS,
  '3.1.2': KINDS_OF_3_1,
  '3.2.0': KINDS_OF_3_2,
}

/** A kind of object of the specification. */
export type KindName = keyof typeof KINDS

/** An object of a document. */
export interface Found {
  readonly kind: KindName
  readonly value: Json
  /** Keys from the root. */
  readonly keys: readonly string[]
  /** The keys as text. */
  readonly path: string
  /** Keys that its kind does not have. */
  readonly problems: readonly string[]
}

/** Kinds that a reference may replace. */
const REFERABLE: readonly KindName[] = ['Schema', 'Response', 'Parameter', 'RequestBody', 'Header']

/** Every object of a document, each with its kind. */
export function walkDocument(document: OpenApiDocument): Found[] {
  const kinds = BY_VERSION[document.openapi]
  if (kinds === undefined) throw new Error(`There are no rules for OpenAPI ${document.openapi}.`)
  return [...walk(document, 'Document', { kinds, keys: [] })]
}

interface Place {
  readonly kinds: Kinds
  readonly keys: readonly string[]
}

/** The keywords that may be a boolean in place of a schema: in OpenAPI 3.0, the first one. */
const MAY_BE_BOOLEAN = [
  'additionalProperties',
  'items',
  'unevaluatedItems',
  'unevaluatedProperties',
]

function* walk(node: unknown, name: KindName, { kinds, keys }: Place): Generator<Found> {
  const path = keys.join('.')
  const mayBeBoolean = kinds === KINDS ? MAY_BE_BOOLEAN.slice(0, 1) : MAY_BE_BOOLEAN
  if (typeof node === 'boolean' && mayBeBoolean.includes(keys.at(-1) ?? '')) return
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    yield { kind: name, value: {}, keys, path, problems: [`${path} is no ${name}`] }
    return
  }
  const value = node as Json
  const kind = '$ref' in value && REFERABLE.includes(name) ? 'Reference' : name
  if (kind === 'Responses') {
    yield { kind, value, keys, path, problems: statusProblems(value, path) }
    for (const [status, response] of Object.entries(value))
      yield* walk(response, 'Response', { kinds, keys: [...keys, status] })
    return
  }
  const contents = kinds[kind]
  const isFree = kind === 'SecurityRequirement'
  const foreign = Object.keys(value).filter(
    (key) => !isFree && !Object.hasOwn(contents, key) && !key.startsWith('x-'),
  )
  const problems = foreign.map((key) => `${path}: '${key}' is not a key of a ${kind} Object`)
  yield { kind, value, keys, path, problems }
  for (const [key, content] of Object.entries(contents)) {
    if (value[key] !== undefined)
      yield* walkContent(value[key], content, { kinds, keys: [...keys, key] })
  }
}

function* walkContent(node: unknown, content: Content, place: Place): Generator<Found> {
  if (content === ANY) return
  if (typeof content === 'string') return yield* walk(node, content, place)
  const kind = 'of' in content ? content.of : content[0]
  for (const [key, child] of Object.entries(node as Json))
    yield* walk(child, kind, { ...place, keys: [...place.keys, key] })
}

function statusProblems(responses: Json, path: string): string[] {
  const statuses = Object.keys(responses)
  if (statuses.length === 0) return [`${path} is empty`]
  return statuses
    .filter((status) => !/^[1-5](\d\d|XX)$/.test(status))
    .map((status) => `${path}: '${status}' is not a status`)
}
