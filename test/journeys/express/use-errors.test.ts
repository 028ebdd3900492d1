import {
  Controller,
  defineControllers,
  Get,
  type Middleware,
  type RequestHandler,
  Use,
} from 'blazon'
import express from 'express'
import createError from 'http-errors'
import passport from 'passport'
import { Strategy as BearerStrategy } from 'passport-http-bearer'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

const withFields = (fields: object) => Object.assign(new Error('a detail'), fields)
const passes =
  (error: unknown): RequestHandler =>
  (_req, _res, next) =>
    next(error)

/** Passport sets the status of the response, and passes on an error. */
function bearer(): RequestHandler {
  const auth = new passport.Passport()
  auth.use(new BearerStrategy((_token, done) => done(null, false)))
  return auth.authenticate('bearer', { session: false, failWithError: true })
}

/** What a middleware does, with the status and the message that the client gets. */
const CASES: Record<string, readonly [RequestHandler, number, string]> = {
  'passes an error with a status': [passes(withFields({ status: 401 })), 401, 'Unauthorized'],
  'passes an error with a statusCode': [passes(withFields({ statusCode: 409 })), 409, 'Conflict'],
  'throws an error with a status': [
    () => {
      throw withFields({ status: 418 })
    },
    418,
    "I'm a Teapot",
  ],
  'rejects with an error with a status': [
    () => Promise.reject(withFields({ status: 403 })),
    403,
    'Forbidden',
  ],
  'passes an error later': [
    (_req, _res, next) => void setImmediate(() => next(withFields({ status: 422 }))),
    422,
    'Unprocessable Entity',
  ],
  'sets the status of the response and passes an error': [
    (_req, res, next) => {
      res.status(403)
      next(new Error('a detail'))
    },
    403,
    'Forbidden',
  ],
  'is Passport with failWithError': [bearer(), 401, 'Unauthorized'],
  'is a router that passes an error with a status': [
    express.Router().use(passes(withFields({ status: 410 }))),
    410,
    'Gone',
  ],
  'is a router whose route throws an error with a statusCode': [
    express.Router().get('/files', () => {
      throw withFields({ statusCode: 423 })
    }),
    423,
    'Locked',
  ],
  'passes an error of http-errors': [passes(createError(404, 'No file')), 404, 'No file'],
  'passes an error that does not expose its message': [
    passes(createError(404, 'No file', { expose: false })),
    404,
    'Not Found',
  ],
  'passes a 503 error that exposes its message': [
    passes(createError(503, 'Too busy', { expose: true })),
    503,
    'Too busy',
  ],
  'passes an error without a status': [passes(new Error('a detail')), 500, 'Internal Server Error'],
  'passes an error with the status 204': [
    passes(withFields({ status: 204 })),
    500,
    'Internal Server Error',
  ],
  'passes a Response object': [
    passes(Response.json({}, { status: 404 })),
    500,
    'Internal Server Error',
  ],
}

@Controller()
class PlainController {
  @Get('files')
  list() {
    return []
  }
}

function controllersWith(...entries: RequestHandler[]) {
  @Controller()
  class FilesController {
    @Use(...entries)
    @Get('files')
    list() {
      return []
    }
  }
  return defineControllers(FilesController)
}

describe('the error of a middleware', () => {
  const { inProcess } = appsOfTest('off')

  describe.each(Object.entries(CASES))('that %s', (_, [middleware, status, message]) => {
    const expected = { statusCode: 'error', status, message }

    it('results in the same response in `middlewares` and in @Use()', async () => {
      const first = await inProcess({
        controllers: defineControllers(PlainController),
        middlewares: [middleware],
      })
      const ofOption = await first.request().get('/files')
      const second = await inProcess({ controllers: controllersWith(middleware) })
      const ofUse = await second.request().get('/files')
      expect(ofOption.body).toMatchObject(expected)
      expect(ofUse.body).toMatchObject(expected)
      expect(ofUse.status).toBe(status)
      expect(ofUse.headers['www-authenticate']).toBe(ofOption.headers['www-authenticate'])
    })
  })

  it('keeps its status if an error middleware passes it on', async () => {
    const seen: unknown[] = []
    const note: Middleware = (error, _req, _res, next) => {
      seen.push(error)
      next(error)
    }
    const error = withFields({ status: 401 })
    const app = await inProcess({
      controllers: controllersWith(passes(error)),
      middlewares: [note],
    })
    expect((await app.request().get('/files')).status).toBe(401)
    expect(seen).toEqual([error])
  })

  it('keeps its status even after next() was called', async () => {
    const late: RequestHandler = async (_req, _res, next) => {
      next()
      throw withFields({ status: 409 })
    }
    @Controller()
    class SlowController {
      @Use(late)
      @Get('slow')
      read() {
        return new Promise(() => {})
      }
    }
    const app = await inProcess({ controllers: defineControllers(SlowController) })
    expect((await app.request().get('/slow')).status).toBe(409)
  })

  it('keeps its status, unlike an error of a handler or an interceptor', async () => {
    const through: RequestHandler = (_req, _res, next) => next()
    @Controller()
    class UpstreamController {
      @Use(through)
      @Get('handler')
      handler() {
        throw withFields({ status: 404 })
      }

      @Use(through, {
        intercept() {
          throw withFields({ status: 404 })
        },
      })
      @Get('interceptor')
      interceptor() {}
    }
    const app = await inProcess({ controllers: defineControllers(UpstreamController) })
    expect((await app.request().get('/handler')).status).toBe(500)
    expect((await app.request().get('/interceptor')).status).toBe(500)
  })

  it('does not affect a handler that throws the same error object in another request', async () => {
    const shared = withFields({ status: 404 })
    @Controller()
    class SharedController {
      @Use(passes(shared))
      @Get('used')
      used() {}

      @Get('thrown')
      thrown() {
        throw shared
      }
    }
    const app = await inProcess({ controllers: defineControllers(SharedController) })
    expect((await app.request().get('/used')).status).toBe(404)
    expect((await app.request().get('/thrown')).status).toBe(500)
  })
})
