import { createServer } from 'node:http'
import {
  Controller,
  defineControllers,
  Get,
  type Logger,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import timeout from 'connect-timeout'
import express from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import session, { Store } from 'express-session'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

@Controller()
class Answers {
  @Get('never') never() {
    return new Promise(() => {})
  }

  @Get('counts') counts() {
    return { data: 'no envelope that the document knows' }
  }

  @Get('pets/:id') pet(req: Request, res: Response) {
    res.json(Number(req.params.id) === 1 ? { id: 1 } : { id: 'not a number' })
  }

  @Get('session') session(req: Request) {
    Object.assign(req.session, { seen: true })
    return 'saved'
  }
}

const controllers = defineControllers(Answers)

/** The routes of `Answers` in plain Express. */
function bare(middlewares: Middleware[], render: Middleware): express.Application {
  const app = express()
  app.use(...(middlewares as never[]))
  app.get('/never', () => {})
  app.get('/counts', (_req, res) => void res.json({ data: 'no envelope that the document knows' }))
  app.get('/pets/:id', (req, res) => {
    res.json(Number(req.params.id) === 1 ? { id: 1 } : { id: 'not a number' })
  })
  app.get('/session', (req, res) => {
    Object.assign((req as unknown as Request).session, { seen: true })
    res.json({ status: 200 })
  })
  app.use(render as unknown as express.ErrorRequestHandler)
  return app
}

const render: Middleware = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ failed: error.message })
}

describe('packages that pass errors after next()', () => {
  const apps = appsOfTest('off')

  /** The same middlewares in Express, and in applications with and without an error middleware of their own. */
  async function serve(middlewares: () => Middleware[]) {
    const logged: { err?: Error; status?: number }[] = []
    const logger: Logger = { info() {}, warn() {}, error: (facts) => void logged.push(facts) }
    const theirs = await apps.serving(createServer(bare(middlewares(), render)))
    const ours = await apps.listening({
      controllers,
      logger,
      middlewares: [...middlewares(), render],
    })
    const plain = await apps.listening({ controllers, logger, middlewares: middlewares() })
    return { theirs, ours: ours.port, plain: plain.port, logged }
  }

  it('connect-timeout results in a 503 response if the handler never responds, as in Express', async () => {
    const { theirs, ours, plain, logged } = await serve(() => [timeout('20ms')])
    const [expected, answer] = [
      await send(theirs, { path: '/never' }),
      await send(ours, { path: '/never' }),
    ]
    expect([expected.status, expected.text]).toEqual([503, '{"failed":"Response timeout"}'])
    expect([answer.status, answer.text]).toEqual([expected.status, expected.text])
    const enveloped = await send(plain, { path: '/never' })
    expect(JSON.parse(enveloped.text)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(logged).toMatchObject([{ status: 503 }, { status: 503 }])
  })

  it('express-openapi-validator results in 500 if a response does not match the OpenAPI document', async () => {
    const { theirs, ours, plain, logged } = await serve(
      () =>
        OpenApiValidator.middleware({
          apiSpec: document() as never,
          validateResponses: true,
        }) as unknown as Middleware[],
    )
    for (const path of ['/pets/2', '/counts', '/pets/1', '/pets/x', '/unknown']) {
      const [expected, answer] = [await send(theirs, { path }), await send(ours, { path })]
      expect([path, answer.status, answer.text]).toEqual([path, expected.status, expected.text])
    }
    expect(logged.map(({ status }) => status)).toEqual([500, 500])
    expect((await send(ours, { path: '/pets/2' })).status).toBe(500)
    const enveloped = await send(plain, { path: '/pets/2' })
    expect(JSON.parse(enveloped.text)).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' })
  })

  it.each<[string, (done: (error: Error) => void) => void]>([
    ['at once', (done) => done(new Error('the store is full'))],
    ['later', (done) => setImmediate(done, new Error('the store is full'))],
  ])(
    'express-session reports an error of its store that fails %s, and the response is still sent',
    async (_, write) => {
      const { theirs, ours, plain, logged } = await serve(() => [sessions({ write })])
      // In Express, too, the response has been sent at this time. Its error middleware can only log the error.
      for (const port of [theirs, ours, plain]) {
        expect((await send(port, { path: '/session' })).status).toBe(200)
      }
      await expect.poll(() => logged.length).toBe(2)
      expect(logged).toMatchObject([
        { err: { message: 'the store is full' }, url: '/session', route: '/session' },
        { err: { message: 'the store is full' } },
      ])
    },
  )

  it('express-session results in a 500 response if its store cannot be read', async () => {
    const { theirs, ours } = await serve(() => [sessions({ write: (done) => done() })])
    for (const port of [theirs, ours]) {
      const { headers } = await send(port, { path: '/session' })
      const [cookie = ''] = headers['set-cookie'] ?? []
      const answer = await send(port, { path: '/session', headers: { cookie } })
      expect([answer.status, answer.text]).toEqual([500, '{"failed":"the store is lost"}'])
    }
  })
})

/** A store that cannot be read. The test decides what a write does. */
class LostStore extends Store {
  readonly #write: (done: (error?: Error) => void) => void

  constructor(write: (done: (error?: Error) => void) => void) {
    super()
    this.#write = write
  }

  override get(_id: string, done: (error: Error) => void): void {
    setImmediate(done, new Error('the store is lost'))
  }

  override set(_id: string, _session: unknown, done: (error?: Error) => void = () => {}): void {
    this.#write(done)
  }

  override destroy(_id: string, done: () => void = () => {}): void {
    done()
  }
}

function sessions({ write }: { write: (done: (error?: Error) => void) => void }): Middleware {
  const store = new LostStore(write)
  return session({ secret: 'keyboard cat', resave: false, saveUninitialized: true, store })
}

/** The document of the routes of `Answers`. Two responses do not match it. */
function document() {
  const answer = (properties: object) => ({
    description: 'What it answers',
    content: {
      'application/json': {
        schema: { type: 'object', required: Object.keys(properties), properties },
      },
    },
  })
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  return {
    openapi: '3.0.3',
    info: { title: 'Pets', version: '1.0.0' },
    paths: {
      '/pets/{id}': {
        get: { parameters: [id], responses: { 200: answer({ id: { type: 'integer' } }) } },
      },
      '/counts': { get: { responses: { 200: answer({ count: { type: 'integer' } }) } } },
    },
  }
}
