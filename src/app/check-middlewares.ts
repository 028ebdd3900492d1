import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { type Handle, isAtRoot, routerIn } from '../http/express-routers.js'
import type { Settings } from './settings/settings.js'

/** The remedy shared by the warning at boot and the warning for a request. */
export const MOUNT_REMEDY =
  'If the entry is an Express application that sends its own 404 responses, mount this application in it: host.use(app.handler). See "Moving an Express application over" in docs/express.md.'

/** Warns about middlewares that never call `next`, if the application has routes. */
export function checkMiddlewares({ middlewares }: Settings, { routes }: AppModel): Problem[] {
  if (routes.length === 0) return []
  return middlewares.flatMap(({ middleware, name }) =>
    endsAll(middleware) ? [deadEnd(name, middleware, routes.length)] : [],
  )
}

function deadEnd(subject: string, middleware: object, count: number): Problem {
  const behind = `no request reaches the routes (${count}) or anything else after it`
  if (routerIn(middleware) === undefined) {
    return {
      code: 'W_MIDDLEWARE_DEAD_END',
      subject,
      cause: `It has no parameter \`next\`, so ${behind}.`,
      remedy: 'Add the third parameter and call it: (req, res, next).',
    }
  }
  return {
    code: 'W_MIDDLEWARE_DEAD_END',
    subject,
    cause: `One of its handlers has no parameter \`next\` and is passed to use() without a path, so ${behind}.`,
    remedy: `Remove that handler. ${MOUNT_REMEDY}`,
  }
}

/** Whether a middleware ends every request. A router does so if one of its root handlers does. */
export function endsAll(middleware: unknown): boolean {
  const router = routerIn(middleware)
  if (router === undefined) return typeof middleware === 'function' && isEnd(middleware as Handle)
  return router.stack.some((layer) => isAtRoot(layer) && endsAll(layer.handle))
}

/**
 * Whether a function certainly never calls `next`. Without a third parameter, a function can still get `next` from
 * `req.next`, `arguments`, `...all` or a default value. A function with four parameters handles errors.
 */
export function isEnd(handle: Handle): boolean {
  if (handle.length !== 1 && handle.length !== 2) return false
  const source = Function.prototype.toString.call(handle)
  return !/^[^{]*=(?!>)|\bnext\b|\barguments\b|\.\.\.|\[native code\]/.test(source)
}
