import type { WrapHandle } from '../../http/express-routers.js'
import { pauseBeforeHandler } from '../connections.js'

/**
 * Makes requests wait before each function that a router calls, until the promise of `pause` of the connection
 * settles.
 */
export const holdHandle: WrapHandle = (handle, kind) => {
  if (kind !== 'request') return handle
  return function runHeld(this: unknown, req, res, next) {
    const before = pauseBeforeHandler(req)
    if (before === undefined) return handle.call(this, req, res, next)
    return before.then(() => handle.call(this, req, res, next))
  }
}
