import type { BlazonRequest } from '../http/request.js'

/** What a middleware has named a request by `req.id`; `undefined` where none has, or it is no name. */
export function requestIdOf(req: BlazonRequest): string | undefined {
  const id = read(req)
  return typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, 128) : undefined
}

/** A middleware may have made a getter of it, which throws. */
function read(req: BlazonRequest): unknown {
  try {
    return (req as { id?: unknown }).id
  } catch {
    return undefined
  }
}
