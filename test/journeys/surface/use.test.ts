import { once } from 'node:events'
import {
  type AppOptions,
  Auth,
  type Class,
  Controller,
  type ErrorRequestHandler,
  Get,
  HttpError,
  InjectionToken,
  type Interceptor,
  Post,
  type Request,
  type RequestHandler,
  type Response,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import multer from 'multer'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const seen: string[] = []

const note =
  (name: string): RequestHandler =>
  (_req, _res, next) => {
    seen.push(name)
    next()
  }

const around = (name: string): Interceptor => ({
  async intercept(_req, next) {
    seen.push(`${name} begins`)
    const value = await next()
    seen.push(`${name} ends`)
    return value
  },
})

async function start(controller: Class, options: AppOptions = {}) {
  seen.length = 0
  const guard = { canActivate: (req: Request) => req.get('authorization') !== undefined }
  return TestApp.create({
    controllers: [controller],
    auth: { guard },
    logger: false,
    contract: 'off',
    ...options,
  })
}

describe('the @Use decorator', () => {
  it('runs middlewares before interceptors, and the entries of the class before those of the method', async () => {
    @Use(note('class'), around('class'))
    @Controller('a')
    class A {
      @Use([note('method 1'), [note('method 2')]], around('method'))
      @Get()
      get() {
        seen.push('handler')
        return 'a'
      }
    }
    await using app = await start(A, { interceptors: [around('app')] })
    expect((await app.request().get('/a')).body.data).toBe('a')
    expect(seen).toEqual([
      'class',
      'method 1',
      'method 2',
      'app begins',
      'class begins',
      'method begins',
      'handler',
      'method ends',
      'class ends',
      'app ends',
    ])
  })

  it.each<[string, string | symbol]>([
    ['a string', 'timing'],
    ['a symbol without a description', Symbol()],
  ])('accepts a token that is %s', async (_, token) => {
    @Use(token as never)
    @Controller('a')
    class A {
      @Get()
      get() {
        return 'a'
      }
    }
    await using app = await start(A, { providers: [{ token, useValue: around('timing') }] })
    expect((await app.request().get('/a')).body.data).toBe('a')
    expect(seen).toEqual(['timing begins', 'timing ends'])
  })

  it('runs no upload middleware for a caller whom the guard refuses', async () => {
    let files = 0
    const upload = multer({
      fileFilter: (_req, _file, accept) => {
        files++
        accept(null, true)
      },
    })
    @Controller('files')
    class Files {
      @Auth()
      @Use(upload.single('file'))
      @Post()
      add(req: Request) {
        const { file } = req as Request & { file?: { originalname: string } }
        return { name: file?.originalname, title: req.body.title }
      }
    }
    await using app = await start(Files)
    const send = () =>
      app.request().post('/files').field('title', 'T').attach('file', Buffer.from('x'), 'x.txt')
    expect((await send()).status).toBe(401)
    expect(files).toBe(0)
    const response = await send().set('authorization', 'Bearer x')
    expect(response.body.data).toEqual({ name: 'x.txt', title: 'T' })
    expect(files).toBe(1)
  })

  it.each<[string, RequestHandler, number, string?]>([
    ['next(error)', (_req, _res, next) => next(new HttpError(418)), 418],
    ['a thrown error', () => toss(new HttpError(418)), 418],
    ['a rejection', async () => toss(new HttpError(418)), 418],
    ['an unexpected error', () => toss(new Error('x')), 500],
    ['a thrown undefined', () => toss(undefined), 500],
    ["next('route')", (_req, _res, next) => next('route'), 404],
    ["next('router')", (_req, _res, next) => next('router'), 404],
    ['its own response', (_req, res) => void res.status(202).json({ own: true }), 202],
    ['its own later response', (_req, res) => void setImmediate(() => res.sendStatus(203)), 203],
    ['a later next()', (_req, _res, next) => void setImmediate(next), 200],
    ['a later error', (_req, _res, next) => void setImmediate(() => next(new HttpError(418))), 418],
    ['two calls of next()', (_req, _res, next) => void [next(), next()], 200],
  ])('supports a middleware that ends with %s', async (_, middleware, status) => {
    let calls = 0
    @Controller('a')
    class A {
      @Use(middleware)
      @Get()
      get() {
        calls++
        return 'a'
      }
    }
    await using app = await start(A)
    await app.request().get('/a').expect(status)
    expect(calls).toBe(status === 200 ? 1 : 0)
  })

  it('leaves no listener on the response, however many middlewares have waited', async () => {
    const later: RequestHandler = (_req, _res, next) => void setImmediate(next)
    @Controller('a')
    class A {
      @Get()
      bare(_req: Request, res: Response) {
        return res.listenerCount('close')
      }

      @Use(Array.from({ length: 12 }, () => later))
      @Get('used')
      used(_req: Request, res: Response) {
        return res.listenerCount('close')
      }
    }
    await using app = await start(A)
    const { body } = await app.request().get('/a')
    expect((await app.request().get('/a/used')).body.data).toBe(body.data)
  })

  it('calls no further middleware after the request has timed out', async () => {
    let proceed = () => {}
    let respond = () => {}
    const waiting: RequestHandler = (_req, _res, next) => {
      proceed = next
    }
    const patient: ErrorRequestHandler = (_error, _req, res, _next) => {
      respond = () => void res.sendStatus(503)
    }
    @Controller('a')
    class A {
      @Use(waiting, note('second'))
      @Get()
      get() {
        seen.push('handler')
        return 'a'
      }
    }
    await using app = await start(A, { middlewares: [patient], timeouts: { handler: '5s' } })
    const response = app.fetch('/a')
    await new Promise(setImmediate)
    await app.clock.advance('5s')
    proceed()
    await new Promise(setImmediate)
    respond()
    expect((await response).status).toBe(503)
    expect(seen).toEqual([])
  })

  it('ends a request whose client has disconnected, even if a middleware never calls next()', async () => {
    let calls = 0
    const idle: RequestHandler = () => void calls++
    const left = {
      canActivate: (req: Request) => once(req.res as Response, 'close').then(() => true),
    }
    @Controller('a')
    class A {
      @Auth()
      @Use(idle)
      @Get()
      get() {
        return 'a'
      }
    }
    const errors: unknown[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => errors.push(facts) }
    await using app = await start(A, { auth: { guard: left }, logger })
    const aborting = new AbortController()
    const response = app.fetch('/a', { signal: aborting.signal }).catch(() => 'aborted')
    await new Promise(setImmediate)
    aborting.abort()
    expect(await response).toBe('aborted')
    await expect.poll(() => calls).toBe(1)
    await app.clock.advance('60s')
    expect(errors).toEqual([])
  })

  it('logs the error of a middleware that has already called next()', async () => {
    const errors: string[] = []
    const logger = {
      info() {},
      warn() {},
      error: (facts: object) => errors.push(String((facts as { err: Error }).err.message)),
    }
    @Controller('a')
    class A {
      @Use((_req, _res, next) => {
        next()
        next(new Error('late'))
      })
      @Get()
      get() {
        return 'a'
      }
    }
    await using app = await start(A, { logger })
    await app.request().get('/a')
    expect(errors).toEqual(['late'])
  })

  it('validates the body that a middleware has parsed', async () => {
    @Controller('a')
    class A {
      @Use((req, _res, next) => {
        req.body = { n: '3' }
        next()
      })
      @Post('', { body: z.object({ n: z.coerce.number() }) })
      add(req: Request) {
        return req.body
      }
    }
    await using app = await start(A)
    expect((await app.request().post('/a')).body.data).toEqual({ n: 3 })
  })
})

describe('an invalid entry in @Use', () => {
  class Plain {}
  it.each<[string, unknown[], string]>([
    ['nothing', [], 'It has no entries.'],
    ['undefined', [undefined], 'It is not an interceptor: its type is undefined.'],
    ['an object', [{}], 'It is not an interceptor: its type is object.'],
    ['an error middleware', [(_e: 1, _q: 2, _s: 3, _n: 4) => {}], 'It is an error middleware'],
    ['an Express application', [express()], 'It is an Express application'],
    ['a class in a list', [[Plain]], 'Plain is a class without an intercept(req, next) method'],
  ])('causes a boot error: %s', async (_, entries, cause) => {
    @Controller('a')
    class A {
      @Use(...(entries as RequestHandler[]))
      @Get()
      get() {}
    }
    const [problem] = await bootProblems({ controllers: [A] })
    expect(problem?.code).toBe('E_OPTION_INVALID')
    expect(problem?.subject).toContain('A.get @Use')
    expect(problem?.cause).toContain(cause)
  })

  it('causes an immediate error if it is the decorated class, because the parentheses are missing', () => {
    expect(() => Use(Plain as never)).toThrow('parentheses are missing')
  })

  it('causes a boot error if its token is unknown or does not provide an interceptor', async () => {
    const Missing = new InjectionToken<Interceptor>('Missing')
    @Use(Missing)
    @Controller('a')
    class A {
      @Get()
      get() {}
    }
    const [missing] = await bootProblems({ controllers: [A] })
    expect(missing?.subject).toContain('Missing')
    const providers = [{ token: Missing, useValue: {} as Interceptor }]
    const [wrong] = await bootProblems({ controllers: [A], providers })
    expect(wrong?.cause).toContain('has no `intercept` method')
  })

  it('also causes a boot error in the `interceptors` option', async () => {
    const interceptors = [() => 1] as never
    const [problem] = await bootProblems({ interceptors })
    expect(problem).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'interceptors[0]' })
  })
})

function toss(error: unknown): never {
  throw error
}
