/**
 * What may be logged of a failure. Not its message: a server that does not know a command repeats its arguments,
 * passwords included, and Node repeats a URL that it cannot read.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  // Errors of the server begin with a word in capitals: `OOM`, `NOAUTH`, `WRONGPASS`.
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

/** Whether the server has answered, with an error. */
export function isServerError(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,20} /.test(error.message)
}

/** Whether the server was to run a script by its digest that it has never seen, or has forgotten. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT ')
}
