import { ConfigError } from './config-error.js'

// biome-ignore lint/suspicious/noExplicitAny: only who it is matters
type Method = (...args: any[]) => unknown

const FRAME = /^\s+at /
/** A frame of Node itself. */
const OF_NODE = /\bnode:[\w/]+:\d+/

/**
 * Runs what a method of the framework does, and makes the stack of a `ConfigError` begin where that method was called. The message
 * says where the mistake is; the way through the framework says nothing to whoever reads it. Other errors, which are the program's,
 * keep their stack, and so does the cause.
 *
 * @param method Must be on the stack.
 */
export async function blameCaller<T>(method: Method, run: () => Promise<T>): Promise<T> {
  // Before the first `await`, while the caller is there for certain. It is written out only when somebody reads it.
  const call: { readonly stack?: unknown } = {}
  Error.captureStackTrace(call, method)
  try {
    return await run()
  } catch (error) {
    if (error instanceof ConfigError) {
      error.stack = [`${error.name}: ${error.message}`, ...framesOf(call.stack)].join('\n')
    }
    throw error
  }
}

/** Where a program formats stacks itself, one need not be text. */
function framesOf(stack: unknown): string[] {
  return String(stack)
    .split('\n')
    .filter((line) => FRAME.test(line) && !OF_NODE.test(line))
}
