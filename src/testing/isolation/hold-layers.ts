import type { WrapHandle } from '../../http/express-routers.js'
import { pauseBeforeHandler } from '../connections.js'

/** Keeps requests before everything that a router calls, for as long as their connection says. */
export const holdHandle: WrapHandle = (handle, kind) => {
  if (kind !== 'request') return handle
  return function runHeld(this: unknown, req, res, next) {
    const before = pauseBeforeHandler(req)
    if (before === undefined) return handle.call(this, req, res, next)
    return before.then(() => handle.call(this, req, res, next))
  }
}
