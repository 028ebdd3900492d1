import {
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  App,
  type AppOptions,
  Auth,
  Body,
  type Class,
  Controller,
  Deprecated,
  defineParameter,
  type EnvelopeFormat,
  Get,
  Header,
  HttpCode,
  Limits,
  type Plugin,
  Post,
  Query,
  Redirect,
  type Schema,
  Sse,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootWarnings } from '../../support.js'

const documentOf = (controller: Class, options: AppOptions = {}) =>
  new App({ controllers: [controller], logger: false, ...options }).document

const Item = z.object({ a: z.string() })
const read = () => 'read'

describe('the request body of an operation', () => {
  @Controller('b')
  class Bodies {
    @Body(Item, { limit: 40 }) @Post('limited') limited() {}
    @Body(Item, { limit: 40 }) @Body({ type: 'text', limit: 90 }) @Post('two') two() {}

    @ApiBody({ schema: z.object({ stated: z.string() }) })
    @Body(Item, { type: ['json', 'form'] })
    @Body({ type: 'bytes' })
    @Post('stated')
    stated() {}
  }
  const contentOf = (name: string) =>
    documentOf(Bodies).paths[`/b/${name}`]?.post?.requestBody?.content ?? {}

  it('contains the limit of a type only if it differs from the limit of the route', () => {
    expect(contentOf('limited')['application/json']).not.toHaveProperty('x-max-body-bytes')
    expect(contentOf('two')).toMatchObject({
      'application/json': { 'x-max-body-bytes': 40 },
      'text/plain': expect.not.objectContaining({ 'x-max-body-bytes': expect.anything() }),
    })
  })

  it('has the schema of @ApiBody for each of its types', () => {
    const schemas = Object.values(contentOf('stated')).map(({ schema }) => schema)
    expect(schemas).toHaveLength(3)
    for (const schema of schemas) expect(schema).toMatchObject({ required: ['stated'] })
  })

  it('has a separate name for each recursive schema without a name', () => {
    const tree = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'array', items: { $ref: '#' } } },
    })
    @Controller('t')
    class Trees {
      @Body(tree('left')) @Body(tree('right'), { type: 'form' }) @Post() add() {}
    }
    const names = Object.keys(documentOf(Trees).components.schemas ?? {})
    expect(names.filter((name) => name.startsWith('Trees'))).toEqual([
      'TreesAddBody',
      'TreesAddBody2',
    ])
  })
})

describe('the texts of an operation', () => {
  it('use the stated summary as the description, and the stated deprecation before that of a plugin', () => {
    @Deprecated({ since: '2026-01-01' })
    @Controller('o')
    class Operations {
      @ApiOperation({ summary: 'Find it' }) @Get('a') first() {}
      @ApiOperation({ deprecated: false }) @Get('b') second() {}
    }
    const { paths } = documentOf(Operations)
    const [first, second] = [paths['/o/a']?.get, paths['/o/b']?.get]
    expect(first).toMatchObject({ summary: 'Find it', description: 'Find it', deprecated: true })
    expect(second).not.toHaveProperty('deprecated')
  })

  it('contain a scope only once', () => {
    @Auth()
    @Controller('s')
    class Scoped {
      @Get() get() {}
    }
    const guard = {
      canActivate: () => true,
      security: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example/o' },
      scopes: () => ['read', 'read', 'write'],
    } as const
    const { security } = documentOf(Scoped, { auth: { guard } }).paths['/s']?.get ?? {}
    expect(security).toEqual([{ BearerAuth: ['read', 'write'] }])
  })
})

describe('the parameters of an operation', () => {
  it('of a plugin have the description and deprecation of their schema', () => {
    const schema = z.string().meta({ description: 'Why', deprecated: true })
    const plugin: Plugin = {
      name: 'reason',
      contract: () => ({ parameters: [{ in: 'header', name: 'X-Reason', schema }] }),
    }
    @Controller('p')
    class Plain {
      @Get() get() {}
    }
    const { parameters } = documentOf(Plain, { plugins: [plugin] }).paths['/p']?.get ?? {}
    expect(parameters).toEqual([
      {
        in: 'header',
        name: 'X-Reason',
        description: 'Why',
        deprecated: true,
        schema: { type: 'string' },
      },
    ])
  })

  it('of defineParameter() are separate in two places, and omit headers that OpenAPI describes elsewhere', () => {
    const [OfQuery, OfHeader, Token] = [
      defineParameter(read, { in: 'query', name: 'lang' }),
      defineParameter(read, { in: 'header', name: 'lang' }),
      defineParameter(read, { in: 'header', name: 'Authorization' }),
    ]
    @Controller('d')
    class Defined {
      @OfQuery() @OfHeader() @Token() @Get() get() {}
    }
    const { parameters = [] } = documentOf(Defined).paths['/d']?.get ?? {}
    expect(parameters.map(({ in: place, name }) => `${place} ${name}`).sort()).toEqual([
      'header lang',
      'query lang',
    ])
  })

  it('accept any value if one alternative of a union does', () => {
    @Controller('u')
    class Unions {
      @Query(z.union([z.object({ a: z.string() }), z.object({ a: z.any() })])) @Get() get() {}
    }
    const { parameters } = documentOf(Unions).paths['/u']?.get ?? {}
    expect(parameters?.[0]).toMatchObject({ name: 'a', schema: {} })
    expect(parameters?.[0]?.schema).toEqual({})
  })

  it.each<[string, Schema]>([
    ['a record', { type: 'object', additionalProperties: { type: 'string' } }],
    ['an exclusion', { type: 'object', properties: { a: {} }, not: { required: ['a'] } }],
    ['a union', { oneOf: [{ type: 'object' }, { type: 'object', properties: { a: {} } }] }],
  ])('cannot describe a query exactly, which causes a warning, if it is %s', async (_, schema) => {
    @Controller('q')
    class Queries {
      @Query(schema) @Get() get() {}
    }
    const warnings = await bootWarnings({ controllers: [Queries] })
    expect(warnings.map(({ code }) => code)).toEqual(['W_SCHEMA_NOT_REPRESENTABLE'])
  })
})

describe('the responses of an operation', () => {
  const responsesOf = (controller: Class, path: string, options?: AppOptions) =>
    documentOf(controller, options).paths[path]?.get?.responses ?? {}

  @Limits({ body: 40 })
  @Controller('r')
  class Responses {
    @Redirect('/x', 307)
    @ApiResponseDoc({ status: 307, description: 'Elsewhere' })
    @Get('away')
    away() {}

    @HttpCode(303) @Get('other') other() {}

    @ApiResponseDoc({
      status: 200,
      schema: z.object({ statusCode: z.string(), status: z.int(), message: z.string() }),
    })
    @Get('whole')
    whole() {}

    @Header('x-request-id', 'own') @HttpCode(200) @Get('own') own() {}

    @Sse(Item) @Get('feed') async *feed() {
      yield { a: 'a' }
    }
  }

  it('keep the description of a redirect beside its Location header', () => {
    expect(responsesOf(Responses, '/r/away')['307']).toMatchObject({
      description: 'Elsewhere',
      headers: { Location: { required: true } },
    })
  })

  it('have no content for a status from 300 on, and no 413 without a body', () => {
    const responses = responsesOf(Responses, '/r/other')
    expect(responses['303']).toEqual({ description: 'See Other' })
    expect(responses).not.toHaveProperty('413')
  })

  it('contain data in a custom envelope even if the data looks like the default envelope', () => {
    const envelope: EnvelopeFormat = {
      success: (data) => ({ wrapped: data }),
      schema: (data) => ({ type: 'object', properties: { wrapped: data }, required: ['wrapped'] }),
    }
    const text = (options?: AppOptions) =>
      JSON.stringify(responsesOf(Responses, '/r/whole', options)['200'])
    expect(text({ envelope })).toContain('"wrapped"')
    expect(text()).not.toContain('"data"')
  })

  it('have the request ID of the route in place of the general one, whatever its case is', () => {
    const options = { requestIds: true, swagger: {} }
    const names = (path: string) => {
      const response = responsesOf(Responses, path, options)['200'] ?? {}
      return Object.keys(('headers' in response && response.headers) || {})
    }
    expect(names('/r/own')).toEqual(['x-request-id'])
    expect(names('/r/whole')).toEqual(['X-Request-Id'])
  })

  it('have no general header in a document without operations', () => {
    const { components, paths } = documentOf(Responses, {
      requestIds: true,
      swagger: { include: () => false },
    })
    expect([paths, components]).toEqual([{}, {}])
  })

  it('of a stream exclude the names of the own events of the framework from other events', () => {
    const response = responsesOf(Responses, '/r/feed', { swagger: { openapi: '3.2' } })['200']
    const [media] = Object.values((response && 'content' in response && response.content) || {})
    expect(media?.itemSchema?.oneOf?.map(({ properties }) => properties?.['event'])).toEqual([
      { type: 'string', not: { enum: ['end', 'error'] } },
      { type: 'string', const: 'end' },
      { type: 'string', const: 'error' },
    ])
  })
})

describe('an equal schema under two names', () => {
  it('is referenced by the first name where it has no name', () => {
    const named = (id: string) => z.object({ a: z.string() }).meta({ id })
    @Controller('e')
    class Equal {
      @ApiResponseDoc({ status: 200, schema: named('First') }) @Get('a') first() {}
      @ApiResponseDoc({ status: 200, schema: named('Second') }) @Get('b') second() {}
      @ApiResponseDoc({ status: 200, schema: z.object({ in: Item }) }) @Get('c') third() {}
    }
    const { paths, components } = documentOf(Equal)
    expect(JSON.stringify(paths['/e/c'])).toContain('#/components/schemas/First')
    expect(components.schemas).toMatchObject({ First: {}, Second: {} })
  })
})
