import type { Span } from '@opentelemetry/api'

/** The name of a class, which is one of few. */
const NAME = /^[A-Za-z_$][\w$.]{0,99}$/

/**
 * Adds an error to a span as an event.
 *
 * @param error As the application logs it, so without secrets.
 * @returns The name of the error; `undefined` if it has no name that names a class.
 */
export function recordError(span: Span, error: unknown): string | undefined {
  const { name, message, stack } = fieldsOf(error)
  span.recordException({
    name: name ?? typeof error,
    message: message ?? '',
    ...(stack !== undefined && { stack }),
  })
  return name !== undefined && NAME.test(name) ? name : undefined
}

type Fields = Partial<Record<'name' | 'message' | 'stack', string>>

/** Any value can be thrown, also a proxy that throws when it is read. */
function fieldsOf(error: unknown): Fields {
  try {
    if (typeof error !== 'object' || error === null) return { message: String(error) }
    const { name, message, stack } = error as Readonly<Record<string, unknown>>
    return { ...textOf('name', name), ...textOf('message', message), ...textOf('stack', stack) }
  } catch {
    return {}
  }
}

function textOf(key: keyof Fields, value: unknown): Fields {
  return typeof value === 'string' ? { [key]: value } : {}
}
