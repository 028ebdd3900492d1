import type { RequestHandler } from 'blazon'
import express from 'express'
import { expect, it } from 'vitest'
import { type WatchConfig, watchMiddlewares } from '../../src/app/request-chain.js'
import { buildRouter } from '../../src/routing/build-router.js'

const routes = [{ index: 0, method: 'GET', path: '/orders/:id' }] as const satisfies Parameters<
  typeof buildRouter
>[0]

/** Watches middlewares, and counts how often the router is asked. */
function watch(middlewares: RequestHandler[], isProduction = false) {
  const warnings: string[] = []
  const logger = { info() {}, warn: (_: unknown, text: string) => warnings.push(text), error() {} }
  const router = buildRouter(routes)
  let count = 0
  const match: WatchConfig['match'] = (method, url) => {
    count++
    return router(method, url)
  }
  const named = middlewares.map((middleware, index) => ({ middleware, name: String(index) }))
  const watched = watchMiddlewares({ named, match, routes, logger, isProduction })
  /** Runs a request that ends while the middleware with the index `place` has it. */
  const end = (url: string, place: number, statusCode = 200) => {
    let finish = () => {}
    const once = (_event: string, listener: () => void) => {
      finish = listener
    }
    const route = place === middlewares.length ? routes[0] : undefined
    watched?.({ method: 'GET', url, route } as never, { once, statusCode } as never, () => place)
    finish()
  }
  return { watched, end, warnings, count: () => count }
}

const plain: RequestHandler = (_req, _res, next) => next()
const router = () => express.Router() as unknown as RequestHandler

it('the middleware watch does not look up the route of a request that has passed the middlewares', () => {
  const { end, count } = watch([plain, router()])
  end('/orders/7', 2)
  end('/none', 2)
  expect(count()).toBe(0)
})

it('the middleware watch looks up the route of a request that a middleware ends, until it has warned', () => {
  const { end, count, warnings } = watch([plain, router()])
  end('/none', 1)
  expect([count(), warnings]).toEqual([1, []])
  end('/orders/7', 1)
  end('/orders/8', 1)
  expect([count(), warnings.length]).toEqual([2, 1])
})

it('the middleware watch does not warn about a route that another request has reached', () => {
  const { end, warnings } = watch([plain])
  end('/orders/7', 1)
  end('/orders/7', 0)
  expect(warnings).toEqual([])
})

it('in production, the middleware watch covers only routers, and is off without routers', () => {
  expect(watch([plain], true).watched).toBeUndefined()
  const { end, warnings } = watch([plain, router()], true)
  end('/orders/7', 0, 404)
  end('/orders/7', 1, 200)
  expect(warnings).toEqual([])
  end('/orders/7', 1, 404)
  expect(warnings.length).toBe(1)
})

it('the middleware watch is off without middlewares', () => {
  expect(watch([]).watched).toBeUndefined()
})
