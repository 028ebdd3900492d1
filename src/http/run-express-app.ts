import type { Application } from 'express'
import type { RequestHandler } from '../contracts/handler.js'
import { innerApp } from './hosted-app.js'

/**
 * Mounts an application as `app.use(app)` of Express does: a request gets its prototypes back when the mounted
 * application passes it on.
 */
export function runExpressApp(app: Application): RequestHandler {
  return function mountedApp(req, res, next) {
    const [reqPrototype, resPrototype] = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    innerApp(app, req.app)(req, res, (error?: unknown) => {
      Object.setPrototypeOf(req, reqPrototype)
      Object.setPrototypeOf(res, resPrototype)
      next(error)
    })
  }
}
