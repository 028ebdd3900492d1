/** The application code that has caused a statement or a call may be many functions away. */
const DEPTH = 60

/**
 * Captures the stack of the code that has called a function. Node creates the text at the first access, and most texts
 * are never read.
 *
 * @param called The function, which is not in the stack.
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
