import { ConfigError } from './config-error.js'

// biome-ignore lint/suspicious/noExplicitAny: only the identity of the function matters
type Method = (...args: any[]) => unknown

const FRAME = /^\s+at /
/** A stack frame in Node itself. */
const OF_NODE = /\bnode:[\w/]+:\d+/

/**
 * Runs the work of a framework method. If the work throws a `ConfigError`, its stack trace begins at the call of that
 * method. The message already contains the place of the error, and frames inside the framework do not help the reader.
 * The stack traces of its cause and of all other errors do not change, because these errors come from the program.
 *
 * @param method The method, which must be on the call stack.
 */
export async function blameCaller<T>(method: Method, run: () => Promise<T>): Promise<T> {
  // The stack is captured before the first `await`, while the caller is still on the call stack. Node formats the stack
  // only when it is read.
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

/** If a program formats stack traces itself, the value can be something other than a string. */
function framesOf(stack: unknown): string[] {
  return String(stack)
    .split('\n')
    .filter((line) => FRAME.test(line) && !OF_NODE.test(line))
}
