import type { OpenApiDocument } from 'blazon'

/** A document without a problem. The tests of the checks plant errors in copies of it. */
export const SAMPLE: OpenApiDocument = {
  openapi: '3.0.3',
  info: {
    title: 'Sample',
    version: '1.0.0',
    description: 'A document to plant errors in.',
    contact: { name: 'API', url: 'https://example.com', email: 'api@example.com' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  servers: [{ url: '/' }],
  tags: [{ name: 'Things', description: 'Things.' }],
  paths: {
    '/things': {
      get: {
        tags: ['Things'],
        summary: 'List',
        description: 'List',
        operationId: 'Things_list',
        parameters: [
          {
            name: 'tag',
            in: 'query',
            style: 'form',
            explode: true,
            schema: { type: 'array', items: { type: 'string' } },
          },
        ],
        responses: {
          '200': {
            description: 'The things.',
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
              },
            },
          },
          '400': { $ref: '#/components/responses/BadRequest' },
        },
        security: [],
      },
    },
    '/things/{id}': {
      put: {
        tags: ['Things'],
        summary: 'Replace',
        description: 'Replace',
        operationId: 'Things_replace',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
        responses: {
          '200': {
            description: 'The thing.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          '400': { $ref: '#/components/responses/BadRequest' },
        },
        security: [{ BearerAuth: [] }],
      },
    },
  },
  components: {
    schemas: {
      Error: {
        type: 'object',
        properties: { message: { type: 'string' } },
        required: ['message'],
      },
      Thing: {
        type: 'object',
        properties: {
          name: { type: 'string', nullable: true },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
        },
        required: ['name'],
      },
    },
    responses: {
      BadRequest: {
        description: 'Bad Request',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } },
  },
}

/** A copy of the sample with another value at one place, which the keys name; `undefined` removes the key. */
export function plant(path: readonly (string | number)[], value: unknown): OpenApiDocument {
  const document = structuredClone(SAMPLE)
  const keys = [...path]
  const last = keys.pop() as string
  let parent = document as unknown as Record<string, never>
  for (const key of keys) parent = parent[key] as never
  if (value === undefined) delete parent[last]
  else Object.assign(parent, { [last]: value })
  return document
}
