import {
  ApiResponseDoc,
  type ApiResponseOptions,
  App,
  type AppOptions,
  Body,
  Controller,
  Envelope,
  Get,
  HttpCode,
  Post,
  type Request,
  UnprocessableEntityError,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

@ApiResponseDoc({ status: 404 })
@ApiResponseDoc({ status: 409, description: 'Of the base' })
@Controller('base')
class BaseClass {
  @Get() list() {
    return []
  }
}

@ApiResponseDoc({ status: 409, description: 'Of the class' })
@ApiResponseDoc({ status: 410, description: 'Of the class' })
@Controller('things')
class ThingsController extends BaseClass {
  @Get('own')
  @ApiResponseDoc({
    status: 410,
    description: 'Of the method',
    schema: z.object({ by: z.string() }),
  })
  own() {
    return []
  }

  @Post()
  @Body(z.object({ even: z.int() }))
  create(req: Request) {
    if (req.body.even % 2 === 1) throw new UnprocessableEntityError('It is odd')
    return req.body
  }
}

const controllers = [ThingsController]
const unprocessable = { status: 422, description: 'A rule of the business' }
const Reasons = z.object({ reasons: z.array(z.string()) })

/** `GET /things/own 404`: its description, through its reference. */
function described(options: Partial<AppOptions> = {}) {
  const { document } = new App({ controllers, ...options })
  return (path: string, method: 'get' | 'post', status: number) => {
    const found = document.paths[path]?.[method]?.responses[status]
    if (found === undefined || !('$ref' in found)) return found
    const name = found.$ref.replace('#/components/responses/', '')
    return document.components.responses?.[name]
  }
}

describe('the @ApiResponseDoc decorator on a class', () => {
  it('describes every route, but decorators on the method or on a nearer class have priority', () => {
    const find = described()
    const texts = [404, 409, 410].map((status) => find('/things', 'get', status)?.description)
    expect(texts).toEqual(['Not Found', 'Of the class', 'Of the class'])
    expect(find('/things/own', 'get', 410)).toEqual({
      description: 'Of the method',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] },
        },
      },
    })
  })

  it('causes an error if a status is repeated or invalid, as on a method', async () => {
    @ApiResponseDoc({ status: 409 })
    @ApiResponseDoc({ status: 409 })
    @ApiResponseDoc({ status: 9 })
    @Controller()
    class Wrong {
      @Get() get() {}
    }
    const problems = await bootProblems({ controllers: [Wrong] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_DECORATOR_CONFLICT Wrong',
      'E_OPTION_INVALID Wrong',
    ])
  })

  it('causes a warning for a success status that no handler can send', async () => {
    @ApiResponseDoc({ status: 201 })
    @Controller('lists')
    class Lists {
      @Get() list() {
        return []
      }
    }
    const warnings = await bootWarnings({ controllers: [Lists] })
    expect(warnings.map(({ code }) => code)).toEqual(['W_STATUS_UNREACHABLE'])
  })
})

const typed = (contentType: unknown) => ({ status: 422, contentType })

describe('the option responses.documented', () => {
  it('describes every route, but decorators on classes and methods have priority', () => {
    const documented = [unprocessable, { status: 404, description: 'Of the application' }]
    const { document } = new App({ controllers, responses: { documented } })
    const find = described({ responses: { documented } })
    expect(document.paths['/things']?.get?.responses['422']).toEqual({
      $ref: '#/components/responses/UnprocessableEntity',
    })
    expect(find('/things', 'get', 422)?.description).toBe('A rule of the business')
    expect(find('/things/own', 'get', 404)?.description).toBe('Not Found')
  })

  it('describes the errors of the framework itself, instead of the description of the framework', () => {
    const documented = [400, 500].map((status) => ({ status, description: `Own ${status}` }))
    const { responses } = new App({ controllers, responses: { documented } }).document.components
    expect(responses).toMatchObject({
      BadRequest: { description: 'Own 400' },
      InternalServerError: { description: 'Own 500' },
    })
    expect(Object.keys(responses ?? {})).not.toContain('BadRequest_2')
  })

  it('describes a success response in the envelope of each route', () => {
    @Controller('wrapped')
    class Wrapped {
      @HttpCode(202) @Get() get() {}
    }
    @Envelope(false)
    @Controller('bare')
    class Bare {
      @HttpCode(202) @Get() get() {}
    }
    const documented = [{ status: 202, schema: Reasons }]
    const { paths } = new App({ controllers: [Wrapped, Bare], responses: { documented } }).document
    const texts = ['wrapped', 'bare'].map((path) =>
      JSON.stringify(paths[`/${path}`]?.get?.responses['202']),
    )
    expect(texts.map((text) => text.includes('"statusCode"'))).toEqual([true, false])
  })

  it.each([
    'text/plain',
    'application/vnd.api+json',
    'image/*',
    'text/csv; charset="utf-8";header=x',
  ])('accepts the media type %s', async (contentType) => {
    expect(
      await bootWarnings({ responses: { documented: [{ status: 422, contentType }] } }),
    ).toEqual([])
  })

  it('makes a thrown status part of the contract, also with a schema', async () => {
    for (const schema of [undefined, Reasons]) {
      const stated: ApiResponseOptions = { ...unprocessable, ...(schema && { schema }) }
      await using app = await TestApp.create({ controllers, responses: { documented: [stated] } })
      const { status } = await app.request().post('/things').send({ even: 1 })
      expect(status).toBe(422)
      const kinds = app.contractReport().map(({ kind }) => kind)
      expect(new Set(kinds)).toEqual(new Set(schema === undefined ? [] : ['body']))
    }
  })

  it('adds no status that coverage() expects from each operation', async () => {
    await using app = await TestApp.create({
      controllers,
      responses: { documented: [unprocessable] },
    })
    await app.request().get('/things')
    const row = app.coverage().rows.find(({ operation }) => operation === 'GET /things')
    expect(row?.missing).toEqual(['404', '409', '410'])
  })

  it('does not change the document of an application without it', () => {
    const plain = JSON.stringify(new App({ controllers }).document)
    new App({ controllers, responses: { documented: [unprocessable] } }).document.info
    expect(JSON.stringify(new App({ controllers }).document)).toBe(plain)
    expect(JSON.stringify(new App({ controllers, responses: {} }).document)).toBe(plain)
  })

  it.each<[string, unknown, RegExp]>([
    ['an unknown string', 'all', /'all' is not a valid mode/],
    ['a number', 1, /It is 1/],
    ['a list', [], /It is a list/],
    ['an unknown mode', { fields: 'all' }, /'all' is not a valid mode/],
    ['an object instead of a list', { documented: unprocessable }, /not a list/],
    ['an unknown name', { document: [] }, /not an option/],
    ['an item that is not an object', { documented: [null] }, /status of a response is undefined/],
    [
      'a status that is a string',
      { documented: [{ status: '422' }] },
      /status of a response is '422'/,
    ],
    ['one status twice', { documented: [unprocessable, unprocessable] }, /the status 422 twice/],
    [
      'a schema that is a string',
      { documented: [{ status: 422, schema: 'Reasons' }] },
      /not a schema/,
    ],
    [
      'a media type with a line break',
      { documented: [typed('text/plain\r\nX-A: 1')] },
      /media type/,
    ],
    ['a media type without subtype', { documented: [typed('json')] }, /media type/],
    ['an empty media type', { documented: [typed('')] }, /media type/],
    ['a media type that is not a string', { documented: [typed(1)] }, /media type/],
    ['an empty parameter', { documented: [typed('text/plain; charset=')] }, /media type/],
    ['an empty description', { documented: [{ status: 422, description: '' }] }, /not a string/],
  ])('causes a boot error with %s', async (_, responses, cause) => {
    const problems = await bootProblems({ responses: responses as never })
    expect(problems.map((each) => each.cause).join('\n')).toMatch(cause)
  })
})
