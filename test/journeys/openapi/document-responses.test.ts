import {
  ApiResponseDoc,
  App,
  Auth,
  Controller,
  Get,
  Head,
  Header,
  RateLimit,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import type { OpenApiOperation } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guard, operation, users } from './users-document.js'

describe('the responses of an operation', () => {
  const statuses = ({ responses }: OpenApiOperation) => Object.keys(responses)

  it('include only the errors that the steps of the route can cause', () => {
    expect(statuses(operation(users, 'get', '/users/{userId}'))).toEqual([
      '400',
      '500',
      '503',
      '2XX',
    ])
    expect(statuses(operation(users, 'post', '/users'))).toEqual([
      '201',
      '400',
      '413',
      '415',
      '500',
      '503',
    ])
    const { paths } = new App(users).document
    expect(statuses(paths['/users/{userId}']?.delete as OpenApiOperation)).toEqual([
      '204',
      '400',
      '401',
      '403',
      '413',
      '415',
      '500',
      '503',
    ])
  })

  it('include no 503 without a handler timeout', () => {
    const options = { ...users, timeouts: { handler: false } } as const
    expect(statuses(operation(options, 'get', '/users/{userId}'))).not.toContain('503')
  })

  it('contain the data schema in the envelope', () => {
    const { responses } = operation(users, 'get', '/users')
    expect(responses['200']).toEqual({
      description: 'A page of users',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              statusCode: { type: 'string', enum: ['success'] },
              status: { type: 'integer', enum: [200] },
              message: { type: 'string' },
              data: { type: 'array', items: { $ref: '#/components/schemas/User' } },
            },
            required: ['statusCode', 'status', 'message', 'data'],
          },
        },
      },
    })
  })

  it('contain the error envelope and the problem details of an error', () => {
    const { responses } = operation(users, 'put', '/users/{userId}')
    expect(responses['404']).toEqual({
      description: 'No such user',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ErrorEnvelope' },
          example: { statusCode: 'error', status: 404, message: 'Not Found', code: 'NOT_FOUND' },
        },
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/ProblemDetails' },
          example: expect.objectContaining({ title: 'Not Found', status: 404 }),
        },
      },
    })
  })

  it('list the headers of @Header', () => {
    const created = operation(users, 'post', '/users').responses['201']
    expect(created).toMatchObject({ headers: { 'Cache-Control': { schema: { type: 'string' } } } })
  })

  it('use the given schema unchanged if it is raw or already an envelope', () => {
    const Whole = z.object({ statusCode: z.string(), status: z.int(), message: z.string() })
    @Controller('raw')
    class RawController {
      @Get('whole')
      @ApiResponseDoc({ status: 200, description: 'Whole', schema: Whole })
      whole() {}

      @Get('raw')
      @ApiResponseDoc({ status: 200, description: 'Raw', schema: z.array(z.int()), raw: true })
      raw() {}

      @Get('text')
      @ApiResponseDoc({
        status: 200,
        description: 'Text',
        schema: z.string(),
        contentType: 'text/csv',
      })
      text() {}

      @Get('moved')
      @Redirect('/users', 308)
      moved() {}
    }
    const { paths } = new App({ controllers: [RawController] }).document
    expect(paths['/raw/whole']?.get?.responses['200']).toMatchObject({
      content: {
        'application/json': { schema: { required: ['statusCode', 'status', 'message'] } },
      },
    })
    expect(paths['/raw/raw']?.get?.responses['200']).toMatchObject({
      content: { 'application/json': { schema: { type: 'array' } } },
    })
    expect(paths['/raw/text']?.get?.responses['200']).toMatchObject({
      content: { 'text/csv': { schema: { type: 'string' } } },
    })
    expect(paths['/raw/moved']?.get?.responses['308']).toMatchObject({
      headers: { Location: { required: true } },
    })
  })

  it('have headers but no body for HEAD', () => {
    @Controller('files')
    class FilesController {
      @Auth()
      @RateLimit({ limit: 5, window: '1m' })
      @Header('X-Size', '7')
      @ApiResponseDoc({ status: 200, description: 'The file', schema: z.string() })
      @ApiResponseDoc({ status: 404, description: 'No such file' })
      @Head()
      exists(_req: Request, res: Response) {
        res.end()
      }

      @Head('unknown')
      unknown(_req: Request, res: Response) {
        res.end()
      }
    }
    const options = { controllers: [FilesController], auth: { guard }, rateLimit: true }
    const { paths } = new App({ ...options, timeouts: { handler: false } }).document
    const { responses = {} } = paths['/files']?.head ?? {}
    expect(responses).toMatchObject({
      200: { description: 'The file', headers: { 'X-Size': {} } },
      400: { description: 'Bad Request' },
      401: { description: 'Unauthorized', headers: { 'WWW-Authenticate': {} } },
      404: { description: 'No such file' },
      429: { description: 'Too Many Requests', headers: { RateLimit: {}, 'Retry-After': {} } },
      500: { description: 'Internal Server Error' },
    })
    expect(paths['/files/unknown']?.head?.responses).toHaveProperty('2XX.description', 'Success')
    for (const item of Object.values(paths)) {
      for (const response of Object.values(item.head?.responses ?? {})) {
        expect(Object.keys(response)).not.toContain('content')
        expect(Object.keys(response)).not.toContain('$ref')
      }
    }
  })
})
