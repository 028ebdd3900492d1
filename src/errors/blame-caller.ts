import { ConfigError } from './config-error.js'

// biome-ignore lint/suspicious/noExplicitAny: only the identity of the function matters
type Method = (...args: any[]) => unknown

const FRAME = /^\s+at /
/** A stack frame in Node itself. */
const OF_NODE = /\bnode:[\w/]+:\d+/

/**
 * Runs the work of a framework method, and makes the stack trace of a `ConfigError` begin where that method was called.
 * The message already contains the place of the error, and frames inside the framework do not help the reader. The
 * stack traces of the cause, and of other errors, which come from the program, do not change.
 *
 * @param method The method; it must be on the call stack.
 */
export async function blameCaller<T>(method: Method, run: () => Promise<T>): Promise<T> {
  // Captured before the first `await`, while the caller is still on the call stack. Node formats the text only when it
  // is read.
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

/** A program that formats stack traces itself may produce a value that is not text. */
function framesOf(stack: unknown): string[] {
  return String(stack)
    .split('\n')
    .filter((line) => FRAME.test(line) && !OF_NODE.test(line))
}
