import type { BlazonRequest } from '../http/request.js'

/** Returns the `req.id` that a middleware has set; `undefined` if it is neither a string nor a number. */
export function requestIdOf(req: BlazonRequest): string | undefined {
  const id = read(req)
  return typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, 128) : undefined
}

/** Reads `req.id`, which may be a getter that throws. */
function read(req: BlazonRequest): unknown {
  try {
    return (req as { id?: unknown }).id
  } catch {
    return undefined
  }
}
