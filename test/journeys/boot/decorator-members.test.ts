import {
  All,
  ApiBody,
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  App,
  Auth,
  Body,
  Cache,
  Can,
  Checks,
  type Class,
  ConfigError,
  Controller,
  Cookies,
  compose,
  Delete,
  Envelope,
  file,
  Get,
  Head,
  Header,
  Headers,
  HttpCode,
  JsonLines,
  Limits,
  Options,
  Paged,
  Params,
  Post,
  Produces,
  Public,
  Queries,
  Query,
  RateLimit,
  Redirect,
  ResponseFields,
  Sse,
  Tenant,
  Upload,
  Use,
  Webhook,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

type Decorate = ReturnType<typeof HttpCode>

/** The codes of the errors and warnings of a start, of a method with these decorators, that of its route first. */
async function codesOf(...decorators: readonly unknown[]): Promise<string[]> {
  const all = compose(...(decorators as Decorate[]))
  @Controller('a')
  class Routes {
    @all handle(): never[] {
      return []
    }
  }
  const cookies = { keys: ['a key of thirty-two characters, or more'] }
  const options = { controllers: [Routes], auth: { guard: { canActivate: () => true } }, cookies }
  try {
    return (await bootWarnings(options)).map(({ code }) => code)
  } catch {
    return (await bootProblems({ ...options, strict: true })).map(({ code }) => code)
  }
}

const Item = z.object({ n: z.string() })
const verify = () => true
const ttl = 60

/** Each decorator, or key of a route, by which a method reads the body. */
const READERS: readonly (readonly [name: string, decorator: unknown])[] = [
  ['a schema', Body(Item)],
  ['a schema for another type', Body(Item, { type: 'form' })],
  ['text', Body({ type: 'text' })],
  ['bytes', Body({ type: 'bytes' })],
  ['a form with files', Upload({ avatar: file() })],
]

describe('a request body read through a decorator', () => {
  it.each(READERS)('cannot be combined with @Cache and a positive ttl: %s', async (_, reader) => {
    expect(await codesOf(Get(), reader, Cache({ ttl }))).toContain('E_CACHE_BODY')
    expect(await codesOf(Get(), reader, Cache({ ttl: 0 }))).not.toContain('E_CACHE_BODY')
  })

  it.each(READERS)('prevents the warning about an unused @Limits on GET: %s', async (_, reader) => {
    expect(await codesOf(Get(), reader, Limits({ body: 1 }))).not.toContain('W_LIMIT_UNUSED')
  })

  it.each(READERS)('causes a warning on GET, HEAD and OPTIONS routes: %s', async (_, reader) => {
    for (const verb of [Get(), Head(), Options()]) {
      expect(await codesOf(verb, reader)).toEqual(['W_BODY_ON_GET'])
    }
    expect(await codesOf(Delete(), reader)).toEqual([])
  })

  it.each(READERS.slice(0, 4))('conflicts with @Upload: %s', async (_, reader) => {
    const codes = await codesOf(Post(), reader, Upload({ avatar: file() }))
    expect(codes).toEqual(['E_DECORATOR_CONFLICT'])
  })

  it('cannot be combined with @Cache and a positive ttl: a webhook', async () => {
    expect(await codesOf(Get(), Webhook({ verify }), Cache({ ttl }))).toContain('E_CACHE_BODY')
  })
})

const CONFLICT = ['E_DECORATOR_CONFLICT']
const INVALID = ['E_OPTION_INVALID']
const NO_SCHEMA = ['E_SCHEMA_INVALID']
const wrong = (value: unknown) => value as never

describe('decorators of one method', () => {
  it.each<[string, readonly unknown[], readonly string[]]>([
    ['@Limits of a body that nothing reads', [Get(), Limits({ body: 1 })], ['W_LIMIT_UNUSED']],
    ['@Limits of a body on HEAD', [Head(), Limits({ depth: 1 })], ['W_LIMIT_UNUSED']],
    ['@Limits of a body on OPTIONS', [Options(), Limits({ body: 1 })], ['W_LIMIT_UNUSED']],
    [
      '@Limits of a body that only one of two routes can have',
      [Get(), Delete(), Limits({ body: 1 })],
      [],
    ],
    ['@Limits of a body on a route for all methods', [All(), Limits({ body: 1 })], []],
    ['@Public with @Auth', [Get(), Public(), Auth()], CONFLICT],
    ['@Public with @Can', [Get(), Public(), Can('a')], CONFLICT],
    ['@Auth with @Can', [Get(), Auth(), Can('a')], []],
    ['@Sse with @Cache', [Get(), Sse(Item), Cache({ ttl })], CONFLICT],
    ['@JsonLines with @Cache', [Get(), JsonLines(Item), Cache({ ttl })], CONFLICT],
    ['@Sse with a documented error', [Get(), Sse(Item), ApiResponseDoc({ status: 404 })], []],
    ['@Sse with status 199', [Get(), Sse(Item), ApiResponseDoc({ status: 199 })], []],
    [
      '@Sse with a documented success',
      [Get(), Sse(Item), ApiResponseDoc({ status: 200 })],
      CONFLICT,
    ],
    ['@Sse with status 300', [Get(), Sse(Item), ApiResponseDoc({ status: 300 })], []],
    [
      '@Produces and the content type of a response',
      [Get(), Produces('text/csv'), ApiResponseDoc({ status: 200, contentType: 'text/plain' })],
      CONFLICT,
    ],
    [
      '@Produces and a file response',
      [Get(), Produces('text/csv'), ApiResponseDoc({ status: 200, content: 'image/png' })],
      CONFLICT,
    ],
    [
      '@Produces and the content type of an error response',
      [Get(), Produces('text/csv'), ApiResponseDoc({ status: 404, contentType: 'text/plain' })],
      [],
    ],
    [
      '@Produces and a Content-Type header',
      [Get(), Produces('text/csv'), Header('Content-Type', 'a/b')],
      CONFLICT,
    ],
    [
      '@Produces and a header other than Content-Type',
      [Get(), Produces('text/csv'), Header('X-Type', 'a/b')],
      [],
    ],
    ['two keys of @Query', [Get(), Query('a', z.string()), Query('b', z.string())], []],
    [
      'one key of @Query twice',
      [Get(), Query('a', z.string()), Query('a', z.string())],
      ['E_INPUT_TWICE'],
    ],
    [
      'a key of @Query and the whole query',
      [Get(), Query('a', z.string()), Query(Item)],
      ['E_INPUT_TWICE'],
    ],
    ['two types of bodies', [Post(), Body(Item), Body(Item, { type: 'form' })], []],
    [
      'two bodies of one type',
      [Post(), Body(Item, { type: 'form' }), Body({ type: ['form', 'text'] })],
      ['E_INPUT_TWICE'],
    ],
    [
      'two JSON bodies',
      [Post(), Body(Item), Body(Item, { type: 'json', limit: 9 })],
      ['E_INPUT_TWICE'],
    ],
  ])('are checked at boot: %s', async (_, decorators, codes) => {
    expect(await codesOf(...decorators)).toEqual(codes)
  })
})

describe('the arguments of a decorator', () => {
  it.each<[string, readonly unknown[], readonly string[]]>([
    ['@ApiOperation(null)', [Get(), ApiOperation(wrong(null))], INVALID],
    ["@ApiOperation('text')", [Get(), ApiOperation(wrong('text'))], INVALID],
    ['an operationId with a space', [Get(), ApiOperation({ operationId: 'a b' })], INVALID],
    ['an operationId that is a number', [Get(), ApiOperation({ operationId: wrong(7) })], INVALID],
    ['an empty operationId', [Get(), ApiOperation({ operationId: '' })], INVALID],
    ['@ApiBody without a schema', [Post(), ApiBody(wrong({}))], NO_SCHEMA],
    ['@ApiBody(undefined)', [Post(), ApiBody(wrong(undefined))], NO_SCHEMA],
    ['@ApiResponseDoc(undefined)', [Get(), ApiResponseDoc(wrong(undefined))], INVALID],
    [
      'a response status that is a string',
      [Get(), ApiResponseDoc(wrong({ status: '404' }))],
      INVALID,
    ],
    ['an empty description', [Get(), ApiResponseDoc({ status: 404, description: '' })], INVALID],
    [
      'a description that is not a string',
      [Get(), ApiResponseDoc({ status: 404, description: wrong(1) })],
      INVALID,
    ],
    [
      'an invalid content type of a response',
      [Get(), ApiResponseDoc({ status: 404, contentType: 'json' })],
      INVALID,
    ],
    [
      'an invalid type of a file',
      [Get(), ApiResponseDoc({ status: 200, content: 'pdf' })],
      INVALID,
    ],
    [
      'a file with a schema',
      [Get(), ApiResponseDoc(wrong({ status: 200, content: 'a/b', schema: Item }))],
      CONFLICT,
    ],
    [
      'a file with `raw`',
      [Get(), ApiResponseDoc(wrong({ status: 200, content: 'a/b', raw: true }))],
      CONFLICT,
    ],
    [
      'a file with a contentType',
      [Get(), ApiResponseDoc(wrong({ status: 200, content: 'a/b', contentType: 'a/b' }))],
      CONFLICT,
    ],
    [
      'one status twice',
      [Get(), ApiResponseDoc({ status: 404 }), ApiResponseDoc({ status: 404 })],
      CONFLICT,
    ],
    [
      'an invalid schema of a response',
      [Get(), ApiResponseDoc({ status: 404, schema: wrong(7) })],
      NO_SCHEMA,
    ],
    ['@Webhook(undefined)', [Post(), Webhook(wrong(undefined))], INVALID],
    [
      '@Webhook with a `verify` that is not a function',
      [Post(), Webhook(wrong({ verify: true }))],
      INVALID,
    ],
    ['@Body with a list instead of options', [Post(), Body(Item, wrong([]))], INVALID],
    ['@Body of an unknown type', [Post(), Body(Item, wrong({ type: 'xml' }))], INVALID],
    ['@Body with an empty list of types', [Post(), Body(Item, wrong({ type: [] }))], INVALID],
    ['@Body with a wrong limit', [Post(), Body(Item, wrong({ limit: 'x' }))], INVALID],
    [
      '@Body with a media type for two types',
      [Post(), Body(Item, { type: ['json', 'form'], contentType: wrong('a/b') })],
      INVALID,
    ],
    [
      '@Body with parameters of a media type',
      [Post(), Body({ type: 'text', contentType: 'text/csv; a=b' })],
      INVALID,
    ],
    [
      '@Body with an empty list of media types',
      [Post(), Body({ type: 'text', contentType: [] })],
      INVALID,
    ],
    [
      '@Body with a range for JSON',
      [Post(), Body(Item, { type: 'json', contentType: wrong('application/*') })],
      INVALID,
    ],
    ['@Body with a range for text', [Post(), Body({ type: 'text', contentType: 'text/*' })], []],
    [
      '@Body of bytes with a JSON Schema',
      [Post(), Body(wrong({ type: 'string' }), wrong({ type: 'bytes' }))],
      INVALID,
    ],
    [
      '@Body of bytes with a Standard Schema',
      [Post(), Body(z.instanceof(Buffer), { type: 'bytes' })],
      [],
    ],
    ['@Upload(null)', [Post(), Upload(wrong(null))], INVALID],
    ['@Upload of a list', [Post(), Upload(wrong([file()]))], INVALID],
    [
      '@Upload of an instance',
      [
        Post(),
        Upload(
          wrong(
            new (class {
              a = file()
            })(),
          ),
        ),
      ],
      INVALID,
    ],
    ['@Upload with the type image/*', [Post(), Upload({ a: file({ types: ['image/*'] }) })], []],
    [
      '@Upload with a type that has a parameter',
      [Post(), Upload({ a: file({ types: ['image/png;a=b'] }) })],
      INVALID,
    ],
    ['@Upload with the type */*', [Post(), Upload({ a: file({ types: ['*/*'] }) })], INVALID],
    ['@Upload with an empty list of types', [Post(), Upload({ a: file({ types: [] }) })], INVALID],
    [
      '@Upload with an `optional` that is not a boolean',
      [Post(), Upload({ a: file({ optional: wrong('yes') }) })],
      INVALID,
    ],
    ['@Sse with a heartbeat of 0', [Get(), Sse(Item, { heartbeat: 0 })], INVALID],
    ['@Sse without heartbeats', [Get(), Sse(Item, { heartbeat: false })], []],
    ['@Cookies with a string as `signed`', [Get(), Cookies(Item, wrong({ signed: 'n' }))], INVALID],
    ['@Cookies with numbers in `signed`', [Get(), Cookies(Item, wrong({ signed: [1] }))], INVALID],
    [
      '@Cookies with an unknown option',
      [Get(), Cookies(Item, wrong({ signed: ['n'], secret: 's' }))],
      INVALID,
    ],
    ['@Query with an empty key', [Get(), Query('', z.string())], INVALID],
    ['@Redirect to 300', [Get(), Redirect('/b', wrong(300))], INVALID],
    ['@Header with a line break', [Get(), Header('X-A', 'a\nb')], INVALID],
    ['@HttpCode(400)', [Get(), HttpCode(400)], INVALID],
    ['@Header with Vary: *', [Get(), Header('Vary', '*')], []],
    ['@Header with a wrong name in `vary`', [Get(), Header('vary', 'a b')], INVALID],
  ])('are validated at boot: %s', async (_, decorators, codes) => {
    expect(await codesOf(...decorators)).toEqual(codes)
  })
})

/** Values that plain JavaScript may pass. */
const ODD: readonly unknown[] = [
  ...[undefined, null, 0, 1.5, Number.NaN, '', 'a\r\nb', true, 1n, Symbol('s'), () => 1, class {}],
  ...[[], [undefined], {}, { status: {}, type: 1, schema: null }, new Map(), Object.create(null)],
]

/** Each may be on a method, a class, or both. */
const MAKERS = {
  ...{ ApiBody, ApiOperation, ApiResponseDoc, ApiTags, Auth, Body, Cache, Can, Checks, Controller },
  ...{
    Cookies,
    Envelope,
    Get,
    Header,
    Headers,
    HttpCode,
    JsonLines,
    Limits,
    Paged,
    Params,
    Produces,
  },
  ...{ Queries, Query, RateLimit, Redirect, ResponseFields, Sse, Tenant, Upload, Use, Webhook },
}

/** Decorates a class or its method as a compiler does. Returns `null` if the decorator refuses its argument at once. */
function decorated(name: string, isOfClass: boolean, args: readonly unknown[]): Class | null {
  class Odd {
    handle() {}
  }
  const place = Object.getOwnPropertyDescriptor(Odd.prototype, 'handle')
  try {
    const maker = MAKERS[name as keyof typeof MAKERS]
    const decorate = Reflect.apply(maker as () => unknown, undefined, args) as () => void
    const ofMethod = isOfClass ? [Post()] : [decorate, Post()]
    for (const each of ofMethod) Reflect.apply(each, undefined, [Odd.prototype, 'handle', place])
    const ofClass = isOfClass ? [Controller('odd'), decorate] : [Controller('odd')]
    for (const each of ofClass) Reflect.apply(each, undefined, [Odd])
  } catch (error) {
    const isReported = error instanceof ConfigError || /^TypeError: .*@\w+\(\)/.test(String(error))
    expect(isReported, String(error)).toBe(true)
    return null
  }
  return Odd
}

describe('a decorator argument of a wrong type', () => {
  it.each(Object.keys(MAKERS))('causes a ConfigError or a TypeError: @%s', async (name) => {
    const all = ODD.flatMap((value) =>
      [[value], [value, value], [value, {}]].flatMap((args) =>
        [false, true].map((isOfClass) => decorated(name, isOfClass, args)),
      ),
    )
    const controllers = all.filter((each) => each !== null)
    if (controllers.length === 0) return
    // All routes have one path, so no start succeeds.
    const start = App.create({ logger: false, controllers, tenant: {} })
    await expect(start).rejects.toThrow(ConfigError)
  })
})
