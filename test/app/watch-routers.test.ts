import type { RequestHandler } from 'blazon'
import express from 'express'
import { expect, it } from 'vitest'
import { watchRouters } from '../../src/app/watch-routers.js'
import { buildRouter } from '../../src/routing/build-router.js'

const logger = { info() {}, warn() {}, error() {} }
const routes = [
  { index: 0, method: 'GET', path: '/orders/:id', pathParameters: ['id'] },
] as const satisfies Parameters<typeof buildRouter>[0]

/** Watched middlewares, and a router that counts its calls. */
function watch(...middlewares: RequestHandler[]) {
  const router = buildRouter(routes)
  let count = 0
  const match: typeof router = (method, url) => {
    count++
    return router(method, url)
  }
  const named = middlewares.map((middleware, index) => ({ middleware, name: String(index) }))
  const watched = watchRouters(middlewares, { named, match, routes, logger })
  /** Runs the middlewares for a request, and finds its route. */
  const pass = (url: string) => {
    const req = { method: 'GET', url } as never
    const res = { once() {}, off() {} } as never
    for (const handler of watched.handlers) handler(req, res, () => {})
    return watched.match('GET', url)
  }
  return { ...watched, match, found: watched.match, pass, count: () => count }
}

const router = () => express.Router() as unknown as RequestHandler

it('a request that passes two routers is matched once', () => {
  const { pass, count } = watch(router(), router())
  expect(pass('/orders/7')).toMatchObject({ kind: 'route', index: 0, params: { id: '7' } })
  expect(count()).toBe(1)
  expect(pass('/none')).toMatchObject({ kind: 'none' })
  expect(count()).toBe(2)
})

it('two requests do not share the object of a match', () => {
  const { pass, handlers, found } = watch(router())
  const first = pass('/orders/7')
  const second = pass('/orders/7')
  expect(second).toEqual(first)
  expect(second).not.toBe(first)
  // Two requests are in the router at the same time, as if it made them wait.
  for (let i = 0; i < 2; i++) {
    handlers[0]?.(
      { method: 'GET', url: '/orders/8' } as never,
      { once() {}, off() {} } as never,
      () => {},
    )
  }
  expect(found('GET', '/orders/8')).not.toBe(found('GET', '/orders/8'))
})

it('the match of one request is not used for another method or path', () => {
  const { handlers, found } = watch(router())
  const at = (method: string, url: string) =>
    handlers[0]?.({ method, url } as never, { once() {}, off() {} } as never, () => {})
  at('GET', '/orders/7')
  expect(found('GET', '/orders/8')).toMatchObject({ params: { id: '8' } })
  at('GET', '/orders/7')
  expect(found('POST', '/orders/7')).toMatchObject({ kind: 'method' })
})

it('without routers, nothing is watched', () => {
  const plain: RequestHandler = (_req, _res, next) => next()
  const { handlers, found, match } = watch(plain)
  expect([handlers[0], found]).toEqual([plain, match])
  expect(found).toBe(match)
})
