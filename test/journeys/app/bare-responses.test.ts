import {
  ApiResponseDoc,
  type AppOptions,
  Cache,
  Controller,
  Get,
  Head,
  Header,
  HttpCode,
  NotFoundError,
  Post,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const Point = z.object({ x: z.int() })
const Raw = (schema?: z.ZodType, status = 200, contentType?: string) =>
  ApiResponseDoc({
    status,
    description: 'As it is',
    raw: true,
    ...(schema === undefined ? {} : { schema }),
    ...(contentType === undefined ? {} : { contentType }),
  })
const Typed = (contentType: string, status = 200) =>
  ApiResponseDoc({ status, description: 'Typed', contentType })

let calls = 0
let returned: () => unknown = () => undefined

@Controller('bare')
class BareController {
  @Raw(Point) @Get('value') value() {
    return { x: 1 }
  }
  @Raw(Point) @Get('promise') async promise() {
    return { x: 1 }
  }
  @Raw(z.string()) @Get('text') text() {
    return 'a "text"'
  }
  @Raw(z.null()) @Get('null') null() {
    return null
  }
  @Raw() @Get('any') any() {
    return [1, 2]
  }
  @HttpCode(201) @Raw(Point, 201) @Post('made') made() {
    return { x: 2 }
  }
  @HttpCode(202) @Raw(z.null(), 202) @Post('nothing') nothing() {}
  @Raw(Point)
  @ApiResponseDoc({ status: 204, description: 'None' })
  @Get('none')
  none() {}
  @Raw(z.object({ at: z.date() })) @Get('dated') dated() {
    return { at: new Date(0) }
  }
  @Raw(Point) @Cache({ ttl: 60 }) @Get('cached') cached() {
    return { x: ++calls }
  }
  @Raw(Point) @Get('sent') sent(_req: Request, res: Response) {
    return res.json({ x: 3 })
  }
  @Raw(Point) @Get('later') later(_req: Request, res: Response) {
    setImmediate(() => res.json({ x: 4 }))
  }
  @Raw(Point, 200, 'application/hal+json') @Get('hal') hal() {
    return { x: 5 }
  }
  @ApiResponseDoc({
    status: 200,
    description: 'A point',
    schema: z.object({ at: z.date() }),
    contentType: 'application/vnd.point+json',
  })
  @Get('vendor')
  vendor() {
    return { at: new Date(0) }
  }
  @Raw(Point) @Get('fails') fails() {
    throw new NotFoundError('gone')
  }
  @Raw(Point, 200) @HttpCode(201) @Get('other') other() {
    return { x: 6 }
  }
  @Raw(Point) @Redirect('/bare/value') @Get('moved') moved() {}
}

@Controller('typed')
class TypedController {
  @Typed('text/csv') @Get('string') string() {
    return 'a,b\n1,2'
  }
  @Typed('application/octet-stream') @Get('bytes') bytes() {
    return new Uint8Array([0, 255, 1]).subarray(1)
  }
  @Typed('image/png') @Get('buffer') async buffer() {
    return Buffer.from([1, 2])
  }
  @Raw(z.string(), 200, 'text/markdown') @Get('raw') raw() {
    return '# Title'
  }
  @Header('Content-Type', 'text/csv; header=absent') @Typed('text/csv') @Get('own') own() {
    return '1,2'
  }
  @Header('Content-Type', 'text/csv') @Raw(z.string()) @Get('header') header() {
    return '1,2'
  }
  @Typed('text/*') @Get('wild') wild() {
    return '<b>'
  }
  @Header('content-type', 'text/csv') @Typed('text/*') @Get('wild-own') wildOwn() {
    return '1,2'
  }
  @Typed('text/*') @Get('wild-set') wildSet(_req: Request, res: Response) {
    res.type('text/html')
    return '<b>'
  }
  @Typed('image/*') @Get('wild-bytes') wildBytes(_req: Request, res: Response) {
    res.type('image/png')
    return Buffer.from([1, 2])
  }
  @Header('content-type', 'text/markdown') @Raw(z.string()) @Get('lower-case') lowerCase() {
    return '# Title'
  }
  @Typed('text/csv') @Cache({ ttl: 60 }) @Get('cached') cached() {
    return `${++calls}`
  }
  @HttpCode(201) @Typed('text/plain', 201) @Head('head') head() {
    return 'text'
  }
  @Typed('text/csv') @Get('wrong') wrong() {
    return returned()
  }
  @HttpCode(200) @Typed('text/csv') @Get('forgotten') forgotten() {}
}

let app: TestApp
const start = async (options: Partial<AppOptions> = {}) => {
  const controllers = [BareController, TypedController]
  app = await TestApp.create({ controllers, contract: 'throw', ...options })
}
beforeEach(() => {
  calls = 0
  return start()
})
afterEach(() => app.close())

const get = (path: string) => app.request().get(path)

describe('the return value of a route that is documented without the envelope', () => {
  it.each([
    ['value', '{"x":1}'],
    ['promise', '{"x":1}'],
    ['text', '"a \\"text\\""'],
    ['null', 'null'],
    ['any', '[1,2]'],
    ['dated', '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['sent', '{"x":3}'],
    ['later', '{"x":4}'],
  ])('is sent without the envelope: /bare/%s', async (path, text) => {
    const answer = await get(`/bare/${path}`)
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it.each([
    ['made', 201, '{"x":2}'],
    ['nothing', 202, 'null'],
  ])('is sent with the status of @HttpCode: /bare/%s', async (path, status, text) => {
    const answer = await app.request().post(`/bare/${path}`)
    expect([answer.status, answer.text]).toEqual([status, text])
  })

  it('results in a 204 response if the handler returns nothing', async () => {
    expect((await get('/bare/none')).status).toBe(204)
  })

  it.each([
    ['hal', 'application/hal+json', { x: 5 }],
    ['vendor', 'application/vnd.point+json', { at: '1970-01-01T00:00:00.000Z' }],
  ])('is sent with the documented JSON type: /bare/%s', async (path, type, body) => {
    const answer = await get(`/bare/${path}`)
    expect(answer.headers['content-type']).toMatch(type)
    expect(JSON.parse(answer.text)).toEqual(body)
  })

  it('is the same when it comes from the cache, and HEAD responds with its Content-Length', async () => {
    expect((await get('/bare/cached')).text).toBe('{"x":1}')
    const { text, headers } = await get('/bare/cached')
    expect([text, headers['x-cache']]).toEqual(['{"x":1}', 'HIT'])
    const head = await app.request().head('/bare/value')
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '7', undefined])
  })

  it('can be replaced by an interceptor', async () => {
    await app.close()
    const intercept = async (_req: Request, next: () => unknown) => {
      const point = (await next()) as { x: number }
      return { x: point.x + 1 }
    }
    await start({ interceptors: [{ intercept }] })
    expect((await get('/bare/value')).text).toBe('{"x":2}')
  })

  it('is wrapped in the envelope if its status is not the documented one', async () => {
    await app.close()
    await start()
    const { status, body } = await get('/bare/other')
    expect([status, body.data]).toEqual([201, { x: 6 }])
    expect(await get('/bare/fails').catch(({ violations }) => violations)).toMatchObject([
      { kind: 'status', got: '404' },
    ])
    expect((await get('/bare/moved').redirects(0)).status).toBe(302)
  })

  it('is documented as any JSON value if it has no schema', () => {
    const { responses } = app.document.paths['/bare/any']?.get ?? {}
    expect(responses?.['200']).toMatchObject({ content: { 'application/json': { schema: {} } } })
    expect(JSON.stringify(responses?.['200'])).not.toContain('statusCode')
  })

  it('is sent without the envelope and with an ETag if the option etag is true', async () => {
    await app.close()
    await start({ etag: true })
    const { text, headers } = await get('/bare/value')
    expect([text, typeof headers['etag']]).toEqual(['{"x":1}', 'string'])
    const again = await get('/bare/value').set('If-None-Match', headers['etag'] as string)
    expect(again.status).toBe(304)
  })
})

describe('the return value of a route with a content type other than JSON', () => {
  it.each([
    ['string', 'text/csv; charset=utf-8', 'a,b\n1,2'],
    ['raw', 'text/markdown; charset=utf-8', '# Title'],
    ['own', 'text/csv; header=absent; charset=utf-8', '1,2'],
    ['header', 'text/csv; charset=utf-8', '1,2'],
    ['wild', 'text/plain; charset=utf-8', '<b>'],
    ['wild-own', 'text/csv; charset=utf-8', '1,2'],
    ['wild-set', 'text/html; charset=utf-8', '<b>'],
    ['lower-case', 'text/markdown; charset=utf-8', '# Title'],
  ])('is sent unchanged: /typed/%s', async (path, type, text) => {
    const answer = await get(`/typed/${path}`)
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, type, text])
  })

  it.each([
    ['bytes', 'application/octet-stream', [255, 1]],
    ['buffer', 'image/png', [1, 2]],
    ['wild-bytes', 'image/png', [1, 2]],
  ])('can consist of bytes: /typed/%s', async (path, type, bytes) => {
    const answer = await app.fetch(`/typed/${path}`)
    expect(answer.headers.get('content-type')).toBe(type)
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual(bytes)
  })

  it('is sent with the documented type even if a middleware has set another type', async () => {
    await app.close()
    const setType = (_req: Request, res: Response, next: () => void) => {
      res.setHeader('Content-Type', 'text/html')
      next()
    }
    await start({ middlewares: [setType] })
    expect((await get('/typed/string')).headers['content-type']).toBe('text/csv; charset=utf-8')
  })

  it('is the same when it comes from the cache, and HEAD responds with its Content-Length', async () => {
    expect((await get('/typed/cached')).text).toBe('1')
    const { text, headers } = await get('/typed/cached')
    expect([text, headers['x-cache']]).toEqual(['1', 'HIT'])
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    const head = await app.request().head('/typed/head')
    expect([head.status, head.headers['content-length']]).toEqual([201, '4'])
  })

  it.each<[string, unknown]>([
    ['an object', { x: 1 }],
    ['a number', 1],
    ['null', null],
    ['an array', ['a']],
  ])('results in a 500 response and a logged remedy if it is %s', async (what, value) => {
    returned = () => value
    const { status, body } = await get('/typed/wrong')
    expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    const logged = app.logs.filter(({ level }) => level === 'error')
    const text = logged.map(({ facts }) => String((facts as { err: Error }).err)).join()
    expect(text).toContain(`TypedController.wrong returned ${what}`)
    expect(text).toMatch(/200 .*'text\/csv'.*string or bytes/)
  })

  it('results in a 500 response if the handler returns nothing and the route has @HttpCode(200)', async () => {
    expect((await get('/typed/forgotten')).status).toBe(500)
  })
})
