import type { OpenApiDocument } from '../../../src/contracts/openapi-3-0.js'

/** A small shop: parameters of every kind, bodies, references, recursion, security. */
export const sampleDocument: OpenApiDocument = {
  openapi: '3.0.3',
  info: {
    title: 'Orders',
    version: '1.4.0',
    description: 'Takes orders and tells where they are.\n\nAmounts are in cents.',
    contact: { name: 'The shop', email: 'shop@example.com' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  servers: [{ url: '/', description: 'Where this page is.' }],
  tags: [{ name: 'Orders', description: 'What was bought.' }, { name: 'Categories' }],
  paths: {
    '/orders': {
      get: {
        tags: ['Orders'],
        operationId: 'Orders_list',
        summary: 'List',
        description: 'Newest first.',
        parameters: [
          {
            name: 'state',
            in: 'query',
            description: 'Only orders in this state.',
            schema: { type: 'string', enum: ['open', 'paid', 'sent'], default: 'open' },
          },
          {
            name: 'limit',
            in: 'query',
            required: true,
            schema: { type: 'integer', minimum: 1, maximum: 100 },
            example: 20,
          },
        ],
        responses: {
          200: {
            description: 'OK',
            headers: {
              'X-Total': { description: 'How many there are.', schema: { type: 'integer' } },
            },
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
              },
            },
          },
          400: { $ref: '#/components/responses/Invalid' },
        },
      },
      post: {
        tags: ['Orders'],
        operationId: 'Orders_create',
        summary: 'Create',
        description: 'Create',
        security: [{ BearerAuth: [] }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['lines'],
                additionalProperties: false,
                properties: {
                  note: { type: 'string', maxLength: 200, nullable: true, example: "it's a gift" },
                  lines: {
                    type: 'array',
                    minItems: 1,
                    items: {
                      type: 'object',
                      required: ['sku', 'quantity'],
                      properties: {
                        sku: { type: 'string', pattern: '^[A-Z]{3}-\\d+$', example: 'ABC-1' },
                        quantity: { type: 'integer', minimum: 0, exclusiveMinimum: true },
                      },
                    },
                  },
                  payment: {
                    oneOf: [
                      {
                        type: 'object',
                        required: ['card'],
                        properties: { card: { type: 'string', writeOnly: true } },
                      },
                      { type: 'string', enum: ['invoice'] },
                    ],
                  },
                },
              },
            },
          },
        },
        responses: {
          201: {
            description: 'Created',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
          },
          400: { $ref: '#/components/responses/Invalid' },
          401: { description: 'No valid token' },
        },
      },
    },
    '/orders/{id}': {
      get: {
        tags: ['Orders'],
        operationId: 'Orders_getById',
        summary: 'Get By Id',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        ],
        responses: {
          200: {
            description: 'OK',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
          },
        },
      },
      delete: {
        tags: ['Orders'],
        operationId: 'Orders_remove',
        summary: 'Remove',
        deprecated: true,
        security: [{ BearerAuth: [] }],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
          { name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } },
        ],
        responses: { 204: { description: 'Removed' }, 401: { description: 'No valid token' } },
      },
    },
    '/categories': {
      put: {
        tags: ['Categories'],
        operationId: 'Categories_replace',
        summary: 'Replace',
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Category' } },
          },
        },
        responses: { '2XX': { description: 'Replaced' } },
      },
    },
    '/categories/{id}/pictures': {
      patch: {
        tags: ['Categories'],
        operationId: 'Categories_addPictures',
        summary: 'Add Pictures',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  caption: { type: 'string' },
                  pictures: { type: 'array', items: { type: 'string', format: 'binary' } },
                },
              },
            },
          },
        },
        responses: { 200: { description: 'OK' } },
      },
    },
  },
  components: {
    schemas: {
      Order: {
        type: 'object',
        description: 'Something somebody bought.',
        required: ['id', 'state', 'total'],
        properties: {
          id: { type: 'string', format: 'uuid', readOnly: true },
          state: { type: 'string', enum: ['open', 'paid', 'sent'] },
          total: { type: 'integer', minimum: 0, description: 'In cents.' },
          category: { $ref: '#/components/schemas/Category' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      Category: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 80 },
          children: { type: 'array', items: { $ref: '#/components/schemas/Category' } },
        },
      },
    },
    responses: {
      Invalid: {
        description: 'Not valid',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['statusCode', 'status', 'message'],
              properties: {
                statusCode: { type: 'string', enum: ['error'] },
                status: { type: 'integer' },
                message: { type: 'string' },
              },
            },
            example: { statusCode: 'error', status: 400, message: 'Not valid' },
          },
        },
      },
    },
    securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } },
  },
}
