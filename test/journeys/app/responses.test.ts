import {
  All,
  ApiResponseDoc,
  App,
  BaseController,
  ConflictError,
  Controller,
  Delete,
  Get,
  Head,
  Header,
  HttpCode,
  HttpError,
  NotFoundError,
  Options,
  Post,
  Redirect,
  type Req,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

/** A response that the handler itself sends, without the envelope. */
const Raw = (schema: z.ZodType, status = 200) =>
  ApiResponseDoc({ status, description: 'As it is', raw: true, schema })
const Text = ApiResponseDoc({ status: 200, description: 'A text', contentType: 'text/plain' })
const Made = ApiResponseDoc({ status: 201, description: 'Made' })

@Controller('answers')
class AnswersController extends BaseController {
  @Get('ok') okay(_req: Req, res: Response) {
    return this.ok(res, 'Fine', { n: 1 })
  }
  @Get('ok-bare') bare(_req: Req, res: Response) {
    return this.ok(res, 'Nothing to carry')
  }
  @HttpCode(202) @Get('ok-stated') stated(_req: Req, res: Response) {
    return this.ok(res, 'Queued')
  }
  @HttpCode(202) @Made @Get('ok-own') own(_req: Req, res: Response) {
    return this.ok(res, 'Made', null, 201)
  }
  @Get('value') value() {
    return { n: 2 }
  }
  @Get('promise') async promise() {
    return [1, 2]
  }
  @Get('thenable') thenable() {
    // A query builder that is awaited, not serialised.
    return { then: (resolve: (value: unknown) => void) => resolve('awaited') }
  }
  @Get('null') null() {
    return null
  }
  @Get('zero') zero() {
    return 0
  }
  @HttpCode(202) @Post('accepted') accepted() {
    return { queued: true }
  }
  @HttpCode(202) @Post('accepted-bare') acceptedBare() {}
  @Delete('nothing') async nothing() {}
  @HttpCode(204) @Delete('no-content') noContent() {
    return { dropped: true }
  }
  @Raw(z.object({ later: z.literal(true) })) @Get('later') later(_req: Req, res: Response) {
    setTimeout(() => res.json({ later: true }), 5)
  }
  @Raw(z.object({ raw: z.literal(true) }), 203) @Get('express') express(_req: Req, res: Response) {
    return res.status(203).set('X-Own', 'yes').json({ raw: true })
  }
  @Text @Get('text') text(_req: Req, res: Response) {
    res.type('text/plain').send('hello')
  }
  @Header('X-First', '1') @Header('X-Second', '2') @Get('headers') headers(
    _req: Req,
    res: Response,
  ) {
    res.set('X-Second', 'changed')
    return this.ok(res, 'Headers')
  }
  @Redirect('/answers/ok') @Get('redirect') redirect() {}
  @Redirect('/answers/ok', 308) @Get('moved') async moved() {}
  @Get('next') next(_req: Req, _res: Response, next: (error?: unknown) => void) {
    next()
  }
  @Get('next-error') nextError(_req: Req, _res: Response, next: (error?: unknown) => void) {
    setTimeout(() => next(new ConflictError('taken')), 1)
  }
}

@Controller('methods')
class MethodsController {
  @Get() get() {
    return 'get'
  }
  @Head() head(_req: Req, res: Response) {
    res.set('X-Head', 'own').end()
  }
  @Raw(z.string()) @Options() options(_req: Req, res: Response) {
    res.set('Allow', 'GET').json('own options')
  }
  @All('any') any(req: Req) {
    return req.method
  }
  @Get('any') anyGet() {
    return 'specific'
  }
}

@Controller('unextended')
class Unextended {
  @Get() get(_req: Req, res: Response) {
    return (this as unknown as BaseController).ok(res, 'Has ok', 1, 201)
  }
}

@Controller('errors')
class ErrorsController {
  @Get('missing') missing() {
    throw new NotFoundError('User 7 does not exist')
  }
  @Get('teapot') teapot() {
    throw new HttpError(418, 'Short and stout', { code: 'TEAPOT', headers: { 'X-Tea': 'yes' } })
  }
  @Get('rejected') async rejected() {
    throw new ConflictError('taken')
  }
  @Get('headers') headers(_req: Req, res: Response) {
    res.set({ 'Cache-Control': 'max-age=60', ETag: '"x"', 'X-Kept': 'yes' })
    throw new NotFoundError()
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({
    contract: 'throw',
    controllers: [AnswersController, MethodsController, Unextended, ErrorsController],
  })
})
afterAll(() => app.close())

describe('the method this.ok', () => {
  it('responds with the status of @HttpCode, or with its own status argument', async () => {
    const statusOf = async (path: string) => (await app.request().get(`/answers/${path}`)).status
    expect(await statusOf('ok')).toBe(200)
    expect(await statusOf('ok-stated')).toBe(202)
    expect(await statusOf('ok-own')).toBe(201)
  })
})

const success = (status: number, message: string, data?: unknown) =>
  data === undefined
    ? { statusCode: 'success', status, message }
    : { statusCode: 'success', status, message, data }

describe('a response', () => {
  it.each([
    ['get', 'ok', 200, success(200, 'Fine', { n: 1 })],
    ['get', 'ok-bare', 200, success(200, 'Nothing to carry')],
    ['get', 'value', 200, success(200, 'OK', { n: 2 })],
    ['get', 'promise', 200, success(200, 'OK', [1, 2])],
    ['get', 'thenable', 200, success(200, 'OK', 'awaited')],
    ['get', 'null', 200, success(200, 'OK', null)],
    ['get', 'zero', 200, success(200, 'OK', 0)],
    ['post', 'accepted', 202, success(202, 'Accepted', { queued: true })],
    ['post', 'accepted-bare', 202, success(202, 'Accepted')],
    ['get', 'later', 200, { later: true }],
    ['get', 'express', 203, { raw: true }],
  ] as const)('to %s /answers/%s has status %i', async (method, path, status, body) => {
    const answer = await app.request()[method](`/answers/${path}`)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual(body)
  })

  it.each(['nothing', 'no-content'])('has status 204 and no body at /answers/%s', async (path) => {
    const answer = await app.request().delete(`/answers/${path}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).not.toHaveProperty('content-type')
    expect(answer.headers).not.toHaveProperty('content-length')
  })

  it('keeps the body and the content type that Express methods have set', async () => {
    const { text, headers } = await app.request().get('/answers/text')
    expect([text, headers['content-type']]).toEqual(['hello', 'text/plain; charset=utf-8'])
  })

  it('contains the headers of @Header, which the handler can change', async () => {
    const { headers } = await app.request().get('/answers/headers')
    expect([headers['x-first'], headers['x-second']]).toEqual(['1', 'changed'])
  })

  it.each([
    ['redirect', 302],
    ['moved', 308],
  ])('redirects from /answers/%s with status %i', async (path, status) => {
    const answer = await app.request().get(`/answers/${path}`).redirects(0)
    expect([answer.status, answer.headers.location]).toEqual([status, '/answers/ok'])
  })

  it('has status 404 after `next()`, and the status of the error after `next(error)`', async () => {
    expect((await app.request().get('/answers/next')).status).toBe(404)
    expect((await app.request().get('/answers/next-error')).body).toMatchObject({ status: 409 })
  })

  it('can be sent with this.ok() in a controller that does not extend BaseController', async () => {
    const { status, body } = await app.request().get('/unextended')
    expect([status, body]).toEqual([201, success(201, 'Has ok', 1)])
  })
})

describe('HTTP methods', () => {
  it('include HEAD, which receives the response of GET without the body', async () => {
    const get = await app.request().get('/answers/ok')
    const head = await app.request().head('/answers/ok')
    expect([head.status, head.text]).toEqual([200, undefined])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  it('include HEAD and OPTIONS, which a controller can handle with its own routes', async () => {
    expect((await app.request().head('/methods')).headers['x-head']).toBe('own')
    expect((await app.request().options('/methods')).body).toBe('own options')
  })

  it('include OPTIONS, whose response contains the allowed methods in the envelope', async () => {
    const { status, headers, body } = await app.request().options('/answers/accepted')
    expect([status, headers.allow]).toEqual([200, 'POST, OPTIONS'])
    expect(body).toEqual(success(200, 'Allowed methods', { allow: ['POST', 'OPTIONS'] }))
  })

  it('result in a 405 response with Allow if the path does not support them', async () => {
    const { status, headers, body } = await app.request().put('/answers/ok')
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(body).toMatchObject({ statusCode: 'error', status: 405, code: 'METHOD_NOT_ALLOWED' })
  })

  it('are handled by @All if no other route handles them', async () => {
    expect((await app.request().get('/methods/any')).body.data).toBe('specific')
    for (const method of ['post', 'put', 'patch', 'delete', 'options'] as const) {
      const { body } = await app.request()[method]('/methods/any')
      expect(body.data).toBe(method.toUpperCase())
    }
    expect((await app.request().trace('/methods/any')).status).toBe(405)
  })
})

describe('an error response', () => {
  it.each([
    ['missing', 404, { message: 'User 7 does not exist', code: 'NOT_FOUND' }],
    ['teapot', 418, { message: 'Short and stout', code: 'TEAPOT' }],
    ['rejected', 409, { message: 'taken', code: 'CONFLICT' }],
    ['nowhere', 404, { message: 'Cannot GET /errors/nowhere', code: 'NOT_FOUND' }],
  ])('for /errors/%s has status %i and an envelope', async (path, status, facts) => {
    const answer = await app.request().get(`/errors/${path}`)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ statusCode: 'error', status, ...facts })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('contains the headers of the error, but not the cache headers that the handler has set', async () => {
    expect((await app.request().get('/errors/teapot')).headers['x-tea']).toBe('yes')
    const { headers } = await app.request().get('/errors/headers')
    expect(headers['x-kept']).toBe('yes')
    expect(headers).not.toHaveProperty('cache-control')
    expect(headers).not.toHaveProperty('etag')
  })

  it('is a problem document if the client prefers application/problem+json', async () => {
    const ask = (accept: string) => app.request().get('/errors/missing').set('Accept', accept)
    const problem = await ask('application/problem+json')
    expect(problem.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(JSON.parse(problem.text ?? problem.body)).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'User 7 does not exist',
      code: 'NOT_FOUND',
    })
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, application/problem+json;q=0.5',
    ]) {
      expect((await ask(accept)).headers['content-type']).toContain('application/json')
    }
  })

  it('contains `req.id` as its requestId if a middleware has set it', async () => {
    const withId = await TestApp.create({
      contract: 'throw',
      controllers: [ErrorsController],
      middlewares: [
        (req, _res, next) => {
          req.id = 'req-1'
          next()
        },
      ],
    })
    const { body } = await withId.request().get('/errors/missing')
    expect(body.requestId).toBe('req-1')
    await withId.close()
  })
})

describe('the default security headers', () => {
  it('are sent with every response, and can be read, changed and removed by handlers', async () => {
    @Controller()
    class Home {
      @Get() get(_req: Req, res: Response) {
        const seen = [res.getHeader('x-frame-options'), res.hasHeader('X-Content-Type-Options')]
        res.set('X-Frame-Options', 'DENY')
        res.removeHeader('Referrer-Policy')
        res.append('Cross-Origin-Opener-Policy', 'more')
        res.json({ seen, names: res.getHeaderNames().length > 5 })
      }
      @Get('plain') plain() {}
    }
    const app = new App({ controllers: [Home] })
    const { port } = await app.listen(0, '127.0.0.1')
    const changed = await fetch(`http://127.0.0.1:${port}/`)
    expect(await changed.json()).toEqual({ seen: ['SAMEORIGIN', true], names: true })
    expect(changed.headers.get('x-frame-options')).toBe('DENY')
    expect(changed.headers.get('referrer-policy')).toBeNull()
    expect(changed.headers.get('cross-origin-opener-policy')).toBe('same-origin, more')
    expect(changed.headers.get('x-powered-by')).toBeNull()
    for (const path of ['plain', 'nowhere', 'plain?x=%E0%A4%A']) {
      const { headers } = await fetch(`http://127.0.0.1:${port}/${path}`)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none';frame-ancestors 'none'",
      )
    }
    await app.close()
  })
})
