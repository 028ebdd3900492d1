import type { Middleware } from 'blazon'
import { kTenantScope } from '../../../src/http/symbol-fields.js'

/** Sets the tenant of a request from its header, as the tenant feature does. */
export const nameTenant: Middleware = (req, _res, next) => {
  const id = req.get('x-tenant-id')
  if (id !== undefined) req[kTenantScope] = { id, origin: {}, host: undefined }
  next()
}

/** A promise, and the functions that settle it. */
export function defer<T = void>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((...ends) => {
    ;[resolve, reject] = ends
  })
  return { promise, resolve, reject }
}

/** Waits for turns of the event loop, so that all callbacks run that wait for no input or output. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
