import type { OpenApiMediaType, OpenApiSchema } from '../contracts/openapi.js'
import type { StreamKind, StreamModel } from '../contracts/representation.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { DocumentSchemas } from './document-schemas.js'
import type { SharedResponses } from './shared-responses.js'
import type { OpenApiVersion } from './swagger-options.js'

type Content = Readonly<Record<string, OpenApiMediaType>>

interface StreamContext {
  readonly schemas: DocumentSchemas
  readonly shared: SharedResponses
  readonly openapi: OpenApiVersion
}

const TYPES: Readonly<Record<StreamKind, string>> = {
  sse: 'text/event-stream',
  jsonLines: 'application/jsonl',
}

const WHOLE: Readonly<Record<StreamKind, string>> = {
  sse: 'Server-Sent Events. The data of each event is the JSON of an item. The event `end` follows the last item; the event `error` has the error that has ended the stream.',
  jsonLines: 'Each line is the JSON of an item.',
}

/**
 * Describes the bodies of a stream. Only OpenAPI 3.2 has a field for items. Before, the body as a whole is text, and
 * `x-item-schema` has the schema of an item.
 */
export function streamContent(
  { item, formats }: StreamModel,
  route: RouteModel,
  { schemas, shared, openapi }: StreamContext,
): Content {
  const ofItem = () => schemas.copy(schemas.of(item, 'output'))
  const error = () => Object.values(shared.errorContent(500, route))[0]?.schema ?? {}
  const media = (kind: StreamKind): OpenApiMediaType => {
    const own = { 'x-item-schema': ofItem() }
    const description = WHOLE[kind]
    if (openapi !== '3.2') return { schema: { type: 'string', description }, ...own }
    const itemSchema = kind === 'sse' ? eventOf(ofItem(), error()) : ofItem()
    // To OpenAPI 3.2, a body of items is the list of them.
    return { schema: { type: 'array', description }, itemSchema, ...own }
  }
  return Object.fromEntries(formats.map(({ kind }) => [TYPES[kind], media(kind)]))
}

/** The fields of an event, as OpenAPI 3.2 describes them (Media Type Object, "Server-Sent Event Streams"). */
function eventOf(item: OpenApiSchema, error: OpenApiSchema): OpenApiSchema {
  const json = (contentSchema: OpenApiSchema): OpenApiSchema => {
    return { type: 'string', contentMediaType: 'application/json', contentSchema }
  }
  const named = (name: string, data: OpenApiSchema): OpenApiSchema => {
    const properties = { event: { type: 'string', const: name } as const, data }
    return { type: 'object', properties, required: ['event', 'data'] }
  }
  const ofItem: OpenApiSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      event: { type: 'string', not: { enum: ['end', 'error'] } },
      retry: { type: 'integer', minimum: 0 },
      data: json(item),
    },
    required: ['data'],
  }
  return {
    oneOf: [ofItem, named('end', { type: 'string', maxLength: 0 }), named('error', json(error))],
  }
}
