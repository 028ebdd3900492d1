import type { Middleware, NextFunction, RequestHandler } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest } from './support.js'

/** Passes the request on, and keeps its next() for an error that comes late. */
function keeping() {
  const kept: { next: NextFunction } = { next: () => {} }
  const keep: RequestHandler = (_req, _res, next) => {
    kept.next = next
    next()
  }
  return { kept, keep }
}

describe('a late error of a middleware', () => {
  const apps = appsOfTest('off')

  async function start(middlewares: Middleware[]) {
    const logged: { err: Error; status: number; message: string }[] = []
    const error = (facts: object, message: string) =>
      void logged.push({ ...facts, message } as never)
    const app = await apps.inProcess({ middlewares, logger: { info() {}, warn() {}, error } })
    return { app, logged }
  }

  it('is logged with a message that says when it came, if a response was already sent', async () => {
    const { kept, keep } = keeping()
    const { app, logged } = await start([keep])
    await app.request().get('/items')
    kept.next(new Error('late'))
    expect(logged).toMatchObject([
      {
        err: { message: 'late' },
        message: 'A middleware failed after the response was sent, or after the request had failed',
      },
    ])
  })

  it('is logged with the status that its response has', async () => {
    const { kept, keep } = keeping()
    const refuse: RequestHandler = (_req, res) => {
      res.status(403)
      kept.next(new Error('refused'))
    }
    const { app, logged } = await start([keep, refuse])
    expect((await app.request().get('/items')).status).toBe(403)
    expect(logged).toMatchObject([{ err: { message: 'refused' }, status: 403 }])
  })

  it('does not reach error middlewares if an earlier error is still in one of them', async () => {
    const seen: string[] = []
    const twice: RequestHandler = (_req, _res, next) => {
      next(new Error('first'))
      next(new Error('second'))
    }
    const slow: Middleware = (error, _req, _res, next) => {
      seen.push(error.message)
      setImmediate(next, error)
    }
    const { app } = await start([twice, slow])
    expect((await app.request().get('/items')).status).toBe(500)
    expect(seen).toEqual(['first'])
  })

  it('results in the only response, and a waiting middleware can still call the response', async () => {
    const { kept, keep } = keeping()
    const thrown: unknown[] = []
    let respond = () => {}
    const waiting: RequestHandler = (_req, res) => {
      respond = () => {
        try {
          res.status(200).set('X-Late', '1').json({})
        } catch (error) {
          thrown.push(error)
        }
      }
      kept.next(new Error('late'))
    }
    const { app } = await start([keep, waiting])
    const { status, headers } = await app.request().get('/items')
    respond()
    expect([status, headers['x-late'], thrown]).toEqual([500, undefined, []])
  })
})
