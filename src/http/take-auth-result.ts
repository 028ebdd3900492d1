import { replaceKeyId } from './key-id.js'
import type { BlazonRequest } from './request.js'
import { kAuthResult } from './symbol-fields.js'

/**
 * Removes from a request how guards have let it in, and the id of its key: guards of another application, or guards in
 * front of a router, have not decided about the following steps.
 *
 * @returns a function that gives the request both back, exactly as they were; `null` if there was neither.
 */
export function takeAuthResult(req: BlazonRequest): (() => void) | null {
  const { [kAuthResult]: result } = req
  const key = replaceKeyId(req, undefined)
  // Writing `undefined` would create the field.
  if (result !== undefined) Object.assign(req, { [kAuthResult]: undefined })
  if (result === undefined && key === undefined) return null
  return () => {
    Object.assign(req, { [kAuthResult]: result })
    replaceKeyId(req, key)
  }
}
