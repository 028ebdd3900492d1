import type { DecisionValue } from '../contracts/request-record.js'
import type { FieldError } from '../contracts/schema.js'
import type { KnownFailure } from '../errors/failure.js'
import { HttpError } from '../errors/http-error.js'
import { noteOf } from '../http/note-of.js'

/** Notes the error that becomes the response to a request, with the parts that the client does not see. */
export function noteError(failure: KnownFailure, error: unknown, req: object): void {
  const note = noteOf(req)
  if (note === undefined) return
  const { status, code, errors } = failure
  if (errors !== undefined) note({ by: 'validation', verdict: 'refused', facts: issuesOf(errors) })
  const { name, message, stack } = describe(error)
  const isMeant = HttpError.is(error) && error.isLogged === false
  const facts = {
    status,
    name,
    stack: status >= 500 ? stack : null,
    ...(isMeant && { isMeant }),
  }
  note({ by: 'error', verdict: code, reason: message, facts })
}

function issuesOf(errors: readonly FieldError[]): { readonly [name: string]: DecisionValue } {
  const issues = errors.map(({ in: place, path, message }) => ({
    in: place ?? null,
    path,
    message,
  }))
  return { in: [...new Set(issues.map((each) => each.in))], issues }
}

interface Described {
  readonly name: string
  readonly message: string
  readonly stack: string | null
}

/** Reads any thrown value. A getter of it may throw. */
function describe(error: unknown): Described {
  try {
    if (error instanceof Error) {
      const { stack } = error
      const name = error.constructor.name || error.name
      return { name: String(name), message: String(error.message), stack: stackOf(stack) }
    }
    return { name: typeof error, message: String(error), stack: null }
  } catch {
    return { name: 'unknown', message: 'an error that cannot be read', stack: null }
  }
}

function stackOf(stack: unknown): string | null {
  return typeof stack === 'string' ? stack : null
}
