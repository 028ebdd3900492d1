import { ConfigError } from './config-error.js'

// biome-ignore lint/suspicious/noExplicitAny: only who it is matters
type Method = (...args: any[]) => unknown

const FRAME = /^\s+at /
/** A frame of Node itself. */
const OF_NODE = /\bnode:[\w/]+:\d+/

/**
 * Runs the work of a method of the framework, and makes the stack of a `ConfigError` begin where that method was
 * called. The message names the place of the mistake, and the frames inside the framework do not help the reader.
 * Other errors, which come from the program, keep their stack; so does the cause.
 *
 * @param method Must be on the stack.
 */
export async function blameCaller<T>(method: Method, run: () => Promise<T>): Promise<T> {
  // Captured before the first `await`, while the caller is certainly on the stack. Node formats the text only when
  // some code reads it.
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

/** A program that formats stacks itself may produce a value that is not text. */
function framesOf(stack: unknown): string[] {
  return String(stack)
    .split('\n')
    .filter((line) => FRAME.test(line) && !OF_NODE.test(line))
}
