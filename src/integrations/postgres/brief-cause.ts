/** The fields that help a reader. All other fields of PostgreSQL are null, or name the place in its sources. */
const FIELDS = ['code', 'detail', 'hint'] as const

/**
 * The cause of a `ConfigError` of a database: the text and the code of the first error, which the server or the network
 * gave. Node prints all fields and frames of every cause (50 lines for `pg`), which would hide the message.
 */
export function briefCause(error: unknown): Error {
  const first = firstOf(error)
  const brief = new Error(textOf(first))
  const { name } = first instanceof Error ? first : brief
  brief.stack = `${name}: ${brief.message}`
  for (const field of FIELDS) {
    const value = (first as Partial<Record<string, unknown>> | null)?.[field]
    if (typeof value === 'string') Object.assign(brief, { [field]: value })
  }
  return brief
}

/** The text of an error. Node reports an attempt at several addresses as an AggregateError, which has none itself. */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(textOf).join(', ')
  }
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'no reason was given'
}

/** The error that all others are consequences of. An error may be its own cause. */
function firstOf(error: unknown, depth = 0): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown }
  return cause instanceof Error && depth < 5 ? firstOf(cause, depth + 1) : error
}
