import { ConflictError, type Middleware } from 'blazon'
import type express from 'express'
import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

const failing = (error: unknown) => () => {
  throw error
}

function legacy() {
  const router = Router()
  const tenants = Router({ mergeParams: true })
  tenants.get('/users/:id', (req, res) => {
    const { params, baseUrl, url, originalUrl, path } = req
    res.json({ params, baseUrl, url, originalUrl, path })
  })
  router.param('id', (_req, res, next, id) => {
    res.locals.loaded = `user ${id}`
    next()
  })
  router.use('/tenants/:tenant', tenants)
  router.get('/loaded/:id', (_req, res) => void res.json(res.locals))
  router.use('/gate', (req, _res, next) => next(req.query.out === undefined ? undefined : 'router'))
  router.get('/gate', (_req, res) => void res.json({ from: 'the router' }))
  router.get('/skip', (_req, _res, next) => next('route'), failing(new Error('skipped')))
  router.get('/skip', (_req, res) => void res.json({ from: 'the second' }))
  router.get('/plain-error', failing(Object.assign(new Error('teapot'), { status: 418 })))
  router.get('/http-error', failing(new ConflictError('It is taken')))
  router.get('/status-first', (_req, res, next) => {
    res.status(403)
    next(new Error('not yours'))
  })
  router.get('/async', async () => {
    await null
    throw new Error('later')
  })
  router.get('/undefined', () => Promise.reject())
  router.get('/file', (_req, res) => res.sendFile('/none/such'))
  router.use('/handled', failing(new Error('inside')), ((error, _req, res, _next) => {
    res.status(409).json({ handled: error.message })
  }) as express.ErrorRequestHandler)
  return router
}

describe('an express.Router() in `middlewares`', () => {
  const apps = appsOfTest()
  const start = (...more: Middleware[]) => apps.inProcess({ middlewares: [legacy(), ...more] })

  it('matches its own nested routes, with the parameters of both levels', async () => {
    const app = await start()
    const { body } = await app.request().get('/tenants/t1/users/7?x=1')
    expect(body).toEqual({
      params: { tenant: 't1', id: '7' },
      baseUrl: '/tenants/t1',
      url: '/users/7?x=1',
      originalUrl: '/tenants/t1/users/7?x=1',
      path: '/users/7',
    })
  })

  it('calls the functions of router.param()', async () => {
    const app = await start()
    expect((await app.request().get('/loaded/7')).body).toEqual({ loaded: 'user 7' })
  })

  it('passes requests that it does not handle to the controllers with the original URL', async () => {
    const app = await start()
    expect((await app.request().get('/items/7?x=1')).body.data).toEqual({ id: '7' })
    const missing = await app.request().get('/tenants/t1/none')
    expect(missing.body).toMatchObject({ status: 404, message: 'Cannot GET /tenants/t1/none' })
  })

  it("ends after next('router'), and the next middleware runs", async () => {
    const after: Middleware = (req, res, next) =>
      req.path === '/gate' ? res.json({ from: 'the next middleware' }) : next()
    const app = await start(after)
    expect((await app.request().get('/gate')).body).toEqual({ from: 'the router' })
    expect((await app.request().get('/gate?out')).body).toEqual({ from: 'the next middleware' })
  })

  it("skips the rest of a route after next('route')", async () => {
    const app = await start()
    expect((await app.request().get('/skip')).body).toEqual({ from: 'the second' })
  })

  it.each([
    ['/plain-error', 418, "I'm a Teapot"],
    ['/http-error', 409, 'It is taken'],
    ['/status-first', 403, 'Forbidden'],
    ['/async', 500, 'Internal Server Error'],
    ['/undefined', 500, 'Internal Server Error'],
    ['/file', 404, 'Not Found'],
  ])('results in an error response in the envelope for %s', async (path, status, message) => {
    const app = await start()
    const answer = await app.request().get(path)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ statusCode: 'error', status, message })
  })

  it('handles errors in its own error middleware', async () => {
    const app = await start()
    const { status, body } = await app.request().get('/handled')
    expect({ status, body }).toEqual({ status: 409, body: { handled: 'inside' } })
  })

  it('runs a middleware only at the path at which it is mounted', async () => {
    const router = Router().use('/items', (_req, res, next) => {
      res.set('X-Items', 'yes')
      next()
    })
    const app = await apps.inProcess({ middlewares: [router] })
    expect((await app.request().get('/items/1')).headers['x-items']).toBe('yes')
    expect((await app.request().get('/missing')).headers).not.toHaveProperty('x-items')
  })
})
