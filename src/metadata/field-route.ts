import type { Fact } from '../contracts/facts.js'
import type { FieldVerb } from '../contracts/field-route.js'
import type { HttpMethod } from '../contracts/route-model.js'
import { shown } from '../errors/config-error.js'
import { captureStack } from './applied.js'
import { optionFacts } from './route-options.js'

/** A function that handles requests to a route. */
type FieldHandler = (...args: never[]) => unknown

/** A route that was created by calling `get`, `post`, …. */
export interface MadeRoute {
  /** The function that the call returned. */
  readonly handler: FieldHandler
  /** The name of the called function: `post`. */
  readonly by: string
  readonly facts: readonly Fact[]
  /** An error whose stack trace shows the call; `null` if this process does not record decorators. */
  readonly created: Error | null
}

const made = new WeakMap<object, MadeRoute>()
let count = 0
let journal: MadeRoute[] | null = null

function verb(method: HttpMethod, by: string): FieldVerb {
  function makeRoute(path: unknown, ...rest: readonly unknown[]): unknown {
    const given = rest.at(-1)
    if (typeof path !== 'string')
      throw new TypeError(`The path of ${by}() must be a string, not ${shown(path)}.`)
    if (typeof given !== 'function')
      throw new TypeError(`The handler of ${by}() must be a function, not ${shown(given)}.`)
    // A function can be the handler of several routes, but each route needs a separate function object.
    const handler = (made.has(given) ? new Proxy(given, {}) : given) as FieldHandler
    const facts: Fact[] = [
      { kind: 'route', method, path, handler },
      ...(rest.length > 1 ? optionFacts(by, rest[0]) : []),
    ]
    const route = { handler, by, facts, created: captureStack() }
    made.set(handler, route)
    count++
    journal?.push(route)
    return handler
  }
  return makeRoute as FieldVerb
}

/** Returns the route that `get`, `post`, … created for a function; `undefined` for any other value. */
export function routeMadeOf(value: unknown): MadeRoute | undefined {
  return typeof value === 'function' ? made.get(value) : undefined
}

/** Returns the number of created routes. As long as it is 0, no object has a field route. */
export function countMadeRoutes(): number {
  return count
}

/** Calls a function, and adds the routes that it creates to `list`, in order, even if the function throws. */
export function collectMadeRoutes(list: MadeRoute[], make: () => void): void {
  const outer = journal
  journal = list
  try {
    make()
  } finally {
    journal = outer
  }
}

/**
 * Turns a controller field into a route for `GET`, and for `HEAD` unless another route handles it.
 *
 * @param path The path, relative to the controller's path. `'/'` and `''` are equivalent.
 * @param options The request schemas, `returns`, `errors` and other options, as in {@link Get}. Default: none.
 * @param handler Receives the request, the response and `next`. The request's type is inferred from the options.
 * @returns the handler.
 * @throws TypeError if there is no handler, or if the path is not a string.
 * @see docs/field-routes.md
 * @example
 * @Controller('notes')
 * class Notes {
 *   private readonly notes = inject(NoteStore)
 *   read = get('/:id', { params: NoteId, returns: Note }, ({ params }) => this.notes.find(params.id))
 * }
 */
export const get: FieldVerb = verb('GET', 'get')

/**
 * Like {@link get}, for `QUERY` (RFC 10008): a read request with a body.
 *
 * @see docs/query-method.md
 * @example search = query('/search', { body: Ids }, ({ body }) => this.notes.findAll(body.ids))
 */
export const query: FieldVerb = verb('QUERY', 'query')

/** Like {@link get}, for `POST`. @example add = post('/', { body: NewNote }, ({ body }) => this.notes.add(body)) */
export const post: FieldVerb = verb('POST', 'post')

/**
 * Like {@link get}, for `PUT`.
 *
 * @example
 * replace = put('/:id', { params: NoteId, body: NewNote }, ({ params, body }) =>
 *   this.notes.set(params.id, body),
 * )
 */
export const put: FieldVerb = verb('PUT', 'put')

/**
 * Like {@link get}, for `PATCH`.
 *
 * @example
 * change = patch('/:id', { body: Change }, ({ params, body }) =>
 *   this.notes.change(params.id, body),
 * )
 */
export const patch: FieldVerb = verb('PATCH', 'patch')

/** Like {@link get}, for `DELETE`. @example remove = del('/:id', ({ params }) => this.notes.remove(params.id)) */
export const del: FieldVerb = verb('DELETE', 'del')
