import { ConfigError, HttpError } from '../../index.js'

/**
 * Converts the error of a database that cannot be reached into a ConfigError with the reason that
 * the server or the network gave. Returns any other error unchanged. The URL is in no message,
 * because it may contain a password.
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

/**
 * Node reports an attempt at several addresses as an AggregateError, which has no message itself.
 */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '')
    return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : 'no reason was given'
}
