import {
  All,
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  App,
  type AppOptions,
  Controller,
  Get,
  HttpCode,
  Post,
  Query,
  type Request,
  type Response,
  type SwaggerOptions,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const codes = async (options: AppOptions) =>
  (await bootProblems(options)).map(({ code, subject }) => `${code} ${subject}`)

describe('the swagger option', () => {
  const wrong: [string, unknown, string][] = [
    ['a number', 7, 'swagger'],
    ['null', null, 'swagger'],
    ['a list with a string', ['x'], 'swagger[0]'],
    ['enabled as a string', { enabled: 'false' }, 'swagger.enabled'],
    ['the root as path', { path: '/' }, 'swagger.path'],
    ['a path with a parameter', { path: '/docs/:version' }, 'swagger.path'],
    ['a path with a query', { path: '/docs?x' }, 'swagger.path'],
    ['an unknown version of OpenAPI', { openapi: '3.3' }, 'swagger.openapi'],
    ['a version as a number', { openapi: 3.1 }, 'swagger.openapi'],
    ['a version in a list', [{ openapi: ['3.1'] }], 'swagger[0].openapi'],
    [
      'a parent before OpenAPI 3.2',
      { openapi: '3.1', tags: [{ name: 'a', parent: 'b' }] },
      'swagger.tags[0].parent',
    ],
    [
      'a kind that is not text',
      { openapi: '3.2', tags: [{ name: 'a', kind: 1 }] },
      'swagger.tags[0].kind',
    ],
    [
      'an unknown parent',
      { openapi: '3.2', tags: [{ name: 'a', parent: 'b' }] },
      'swagger.tags[0].parent',
    ],
    ['a title that is not a string', { title: 7 }, 'swagger.title'],
    ['servers that are not an array', { servers: { url: '/' } }, 'swagger.servers'],
    ['a server that is a string', { servers: ['/v1'] }, 'swagger.servers[0]'],
    ['a tag that is null', { tags: [null] }, 'swagger.tags[0]'],
    ['the same tag twice', { tags: [{ name: 'a' }, { name: 'a' }] }, 'swagger.tags[1]'],
    ['a contact that is a string', { contact: 'me' }, 'swagger.contact'],
    ['a license without a name', { license: {} }, 'swagger.license'],
    ['include that is not a function', { include: '/users' }, 'swagger.include'],
    [
      'a page at the path of another document',
      [{ path: '/docs' }, { path: '/docs.json' }],
      'swagger',
    ],
    ['the same path twice', [{ path: 'docs' }, { path: '/Docs/' }], 'swagger'],
  ]
  it.each(wrong)('refuses %s', async (_what, swagger, subject) => {
    expect(await codes({ swagger: swagger as SwaggerOptions })).toEqual([
      `E_OPTION_INVALID ${subject}`,
    ])
  })

  it('causes errors that list the OpenAPI versions, and that explain an invalid tree of tags', async () => {
    const [version] = await bootProblems({ swagger: { openapi: '3.3' as '3.2' } })
    expect(version).toMatchObject({
      cause: "It is '3.3'.",
      remedy: "Pass '3.0', '3.1' or '3.2', as a string.",
    })
    const circle = [
      { name: 'a', parent: 'b' },
      { name: 'b', parent: 'a' },
      { name: 'c', parent: 'a' },
    ]
    const problems = await bootProblems({ swagger: { openapi: '3.2', tags: circle } })
    expect(problems.map(({ subject, cause }) => `${subject}: ${cause}`)).toEqual([
      "swagger.tags[0].parent: The tag 'a' is its own ancestor.",
      "swagger.tags[1].parent: The tag 'b' is its own ancestor.",
    ])
    const [early] = await bootProblems({ swagger: { tags: [{ name: 'a', summary: 'A' }] } })
    expect(early).toMatchObject({
      subject: 'swagger.tags[0].summary',
      cause: 'OpenAPI supports this field from version 3.2 on, but this document uses 3.0.',
      remedy: "Set openapi: '3.2', or remove it.",
    })
  })

  const undecided: [string, () => unknown][] = [
    ['throws', () => JSON.parse('{')],
    ['returns a promise', async () => false],
  ]
  it.each(undecided)('refuses `include` if it %s', async (_what, include) => {
    @Controller('a')
    class AController {
      @Get()
      list() {}
    }
    const swagger = { include } as SwaggerOptions
    expect(await codes({ controllers: [AController], swagger })).toEqual([
      'E_OPTION_INVALID swagger.include',
    ])
  })

  it('causes an error with the error of `include` as its cause', () => {
    const thrown = new Error('no list')
    const include = () => {
      throw thrown
    }
    @Controller('a')
    class AController {
      @Get()
      list() {}
    }
    const app = new App({ controllers: [AController], swagger: { include }, logger: false })
    const failed = (() => {
      try {
        return app.document
      } catch (error) {
        return error as Error
      }
    })()
    expect(failed).toMatchObject({ cause: thrown })
  })

  it('accepts two servers with one URL, and the path of a document that is not served', async () => {
    const servers = [{ url: '/v1' }, { url: '/v1', description: 'Again' }]
    expect(await bootWarnings({ swagger: { servers } })).toEqual([])
    const swagger = [{ path: '/docs' }, { path: '/docs', enabled: false }]
    expect(await bootWarnings({ swagger })).toEqual([])
  })

  it('causes a warning about an unknown field', async () => {
    const swagger = { tittle: 'Users' } as SwaggerOptions
    expect((await bootWarnings({ swagger })).map(({ text }) => text)).toEqual([
      expect.stringContaining('swagger.tittle'),
    ])
  })

  it('can move the page and the document without changing the route table', async () => {
    const app = await TestApp.create({ contract: 'throw', swagger: { path: 'internal/docs/' } })
    const statusOf = async (path: string) => (await app.request().get(path)).status
    expect(await statusOf('/internal/docs')).toBe(200)
    expect(await statusOf('/internal/docs.json')).toBe(200)
    expect(await statusOf('/api-docs')).toBe(404)
    expect(app.getRouteTable()).toEqual([])
    await app.close()
  })

  const off: NonNullable<AppOptions['swagger']>[] = [false, { enabled: false }, []]
  it.each(off)('serves nothing if it is %j', async (swagger) => {
    const app = await TestApp.create({ contract: 'throw', swagger })
    for (const path of ['/api-docs', '/api-docs.json', '/api-docs.yaml']) {
      expect((await app.request().get(path)).status).toBe(404)
    }
    expect(app.document.openapi).toBe('3.0.3')
    await app.close()
  })
})

describe('decorators for the OpenAPI document', () => {
  it('report all invalid values in a single error', async () => {
    @Controller('a')
    class AController {
      @Get()
      @ApiOperation({ operationId: 'get a' })
      @ApiResponseDoc({ status: 99, description: 'x' })
      @ApiResponseDoc({ status: 200, description: '' })
      @ApiResponseDoc({ status: 404, description: 'one' })
      @ApiResponseDoc({ status: 404, description: 'two' })
      @ApiBody({ schema: undefined as never })
      a() {}
    }
    expect((await codes({ controllers: [AController] })).sort()).toEqual([
      'E_DECORATOR_CONFLICT AController.a',
      'E_OPTION_INVALID AController.a',
      'E_OPTION_INVALID AController.a',
      'E_OPTION_INVALID AController.a',
      'E_SCHEMA_INVALID AController.a @ApiBody',
    ])
  })

  it('refuse the same operationId on two operations', async () => {
    @Controller('a')
    class AController {
      @Get('one')
      @ApiOperation({ operationId: 'same' })
      one() {}

      @Get('two')
      @ApiOperation({ operationId: 'same' })
      two() {}
    }
    expect(await codes({ controllers: [AController] })).toEqual([
      'E_OPERATION_ID_DUPLICATE AController.two',
    ])
  })

  it('warn about a success status that the handler never sends', async () => {
    @Controller('a')
    class AController {
      @Post('created')
      @ApiResponseDoc({ status: 201, description: 'Made' })
      created() {
        return 1
      }

      @Post('right')
      @HttpCode(201)
      @ApiResponseDoc({ status: 201, description: 'Made' })
      @ApiResponseDoc({ status: 409, description: 'There is one' })
      right() {
        return 1
      }

      @Post('itself')
      @ApiResponseDoc({ status: 202, description: 'Later' })
      itself(_req: Request, res: Response) {
        res.status(202).json({})
      }

      @Get('wrapped')
      @ApiResponseDoc({ status: 202, description: 'Later' })
      wrapped(...args: unknown[]) {
        ;(args[1] as Response).status(202).json({})
      }

      @Get('part')
      @ApiResponseDoc({ status: 200, content: 'application/pdf' })
      @ApiResponseDoc({ status: 206, content: 'application/pdf' })
      part() {
        return new Blob(['%PDF'])
      }
    }
    const [warning, ...others] = await bootWarnings({ controllers: [AController] })
    expect(warning).toMatchObject({
      code: 'W_STATUS_UNREACHABLE',
      text: expect.stringContaining('@HttpCode(201)'),
    })
    expect(others).toEqual([])
  })

  it('throw immediately if their target is wrong or their parentheses are missing', () => {
    const decorate = (decorator: unknown, ...args: unknown[]) =>
      (decorator as (...args: unknown[]) => void)(...args)
    class Plain {}
    expect(() => decorate(ApiOperation({ summary: 'x' }), Plain)).toThrow('cannot decorate')
    expect(() => decorate(ApiOperation, Plain.prototype, 'method', {})).toThrow('parentheses')
  })
})

describe('routes that conflict with the document', () => {
  it('prevent the start if they have the path of the documentation', async () => {
    @Controller('api-docs.json')
    class MineController {
      @Get()
      mine() {}
    }
    @Controller('api-docs')
    class AnyController {
      @All()
      any() {}
    }
    expect(await codes({ controllers: [AnyController] })).toEqual([
      'E_ROUTE_DUPLICATE AnyController.any',
    ])
    expect(await codes({ controllers: [MineController] })).toEqual([
      'E_ROUTE_DUPLICATE MineController.mine',
    ])
    const app = await App.create({ controllers: [MineController], swagger: false })
    await app.close()
  })

  it('are left out with a warning if only a wildcard distinguishes their paths', async () => {
    @Controller('files')
    class FilesController {
      @Get(':name')
      one() {}

      @Get('*rest')
      below() {}
    }
    const options = { controllers: [FilesController] }
    expect((await bootWarnings(options)).map(({ code }) => code)).toEqual(['W_PATH_INDISTINCT'])
    expect(Object.keys(new App(options).document.paths)).toEqual(['/files/{name}'])
  })

  it('cause a warning if the query parser never produces the described objects', async () => {
    @Controller('things')
    class ThingsController {
      @Post()
      @Query(z.object({ filter: z.object({ a: z.string() }) }))
      list(_req: object) {}
    }
    const options = { controllers: [ThingsController] }
    expect((await bootWarnings(options)).map(({ code }) => code)).toEqual(['W_QUERY_NESTED'])
    const app = new App(options)
    app.express.set('query parser', 'extended')
    const [filter] = app.document.paths['/things']?.post?.parameters ?? []
    expect(filter).toMatchObject({ name: 'filter', style: 'deepObject', explode: true })
  })
})
