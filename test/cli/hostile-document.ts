import type { OpenApiDocument } from '../../src/contracts/openapi.js'

const json = (schema: object) => ({ 'application/json': { schema } })
const failure = {
  description: 'Failed',
  content: json({ $ref: '#/components/schemas/Error' }),
}
const envelope = (data: object) => ({
  type: 'object',
  properties: {
    statusCode: { type: 'string', enum: ['success'] },
    status: { type: 'integer' },
    message: { type: 'string' },
    data,
  },
  required: ['statusCode', 'status', 'message', 'data'],
})

/** A valid document with every text that could break generated code. */
export const hostileDocument = {
  openapi: '3.0.3',
  info: { title: 'Ends */ comments\nand lines', version: '1 */' },
  servers: [],
  tags: [],
  paths: {
    '/files/{name}/{new}': {
      get: {
        operationId: 'Files_delete',
        tags: ['Files & more'],
        description: 'Ends the comment */ throw new Error("run") /* \u2028 throw new Error("run")',
        deprecated: true,
        parameters: [
          { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'new', in: 'path', required: true, schema: { type: 'integer' } },
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', properties: { 'a-b': { type: 'string' } } },
          },
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          {
            name: 'ids[]',
            in: 'query',
            explode: false,
            schema: { type: 'array', items: { type: 'integer', nullable: true } },
          },
          { name: '__proto__', in: 'query', schema: { type: 'string' } },
          { name: 'X-Count', in: 'header', schema: { type: 'integer' } },
          { name: 'X-"Quoted"', in: 'header', required: true, schema: { enum: ['a', 'b "c"'] } },
        ],
        responses: {
          '200': { description: 'A file', content: { 'application/pdf': { schema: {} } } },
          '302': { description: 'Elsewhere' },
          '404': failure,
          '4XX': failure,
          default: { description: 'Else', content: { 'text/plain': { schema: {} } } },
        },
        security: [{ BearerAuth: [] }],
      },
      head: { tags: ['Files & more'], operationId: 'Files_then', responses: {} },
    },
    '/users': {
      post: {
        operationId: 'Users_create',
        tags: ['Users'],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  avatar: { type: 'string', format: 'binary' },
                  tags: { type: 'array', items: { type: 'string' } },
                },
                required: ['avatar'],
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Made',
            content: json(envelope({ $ref: '#/components/schemas/User' })),
          },
          '204': { description: 'Nothing' },
          '422': failure,
        },
      },
      put: {
        operationId: 'Accounts_create',
        tags: ['Users'],
        requestBody: { content: json({ $ref: '#/components/schemas/Response' }) },
        responses: { '200': { $ref: '#/components/responses/Made' } },
      },
      patch: { responses: { '200': { description: 'No id, no tag' } } },
    },
  },
  components: {
    schemas: {
      Response: { type: 'object', description: 'Named as a global' },
      Call: { type: 'string', description: 'Named as a type of the client' },
      NonNullable: { type: 'string', description: 'Named as a type that the client uses' },
      ReturnType: { type: 'string', description: 'Another one' },
      string: { type: 'string', description: 'Named as a type */' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the point
      class: { type: 'string', enum: ['a', 'quote " and \\ and ${x} and `'] },
      '2nd-user.v1': { $ref: '#/components/schemas/User' },
      '2nd_user_v1': { type: 'integer', nullable: true },
      Error: {
        type: 'object',
        properties: { statusCode: { enum: ['error'] }, code: { type: 'string' } },
        required: ['statusCode', 'code'],
      },
      User: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'Several\nlines */' },
          'not-an identifier': { type: 'boolean' },
          new: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
          constructor: { type: 'string', nullable: true },
          ['__proto__']: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/User' } },
          open: {
            type: 'object',
            properties: { a: { type: 'string' } },
            additionalProperties: { type: 'integer' },
          },
          none: { type: 'object', additionalProperties: false },
          any: {},
          both: {
            allOf: [
              { $ref: '#/components/schemas/Json' },
              { type: 'object', properties: { x: {} } },
            ],
          },
        },
        required: ['id', 'new'],
      },
      Json: {
        anyOf: [
          { type: 'string' },
          { type: 'array', items: { $ref: '#/components/schemas/Json' } },
          { type: 'object', additionalProperties: { $ref: '#/components/schemas/Json' } },
        ],
      },
    },
    responses: {
      Made: { description: 'Made', content: json(envelope({ type: 'string' })) },
    },
  },
} as unknown as OpenApiDocument
