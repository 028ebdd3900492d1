import type {
  OpenApiDocument,
  OpenApiResponse,
  OpenApiSchema,
} from '../../src/contracts/openapi.js'

const json = (schema: OpenApiSchema) => ({ 'application/json': { schema } })

const envelope = (data: OpenApiSchema) =>
  json({
    type: 'object',
    properties: {
      statusCode: { type: 'string', enum: ['success'] },
      status: { type: 'integer' },
      message: { type: 'string' },
      data,
    },
    required: ['statusCode', 'status', 'message', 'data'],
  })

const failure: OpenApiResponse = {
  description: 'Failed',
  content: {
    ...json({ $ref: '#/components/schemas/ErrorEnvelope' }),
    'application/problem+json': { schema: { type: 'object' } },
  },
}

const item = { $ref: '#/components/schemas/Item' }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } as const

/** A small document in the form that the framework writes. */
export function documentOfShop(): OpenApiDocument {
  return {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1.0.0' },
    servers: [{ url: '/' }],
    tags: [{ name: 'Items' }],
    paths: {
      '/items': {
        get: {
          tags: ['Items'],
          operationId: 'Items_list',
          summary: 'List',
          parameters: [
            { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          ],
          responses: {
            '200': { description: 'Items', content: envelope({ type: 'array', items: item }) },
            '500': failure,
          },
        },
        post: {
          tags: ['Items'],
          operationId: 'Items_create',
          requestBody: {
            required: true,
            content: json({
              type: 'object',
              properties: { name: { type: 'string', minLength: 1 }, kind: { enum: ['a', 'b'] } },
              required: ['name'],
            }),
          },
          responses: {
            '201': { description: 'The item', content: envelope(item) },
            '400': failure,
          },
          security: [{ BearerAuth: [] }],
        },
      },
      '/items/{id}': {
        get: {
          tags: ['Items'],
          operationId: 'Items_getById',
          parameters: [id],
          responses: {
            '200': { description: 'The item', content: envelope(item) },
            '400': failure,
            '404': failure,
          },
        },
        delete: {
          tags: ['Items'],
          operationId: 'Items_remove',
          parameters: [id],
          responses: { '204': { description: 'Gone' } },
        },
      },
    },
    components: {
      schemas: {
        Item: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            name: { type: 'string', description: 'What it is called.' },
            tags: { type: 'array', items: { type: 'string' } },
          },
          required: ['id', 'name'],
        },
        ErrorEnvelope: {
          type: 'object',
          properties: {
            statusCode: { type: 'string', enum: ['error'] },
            status: { type: 'integer' },
            message: { type: 'string' },
            code: { type: 'string' },
          },
          required: ['statusCode', 'status', 'message', 'code'],
        },
      },
      securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } },
    },
  }
}
