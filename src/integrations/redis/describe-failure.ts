/**
 * A description of an error for logs. It leaves out the message: for an unknown command the server's message
 * repeats the arguments, passwords included, and Node repeats a URL that it cannot parse.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  // Errors of the server begin with a word in capitals: `OOM`, `NOAUTH`, `WRONGPASS`.
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

/** Whether the error is an error reply of the server. */
export function isServerError(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,20} /.test(error.message)
}

/**
 * Whether the server does not have the script of an `EVALSHA`: it never ran the script, or has restarted since.
 */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT ')
}
