/** The number of frames to capture. The application code that caused a statement or a call can be many frames away. */
const DEPTH = 60

/**
 * Captures the stack of the code that called a function. Returns an object instead of a string: Node formats the stack
 * only when it is read, and most stacks are never read.
 *
 * @param called The function, which the stack does not include.
 */
export function callerStack(called: unknown): { readonly stack?: string } {
  const { stackTraceLimit: before } = Error
  const caller = {}
  Error.stackTraceLimit = DEPTH
  // biome-ignore lint/complexity/noBannedTypes: Node's own type of the argument
  Error.captureStackTrace(caller, called as Function)
  Error.stackTraceLimit = before
  return caller
}
