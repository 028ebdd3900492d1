import type { Request, Response } from '../../contracts/handler.js'
import { type Caller, callerOf } from '../../http/caller.js'

/**
 * Watches whether the caller of a request changes while the response is made: a step after the cache may set
 * `req.user` and remove it again.
 *
 * @returns a function that ends the watch and returns whether the caller was the same all the time.
 */
export function watchCaller(req: Request, res: Response, caller: Caller): () => boolean {
  let isSame = true
  const undo = watchUser(req, () => {
    isSame &&= callerOf(req, res) === caller
  })
  return () => {
    undo()
    return isSame && callerOf(req, res) === caller
  }
}

function watchUser(req: Request, onSet: () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(req, 'user') ?? missing(req)
  if (own?.configurable !== true || !('value' in own)) return () => {}
  let user: unknown = own.value
  const get = () => user
  const set = (other: unknown) => {
    user = other
    onSet()
  }
  Object.defineProperty(req, 'user', { configurable: true, enumerable: true, get, set })
  return () => {
    // If other code has redefined the property meanwhile, it stays as it is.
    if (Object.getOwnPropertyDescriptor(req, 'user')?.get !== get) return
    // The property did not exist before, so it is deleted: `'user' in req` must be false again.
    if (own === MISSING && user === undefined) Reflect.deleteProperty(req, 'user')
    else Object.defineProperty(req, 'user', { ...own, value: user })
  }
}

/** The descriptor of `req.user` while the property does not exist. */
const MISSING: PropertyDescriptor = {
  value: undefined,
  writable: true,
  configurable: true,
  enumerable: true,
}

function missing(req: Request): PropertyDescriptor | undefined {
  return 'user' in req ? undefined : MISSING
}
