import { ConfigError, HttpError } from '../../index.js'
import { briefCause, textOf } from './brief-cause.js'

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
    cause: `The database cannot be reached: ${textOf(error.cause)}.`,
    remedy:
      'Check that the server runs, and that `url` has the host, the port, the database, the user and the password.',
  } as const
  return new ConfigError([problem], { cause: briefCause(error) })
}
