import { ConfigError, HttpError } from '../../index.js'

/**
 * What keeps an application from starting whose database cannot be asked, with what the server or the network has said; anything else as it is. The URL is in
 * no message: it may have a password in it.
 */
export function unreachable(error: unknown): unknown {
  if (!HttpError.is(error)) return error
  const problem = {
    code: 'E_DATABASE_UNREACHABLE',
    subject: 'postgres()',
    cause: `The database cannot be reached: ${reasonOf(error.cause)}.`,
    remedy:
      'Check that the server runs, and that `url` has the host, the port, the database, the user and the password.',
  } as const
  return new ConfigError([problem], { cause: error })
}

/** An attempt at several addresses has an error for each, and no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '')
    return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : 'no reason was given'
}
