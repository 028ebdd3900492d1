import type { Class } from '../contracts/provider.js'
import type { Problem } from '../errors/config-error.js'
import { type FactsByKind, firstOf } from './facts-by-kind.js'

const SYNC = '[object GeneratorFunction]'
const ASYNC = '[object AsyncGeneratorFunction]'

const RETURN_ROWS =
  'Return the rows from an ordinary method: `export() { return this.rows() }`, with an `async *rows()` beside it.'

/** The handler of a route, with its decorators. */
export interface CheckedHandler {
  readonly subject: string
  readonly controller: Class
  readonly key: PropertyKey
  readonly facts: FactsByKind
}

/** Refuses a handler that is a generator function and no stream: a generator has no form in JSON. */
export function checkHandler({ subject, controller, key, facts }: CheckedHandler): Problem[] {
  const method: unknown = firstOf(facts, 'route')?.handler ?? controller.prototype?.[key]
  const kind = Object.prototype.toString.call(method)
  const refuse = (cause: string, remedy: string): Problem[] => [
    { code: 'E_HANDLER_GENERATOR', subject, cause, remedy },
  ]
  if (kind === SYNC && facts.stream !== undefined) {
    const cause = 'It is a stream, and its generator function is not asynchronous.'
    return refuse(cause, 'Write `async *` before its name.')
  }
  if (kind !== SYNC && kind !== ASYNC) return []
  if (facts.stream !== undefined) return []
  if (facts.produces !== undefined) {
    const cause = 'It is a generator function, and @Produces writes what a handler returns.'
    return refuse(cause, RETURN_ROWS)
  }
  const keyword = kind === ASYNC ? 'Add' : 'Write `async *` before its name, and add'
  return refuse(
    'It is a generator function, and a generator has no form in JSON: every response would be a 500.',
    `${keyword} @Sse(Item) or @JsonLines(Item), which send each value that it yields; or return a list. On a class with @Produces: ${RETURN_ROWS}`,
  )
}
