import { userPlaceIn } from '../user-place.js'

const DEPTH = 60

/**
 * Returns the line of user code that is running, such as `src/products.ts:12:20`; `undefined` when no frame
 * is user code.
 */
export function placeOfRead(): string | undefined {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = DEPTH
  const { stack = '' } = new Error('read')
  Error.stackTraceLimit = before
  return userPlaceIn(stack) ?? undefined
}
