import { EventEmitter } from 'node:events'
import type { Application, IRouter, Request, Response } from 'express'
// @ts-expect-error: the types describe only Express as a whole.
import application from 'express/lib/application.js'
// @ts-expect-error: as above.
import request from 'express/lib/request.js'
// @ts-expect-error: as above.
import response from 'express/lib/response.js'

// The parts of Express that the framework uses. `express` itself also loads body parsers, whose fifty files took a
// sixth of the startup time. An application that imports Express receives the same objects.

/** `express.request`: the prototype of all requests. */
export const expressRequest = request as Request

/** `express.response`: the prototype of all responses. */
export const expressResponse = response as Response

/** Creates the same application as `express()`. `test/journeys/express/parts.test.ts` compares the two. */
export function createExpressApp(): Application {
  const app = function handle(...request: Parameters<Host['handle']>): void {
    app.handle(...request)
  } as unknown as Host
  // Express counts the parameters of a middleware: with four parameters, it would be an error middleware.
  Object.defineProperty(app, 'length', { value: 3, configurable: true })
  for (const source of [EventEmitter.prototype, application as object]) addMissing(app, source)
  for (const [name, prototype] of Object.entries({ request, response })) {
    const value = Object.create(prototype as object, { app: { ...OWN, value: app } })
    Object.defineProperty(app, name, { ...OWN, value })
  }
  app.init()
  return app
}

/** An Express application with its `handle` method, which is missing from Express's types. */
type Host = Application & { handle(req: unknown, res: unknown, next?: unknown): void }

const OWN = { configurable: true, enumerable: true, writable: true }

/** Copies the properties that the target lacks, keeping getters. */
function addMissing(target: object, source: object): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(source))) {
    if (!Object.hasOwn(target, name)) Object.defineProperty(target, name, descriptor)
  }
}

/** Creates the same router as `express.Router()`. */
export function createExpressRouter(): IRouter {
  return createExpressApp().router
}

/**
 * Copies the own properties of an Express prototype, including getters. Properties inherited from Node are not
 * copied.
 */
export function copyDescriptors(target: object, source: object): void {
  const descriptors = Object.getOwnPropertyDescriptors(source)
  Object.defineProperties(target, descriptors)
}
