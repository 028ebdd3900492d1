import { type Middleware, NotFoundError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

const apps = appsOfTest('off')

/** Starts an application. A test can call `next()` of the middleware again after it has failed. */
async function start(fail: (next: (error?: unknown) => void) => unknown) {
  const calls: string[] = []
  let goOn: () => void = () => {}
  const middlewares: Middleware[] = [
    (_req, _res, next) => {
      goOn = () => next()
      return fail(next)
    },
    (_req, _res, next) => {
      calls.push('second')
      next()
    },
  ]
  const app = await apps.inProcess({ middlewares })
  return { app, calls, goOn: () => goOn() }
}

describe('a middleware', () => {
  it.each<[string, (next: (error?: unknown) => void) => unknown]>([
    ['passed an error on', (next) => next(new NotFoundError('gone'))],
    [
      'thrown an error',
      () => {
        throw new NotFoundError('gone')
      },
    ],
    ['rejected its promise', () => Promise.reject(new NotFoundError('gone'))],
  ])('cannot pass the request on later after it has %s', async (_, fail) => {
    const { app, calls, goOn } = await start(fail)
    const { status, body } = await app.request().get('/items')
    expect([status, body.message]).toEqual([404, 'gone'])
    goOn()
    expect(calls).toEqual([])
  })

  it('cannot pass the request on with next() directly after next(error)', async () => {
    const { app, calls } = await start((next) => {
      next(new NotFoundError('gone'))
      next()
    })
    expect((await app.request().get('/items')).status).toBe(404)
    expect(calls).toEqual([])
  })

  it('passes the request on only once even if it calls next() twice', async () => {
    const { app, calls } = await start((next) => {
      next()
      next()
    })
    expect((await app.request().get('/items')).status).toBe(200)
    expect(calls).toEqual(['second'])
  })
})
