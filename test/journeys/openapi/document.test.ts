import { All, ApiBody, ApiHidden, ApiTags, App, Auth, Controller, Get, Post, Public } from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guard, operation, UsersController, users } from './users-document.js'

describe('the document of an application', () => {
  it('has the OpenAPI version, and the title, version and description from the option', () => {
    const swagger = { title: 'Shop', version: '2.1.0', description: 'Sells.' }
    const { openapi, info } = new App({ ...users, swagger }).document
    expect({ openapi, info }).toEqual({ openapi: '3.0.3', info: swagger })
    expect(new App(users).document.info).toEqual({ title: 'API', version: '1.0.0' })
  })

  it('has an operation for each route, at its full path', () => {
    const { paths } = new App(users).document
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )
    expect(routes.sort()).toEqual([
      'delete /users/{userId}',
      'get /users',
      'get /users/{userId}',
      'post /users',
      'put /users/{userId}',
    ])
  })

  it('names operations after class and method, and tags them with the class', () => {
    const { tags, summary, operationId } = operation(users, 'get', '/users/{userId}')
    expect({ tags, summary, operationId }).toEqual({
      tags: ['Users'],
      summary: 'Get User By Id',
      operationId: 'Users_getUserById',
    })
    expect(operation(users, 'post', '/users').summary).toBe('Create HTTP User')
    expect(new App(users).document.tags).toEqual([{ name: 'Users' }])
  })

  it('uses @ApiOperation instead of inferred values', () => {
    const replace = operation(users, 'put', '/users/{userId}')
    expect(replace).toMatchObject({
      summary: 'Replace it',
      description: 'All of it.',
      deprecated: true,
    })
  })

  it('also lists path parameters that have no schema', () => {
    expect(operation(users, 'get', '/users/{userId}').parameters).toEqual([
      { name: 'userId', in: 'path', required: true, schema: { type: 'string' } },
    ])
  })

  it('uses the first name of a path parameter if routes with the same path name it differently', () => {
    const [id] = operation(users, 'put', '/users/{userId}').parameters ?? []
    expect(id).toMatchObject({ name: 'userId', in: 'path', description: 'Its number' })
    expect(id?.schema.type).toBe('integer')
  })

  it('describes query parameters with their defaults, and arrays as the parser reads them', () => {
    expect(operation(users, 'get', '/users').parameters).toEqual([
      { name: 'page', in: 'query', schema: { type: 'number', default: 1 } },
      {
        name: 'tag',
        in: 'query',
        style: 'form',
        explode: true,
        schema: { type: 'array', items: { type: 'string' } },
      },
    ])
  })

  it('lists header parameters, except headers that OpenAPI describes elsewhere', () => {
    const { parameters = [] } = operation(users, 'put', '/users/{userId}')
    expect(parameters.filter((each) => each.in === 'header').map(({ name }) => name)).toEqual([
      'x-trace',
    ])
  })

  it('derives the request body from @Body, and lets @ApiBody override it', () => {
    expect(operation(users, 'post', '/users').requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { name: { type: 'string', minLength: 1 } },
            required: ['name'],
          },
        },
      },
    })
    expect(operation(users, 'put', '/users/{userId}').requestBody).toEqual({
      description: 'The new one',
      required: false,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
    })
  })
})

describe('a body with files', () => {
  it('is a multipart form with content types for its parts', () => {
    const Upload = z.object({
      title: z.string(),
      cover: z.file().mime(['image/png', 'image/webp']),
      pages: z.array(z.file()),
    })
    @Controller('books')
    class BooksController {
      @Post()
      @ApiBody({ schema: Upload })
      upload() {}
    }
    const { requestBody } = operation({ controllers: [BooksController] }, 'post', '/books')
    expect(requestBody?.content).toMatchObject({
      'multipart/form-data': {
        schema: {
          properties: {
            title: { type: 'string' },
            cover: { type: 'string', format: 'binary' },
            pages: { type: 'array', items: { type: 'string', format: 'binary' } },
          },
        },
        encoding: { cover: { contentType: 'image/png, image/webp' } },
      },
    })
  })
})

describe('the security in the document', () => {
  it('requires a bearer token only on protected operations', () => {
    const { paths, components, security } = new App(users).document
    expect(components.securitySchemes).toEqual({ BearerAuth: { type: 'http', scheme: 'bearer' } })
    expect(security).toEqual([])
    expect(paths['/users/{userId}']?.put?.security).toEqual([{ BearerAuth: [] }])
    expect(paths['/users/{userId}']?.delete?.security).toEqual([{ BearerAuth: [] }])
    expect(paths['/users']?.get).not.toHaveProperty('security')
  })

  it('depends on @Public and auth.default', () => {
    @Auth()
    @Controller('a')
    class AController {
      @Get()
      closed() {}

      @Public()
      @Get('open')
      open() {}
    }
    @Controller('b')
    class BController {
      @Get()
      get() {}
    }
    const auth = { guard, default: 'protected' } as const
    const { paths } = new App({ controllers: [AController, BController], auth }).document
    const secured = Object.keys(paths).filter((path) => paths[path]?.get?.security !== undefined)
    expect(secured).toEqual(['/a', '/b'])
  })

  it('contains no security scheme if there is no guard', () => {
    const { paths, components } = new App({ controllers: [UsersController] }).document
    expect(components).not.toHaveProperty('securitySchemes')
    expect(paths['/users/{userId}']?.put).not.toHaveProperty('security')
  })
})

describe('the operations in the document', () => {
  it('have unique IDs with method and path if their names are equal', () => {
    const make = (prefix: string) => {
      @Controller(prefix)
      class ThingsController {
        @Get('one')
        find() {}
      }
      return ThingsController
    }
    @Controller('c')
    class CController {
      @Get('a')
      @Get('b/:id')
      both() {}

      @All('every')
      every() {}

      @Post('every')
      own() {}
    }
    const { paths } = new App({ controllers: [make('x'), make('y'), CController] }).document
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(ids.sort()).toEqual([
      'C_both_get_c_a',
      'C_both_get_c_b_id',
      'C_every_delete_c_every',
      'C_every_get_c_every',
      'C_every_patch_c_every',
      'C_every_put_c_every',
      'C_own',
      'Things_find_get_x_one',
      'Things_find_get_y_one',
    ])
  })

  it('keep their IDs in a document that contains fewer operations', () => {
    const only = (name: string) => ({
      path: `/${name}`,
      include: (route: { path: string }) => route.path.includes(name),
    })
    @Controller('c')
    class CController {
      @Get('a')
      @Get('b')
      both() {}
    }
    const app = new App({ controllers: [CController], swagger: [only('a'), only('b')] })
    expect(app.documents.map(({ path, document }) => [path, Object.keys(document.paths)])).toEqual([
      ['/a', ['/c/a']],
      ['/b', ['/c/b']],
    ])
    expect(app.document.paths['/c/a']?.get?.operationId).toBe('C_both_get_c_a')
  })

  it('have tags that the document lists in the order of the option, then of the controllers', () => {
    @ApiTags('Second', 'First')
    @Controller('d')
    class DController {
      @Get()
      get() {}

      @ApiHidden()
      @Get('secret')
      secret() {}
    }
    @ApiHidden()
    @Controller('e')
    class EController {
      @Get()
      get() {}
    }
    const swagger = { tags: [{ name: 'First', description: 'Of all' }] }
    const { tags, paths } = new App({ controllers: [DController, EController], swagger }).document
    expect(tags).toEqual([{ name: 'First', description: 'Of all' }, { name: 'Second' }])
    expect(Object.keys(paths)).toEqual(['/d'])
  })
})
