import type { DualClassOrMethodDecorator } from '../../contracts/decorator.js'
import type { RouteOption } from '../../contracts/extensions.js'
import type { Request } from '../../contracts/handler.js'
import type { ContractOf, ContractParameter } from '../../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { defineOption } from '../../metadata/option.js'

/** Options of {@link Versioned}. */
export interface VersionedOptions<TController extends object = object> {
  /**
   * The field with the version of a row: a number, a string without quotes and spaces, or a `Date`. Default:
   * `'version'`.
   */
  readonly by?: string
  /** Whether a `PUT` request with `If-None-Match: *` can create a row. Default: `false`. */
  readonly creates?: boolean
  /**
   * Returns the current row for a request; `undefined` or `null` if there is no row. Default: the result of the `GET`
   * route with the same path and controller. That route's handler must then use only the request.
   */
  current?(req: Request, controller: TController): unknown
}

const NAMES: OptionNames<VersionedOptions> = { by: true, creates: true, current: true }

/** The route option behind `@Versioned()`. `false` excludes a method. */
export const versionedOption: RouteOption<
  VersionedOptions | false,
  VersionedOptions | false,
  'both'
> = defineOption<VersionedOptions | false>('Versioned', {
  check(options) {
    if (options === false) return undefined
    if (typeof options !== 'object' || options === null) return 'It is neither an object nor false.'
    const [unknown] = unknownOptions('', options, NAMES)
    if (unknown !== undefined) return `'${unknown.subject}': ${unknown.cause}`
    const { by = 'version', creates = false, current } = options
    if (typeof creates !== 'boolean') return '`creates` is not a boolean.'
    if (typeof by !== 'string' || by === '') return '`by` is not the name of a field.'
    if (current !== undefined && typeof current !== 'function')
      return '`current` is not a function.'
    return undefined
  },
})

/**
 * Prevents lost updates. Responses with a row contain its version as a strong `ETag`, and `PUT`, `PATCH` and `DELETE`
 * requests must send it back as `If-Match`. A request without this header results in a 428 response, a request for a
 * row that now has another version in a 412 response, and a malformed header in a 400 response. With `creates`, a `PUT`
 * request can instead send `If-None-Match: *` to create a row that must not exist yet. A `GET` request with the current
 * version results in a 304 response.
 *
 * The check runs before the handler, so two requests may pass it at the same time. For this reason, the handler's
 * statement must decide: compare the version in the statement, with `versionIs(req)` from `blazon/postgres` or with
 * {@link expectedVersion}, and throw a `PreconditionFailedError` if the statement changed no row.
 *
 * On a class, the decorator applies to all `PUT`, `PATCH`, `DELETE` and `GET` routes. If no write route has the path of
 * a `GET` route, the `GET` route sends an `ETag` only for a row that has the version field. `@Versioned(false)`
 * excludes a method.
 *
 * Sources: RFC 9110, sections 8.8.3 and 13; RFC 6585, section 3.
 *
 * @param options `by`, `creates` and `current`, or `false`. Default: the field `version`, from the `GET` route with the
 * same path.
 * @throws ConfigError at boot: `E_OPTION_INVALID` for an invalid option; `E_VERSIONED_ROUTE` for a write route without
 * a source for the current version, and for a route that streams its response.
 * @see docs/conditional-writes.md
 * @example
 * @Versioned()
 * @Controller('notes')
 * class NotesController {
 *   @Get(':id') read(req: Request) { return this.notes.find(req.params.id) }
 *   @Put(':id') change(req: Request) { return this.notes.change(req.params.id, expectedVersion(req), req.body) }
 * }
 */
export function Versioned<TController extends object = object>(
  options?: VersionedOptions<TController> | false,
): DualClassOrMethodDecorator
export function Versioned(...args: [(VersionedOptions | false)?]): DualClassOrMethodDecorator {
  const [options = {}, ...rest] = args
  return versionedOption(...([options, ...rest] as [VersionedOptions]))
}

const WRITES: readonly string[] = ['PUT', 'PATCH', 'DELETE']
const READS: readonly string[] = ['GET', 'HEAD']

/** The version settings of a route. */
export interface VersionedRoute {
  readonly by: string
  readonly isWrite: boolean
  /** Whether the route can create a row. */
  readonly mayCreate: boolean
  readonly current: VersionedOptions['current']
}

/** Returns the version settings of a route; `null` if the route does not use versions. */
export function versionedOf(route: RouteModel): VersionedRoute | null {
  const options = route.option(versionedOption)
  const { method } = route
  const isWrite = WRITES.includes(method)
  if (options === undefined || options === false || !(isWrite || READS.includes(method)))
    return null
  const { by = 'version', creates = false, current } = options
  return { by, isWrite, mayCreate: creates && method === 'PUT', current }
}

/** Whether any of an application's routes uses versions. */
export function usesVersions({ routes }: AppModel): boolean {
  return routes.some((route) => versionedOf(route) !== null)
}

/** Returns the `GET` route for the row that a write route changes. */
export function sourceOf(route: RouteModel, { routes }: AppModel): RouteModel | undefined {
  const { path, controller, version } = route
  const own = routes.filter(
    (each) => each.method === 'GET' && each.path === path && each.controller === controller,
  )
  return own.find((each) => each.version === version || each.version === null)
}

const tag = {
  description: 'The version of the resource (RFC 9110, 8.8.3)',
  schema: { type: 'string' },
}
/** Matches quoted tags, or `*`. Lists and weak tags also match. */
const TAGS = '^(\\*|(W/)?"[!#-~]*"( ?, ?(W/)?"[!#-~]*")*)$'

/** Adds the condition headers, the `ETag` and the error responses to the operations that use versions. */
export const versionedContract: ContractOf = (route) => {
  const found = versionedOf(route)
  if (found === null) return null
  const condition = (name: string, more: Partial<ContractParameter>): ContractParameter => ({
    name,
    in: 'header',
    schema: { type: 'string', pattern: TAGS },
    ...more,
  })
  if (!found.isWrite) {
    const description =
      'The `ETag` of a cached response. If it is still current, the response has the status 304.'
    return {
      headers: { ETag: tag },
      parameters: [condition('If-None-Match', { description, schema: tag.schema })],
      responses: [
        { status: 304, description: 'Not modified: the client has the current version.' },
      ],
    }
  }
  const match = condition('If-Match', {
    required: !found.mayCreate,
    description: 'The `ETag` of the version to change, or `*` for any version.',
  })
  const create = condition('If-None-Match', {
    schema: { type: 'string', enum: ['*'] },
    description: 'Use `*` instead of `If-Match` to create a resource that does not exist yet.',
  })
  return {
    errors: [400, ...(found.mayCreate ? [] : [404]), 412, 428],
    headers: { ETag: tag },
    parameters: found.mayCreate ? [match, create] : [match],
  }
}

/** Reports write routes without a source for the current version, and routes that stream their response. */
export function checkVersioned(model: AppModel): Problem[] {
  return model.routes.flatMap((route) => {
    const cause = mistakeOf(route, model)
    if (cause === undefined) return []
    const subject = `${route.name} @Versioned()`
    return [{ code: 'E_VERSIONED_ROUTE', subject, cause, remedy: REMEDY }]
  })
}

const REMEDY =
  'Pass `current: (req, controller) => row`; add a GET route with the same path whose handler uses only the request; or exclude the method with @Versioned(false).'

function mistakeOf(route: RouteModel, model: AppModel): string | undefined {
  const found = versionedOf(route)
  if (route.option(versionedOption) && route.stream !== null)
    return 'It sends a stream, which has no version.'
  if (!found?.isWrite || found.current !== undefined) return undefined
  const source = sourceOf(route, model)
  if (source === undefined)
    return `No GET route of ${route.controller.name} has the path ${route.path}.`
  const { parameters, stack, stream } = source
  const method = stack[0]?.handle
  const usesMore = parameters !== null || typeof method !== 'function' || method.length > 1
  return usesMore || stream !== null
    ? `The handler ${source.name} needs more than the request, or streams its response.`
    : undefined
}

/** The version of a row, in its original form. */
export type RowVersion = string | number | bigint | Date

const expected = new WeakMap<Request, RowVersion | null>()

/** Records the version that a write expects. */
export function expectVersion(req: Request, version: RowVersion | null): void {
  expected.set(req, version)
}

/**
 * Returns the version that a request to a `@Versioned()` route expects. Use it in the condition of the statement that
 * changes the row. The version has the same type as in the row. Returns `null` if the client accepts any version
 * (`If-Match: *`) or creates the row.
 *
 * @throws Error if the route has no `@Versioned()`, because a write without the condition could overwrite another
 * change.
 * @example
 * const note = await notes.updateOne({ id, version: expectedVersion(req) ?? undefined }, { text })
 * if (note === null) throw new PreconditionFailedError()
 */
export function expectedVersion(req: Request): RowVersion | null {
  const version = expected.get(req)
  if (version !== undefined) return version
  throw new Error(
    'expectedVersion(): the request has no expected version. Call it only in PUT, PATCH and DELETE routes with @Versioned().',
  )
}
