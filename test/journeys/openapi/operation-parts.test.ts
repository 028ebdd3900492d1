import {
  All,
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  App,
  type AppOptions,
  Body,
  type Class,
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  type Plugin,
  Post,
  Produces,
  Query,
  Redirect,
  type Schema,
} from 'blazon'
import type { RouteContract } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const documentOf = (controller: Class, options: AppOptions = {}) =>
  new App({ controllers: [controller], logger: false, ...options }).document

function queryOf(schema: Schema) {
  @Controller('a')
  class Routes {
    @Query(schema as never) @Get() list() {}
  }
  const { parameters = [] } = documentOf(Routes).paths['/a']?.get ?? {}
  return Object.fromEntries(
    parameters.map(({ name, required = false, style, explode }) => [
      name,
      [required, style, explode],
    ]),
  )
}

const plain = (isRequired: boolean) => [isRequired, undefined, undefined]

describe('the query parameters of a document', () => {
  it('are required if every branch of a union requires them', () => {
    const union = z.union([
      z.object({ both: z.string(), one: z.string(), some: z.string().optional() }),
      z.object({ both: z.number(), some: z.string() }),
    ])
    expect(queryOf(union)).toEqual({
      both: plain(true),
      one: plain(false),
      some: plain(false),
    })
  })

  it('are required if one part of an intersection requires them', () => {
    const first = z.object({ a: z.string(), b: z.string().optional() })
    const second = z.object({ a: z.string().optional(), b: z.string() })
    expect(queryOf(z.intersection(first, second))).toEqual({ a: plain(true), b: plain(true) })
  })

  it('have a style if they can be lists or objects', () => {
    expect(
      queryOf({
        type: 'object',
        properties: {
          text: { type: 'string' },
          list: { type: 'array', items: { type: 'string' } },
          maybe: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          deep: { type: 'object', properties: {} },
          either: { anyOf: [{ type: 'object' }, { type: 'array', items: {} }] },
        },
      }),
    ).toEqual({
      text: plain(false),
      list: [false, 'form', true],
      maybe: [false, 'form', true],
      deep: [false, 'deepObject', true],
      either: [false, 'form', true],
    })
  })
})

describe('the request body of an operation', () => {
  @Controller('bodies')
  class Bodies {
    @Body(z.object({ a: z.string() })) @Post('own') own() {}

    @ApiBody({ schema: z.object({ a: z.string() }), required: false, description: 'Text' })
    @Post('optional')
    optional() {}

    @ApiBody({
      schema: {
        type: 'object',
        properties: { f: { type: 'array', items: { type: 'string', format: 'binary' } } },
      },
    })
    @Post('files')
    files() {}

    @Post('none') none() {}
  }
  const { paths } = documentOf(Bodies)
  const bodyOf = (name: string) => paths[`/bodies/${name}`]?.post?.requestBody

  it('is required, unless @ApiBody makes it optional', () => {
    expect(bodyOf('own')?.required).toBe(true)
    expect(bodyOf('own')).not.toHaveProperty('description')
    expect(bodyOf('optional')).toMatchObject({ required: false, description: 'Text' })
    expect(bodyOf('none')).toBeUndefined()
  })

  it('is a multipart form if a field is a list of files', () => {
    expect(Object.keys(bodyOf('files')?.content ?? {})).toEqual(['multipart/form-data'])
    expect(Object.keys(bodyOf('own')?.content ?? {})).toEqual(['application/json'])
  })
})

describe('the responses of a document', () => {
  @Controller('r')
  class Responses {
    @ApiResponseDoc({ status: 304, description: 'Unchanged' }) @Get('unchanged') unchanged() {}
    @ApiResponseDoc({ status: 302, description: 'Elsewhere' }) @Get('moved') moved() {}
    @ApiResponseDoc({ status: 404, description: 'None' }) @Get('missing') missing() {}
    @ApiResponseDoc({ status: 204, description: 'Nothing' }) @Get('nothing') nothing() {}
    @HttpCode(201) @Header('X-Own', 'a') @Get('made') made() {}
    @Redirect('/x', 307) @Header('X-Own', 'a') @Get('away') away() {}
  }
  const audit: Plugin = {
    name: 'audit',
    contract: (): RouteContract => ({
      headers: { 'X-Audit': { schema: z.string() }, 'X-Own': { schema: z.number() } },
    }),
  }
  const successesOf = (document: App['document'], name: string) =>
    Object.entries(document.paths[`/r/${name}`]?.get?.responses ?? {}).filter(
      ([status]) => status < '4',
    )

  it.each([
    ['unchanged', ['304', '2XX']],
    ['moved', ['302']],
    ['missing', ['2XX']],
    ['nothing', ['204']],
    ['made', ['201']],
    ['away', ['307']],
  ])('of the route %s have the success statuses %j', (name, statuses) => {
    const found = successesOf(documentOf(Responses), name).map(([status]) => status)
    expect(found.sort()).toEqual([...statuses].sort())
  })

  it('describe a representation as text or bytes, depending on its media type', () => {
    const types = ['text/plain', 'application/xml', 'image/svg+xml', 'application/x+yaml', 'a/pdf']
    const serialize = () => ''
    @Controller('k')
    class Kinds {
      @Produces(...types.map((type) => ({ type, serialize }))) @Get() get() {}
      @Produces('application/json', { type: 'a/pdf', serialize })
      @ApiResponseDoc({ status: 200, schema: z.object({ a: z.string() }) })
      @Get('described')
      described() {}
    }
    const contentOf = (path: string, status: string) => {
      const response = documentOf(Kinds).paths[path]?.get?.responses[status] ?? {}
      return 'content' in response ? response.content : undefined
    }
    const text = { schema: { type: 'string' } }
    const bytes = { schema: { type: 'string', format: 'binary' } }
    const found = (contentOf('/k', '2XX') ?? {}) as Record<string, unknown>
    expect(types.map((type) => found[type])).toEqual([text, text, text, text, bytes])
    expect(contentOf('/k/described', '200')).toMatchObject({
      'application/json': { schema: { properties: { data: { required: ['a'] } } } },
      'a/pdf': bytes,
    })
  })

  it('have the headers that plugins declare, but the headers of the route have priority', () => {
    const document = documentOf(Responses, { plugins: [audit] })
    const headersOf = (name: string) =>
      successesOf(document, name).map(([, response]) =>
        Object.entries(('headers' in response && response.headers) || {}).map(
          ([header, shape]) => `${header}: ${'schema' in shape && shape.schema?.type}`,
        ),
      )
    expect(headersOf('made')[0]?.sort()).toEqual(['X-Audit: string', 'X-Own: string'])
    expect(headersOf('missing')[0]?.sort()).toEqual(['X-Audit: string', 'X-Own: number'])
    expect(headersOf('away')[0]?.sort()).toEqual([
      'Location: string',
      'X-Audit: string',
      'X-Own: string',
    ])
    const { responses = {} } = document.paths['/r/missing']?.get ?? {}
    expect(JSON.stringify(responses['404'])).not.toContain('X-Audit')
  })
})

describe('the operations of a document', () => {
  it('have a separate ID for each method of @All, even if the ID is declared', () => {
    @Controller('all')
    class Everything {
      @ApiOperation({ operationId: 'every' }) @All('stated') stated() {}
      @All('free') free() {}
    }
    const { paths } = documentOf(Everything)
    const ids = (path: string) =>
      Object.values(paths[path] ?? {}).map(({ operationId }) => operationId)
    expect(ids('/all/stated').sort()).toEqual(
      ['delete', 'get', 'patch', 'post', 'put'].map((method) => `every_${method}`),
    )
    expect(new Set(ids('/all/free')).size).toBe(5)
  })

  it('have an ID and a summary even if the method is named by a symbol', () => {
    const [named, unnamed] = [Symbol('listAll'), Symbol()]
    @Controller('symbols')
    class Symbols {
      @Get('a') [named]() {}
      @Get('b') [unnamed]() {}
    }
    const { paths } = documentOf(Symbols)
    const of = (path: string) => {
      const { operationId, summary } = paths[path]?.get ?? {}
      return [operationId, summary]
    }
    expect(of('/symbols/a')).toEqual(['Symbols_listAll', 'List All'])
    expect(of('/symbols/b')).toEqual(['Symbols_handler', 'Handler'])
  })

  it('cannot have a declared ID that is the inferred ID of another operation', async () => {
    @Controller('ids')
    class Ids {
      @Get() list() {}
      @ApiOperation({ operationId: 'Ids_list' }) @Post() create() {}
    }
    const problems = await bootProblems({ controllers: [Ids] })
    expect(problems.map(({ code }) => code)).toEqual(['E_OPERATION_ID_DUPLICATE'])
  })

  it('use the parameter names of the first operation if their paths have the same shape', () => {
    @Controller('p')
    class Paths {
      @Get(':id/of/:owner') get() {}
      @Post(':key/of/:group') post() {}
    }
    const { paths } = documentOf(Paths)
    expect(Object.keys(paths)).toEqual(['/p/{id}/of/{owner}'])
    const names = paths['/p/{id}/of/{owner}']?.post?.parameters?.map(({ name }) => name)
    expect(names).toEqual(['id', 'owner'])
  })

  it('contain a plugin parameter only once, whatever the case of its header name is', () => {
    @Controller('h')
    class Sent {
      @Headers(z.object({ 'x-reason': z.string() }))
      @Query(z.object({ dry: z.string() }))
      @Get()
      get() {}
    }
    const schema = z.boolean()
    const plugin: Plugin = {
      name: 'reason',
      contract: () => ({
        parameters: [
          { in: 'header', name: 'X-Reason', schema },
          { in: 'query', name: 'Dry', schema },
          { in: 'query', name: 'dry', schema },
          { in: 'header', name: 'X-More', schema },
          { in: 'header', name: 'x-more', schema },
        ],
      }),
    }
    const { parameters = [] } = documentOf(Sent, { plugins: [plugin] }).paths['/h']?.get ?? {}
    expect(parameters.map(({ in: place, name }) => `${place} ${name}`)).toEqual([
      'query dry',
      'header x-reason',
      'query Dry',
      'header X-More',
    ])
  })
})

describe('the top level of a document', () => {
  @ApiTags('used', 'described')
  @Controller('t')
  class Tagged {
    @Get() get() {}
  }

  it('lists each tag once, starting with the tags of the option', () => {
    const tags = [{ name: 'described', description: 'By hand' }, { name: 'unused' }]
    expect(documentOf(Tagged, { swagger: { tags } }).tags).toEqual([...tags, { name: 'used' }])
  })

  it.each([
    ['/api-docs', '.'],
    ['/docs/api', '..'],
    ['/a/b/c/', '../..'],
  ])('at the path %s, has the server URL %s', (path, url) => {
    const { servers } = documentOf(Tagged, { swagger: { path } })
    expect(servers).toEqual([{ url, description: 'This server' }])
  })

  it('has the texts and addresses of the option, as copies', () => {
    const swagger = {
      termsOfService: 'https://a.example/terms',
      contact: { name: 'Ann', email: 'ann@a.example' },
      license: { name: 'MIT', url: 'https://a.example/license' },
      tags: [{ name: 'used', description: 'By hand' }],
    }
    const { info, tags } = documentOf(Tagged, { swagger })
    const { termsOfService, contact, license } = swagger
    expect(info).toEqual({ title: 'API', version: '1.0.0', termsOfService, contact, license })
    expect([info.contact === contact, info.license === license]).toEqual([false, false])
    expect(tags[0]).toEqual(swagger.tags[0])
    expect(tags[0]).not.toBe(swagger.tags[0])
  })

  it('limits the field errors to the number that a response can have', () => {
    const { ErrorEnvelope, ProblemDetails } = documentOf(Tagged).components.schemas ?? {}
    for (const schema of [ErrorEnvelope, ProblemDetails]) {
      expect(schema?.properties?.['errors']?.maxItems).toBe(20)
    }
  })
})

describe('schemas that equal a component', () => {
  it('are replaced by a reference, whatever the order of their properties and required names is', () => {
    const Named = z.object({ a: z.string(), b: z.number() }).meta({ id: 'Named' })
    const object = (required: string[]): Schema => ({
      type: 'object',
      required,
      properties: { b: { type: 'number' }, a: { type: 'string' } },
    })
    @Controller('s')
    class Schemas {
      @ApiResponseDoc({ status: 200, schema: Named }) @Get('named') named() {}
      @ApiResponseDoc({ status: 200, schema: object(['b', 'a']) }) @Get('equal') equal() {}
      @ApiResponseDoc({ status: 200, schema: object(['b']) }) @Get('other') other() {}
    }
    const { paths } = documentOf(Schemas)
    const refers = (name: string) =>
      JSON.stringify(paths[`/s/${name}`]).includes('#/components/schemas/Named')
    expect(['named', 'equal', 'other'].map(refers)).toEqual([true, true, false])
  })
})
