import type { LegacyParameterDecorator, UserDecorator } from '../contracts/decorator.js'
import type {
  ParameterDefinition,
  ParameterSettings,
  RouteParameter,
} from '../contracts/extensions.js'
import type { Fact } from '../contracts/facts.js'
import type {
  OfRequest,
  Request,
  RequestInputs,
  Req as TypedRequest,
} from '../contracts/handler.js'
import type { ParameterSource } from '../contracts/route-model.js'
import type { InferOutput, Schema } from '../contracts/schema.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'
import { decorator, refuseArguments } from './write.js'

function parameter(source: ParameterSource, name: string): LegacyParameterDecorator {
  return decorator(name, { parameter: (index) => [{ kind: 'parameter', index, source }] })
}

/**
 * The type of a handler's request, inferred from the schemas: `Req<{ body: typeof CreateUser }>`. With `auth: true`,
 * `user` is never `undefined`.
 */
export type Req<TInputs extends RequestInputs = Record<never, never>> = TypedRequest<TInputs>

/** Passes the request to a handler parameter (legacy dialect). @example get(@Req() req: Request) {} */
// biome-ignore lint/suspicious/noRedeclare: a type and a decorator share the name
export function Req(): LegacyParameterDecorator
export function Req(...args: unknown[]): LegacyParameterDecorator {
  refuseArguments('@Req', args)
  return parameter('req', '@Req()')
}

/**
 * Passes the response to a handler parameter (legacy dialect). If a handler with this parameter returns `undefined`, it
 * must send the response itself.
 *
 * @example
 * get(@Res() res: Response) { res.json(1) }
 */
export function Res(): LegacyParameterDecorator
export function Res(...args: unknown[]): LegacyParameterDecorator {
  refuseArguments('@Res', args)
  return parameter('res', '@Res()')
}

/**
 * Passes `req.user` to a handler parameter (legacy dialect). The parameter's type must be `User`, a type with more
 * fields, or a wider type. Any other type causes a compile error. On an unprotected route, the type must also include
 * `undefined`, which the compiler does not check.
 *
 * @example
 * me(@CurrentUser() user: User) { return user }
 */
export function CurrentUser(): UserDecorator
export function CurrentUser(...args: unknown[]): unknown {
  refuseArguments('@CurrentUser', args)
  return parameter('user', '@CurrentUser()')
}

/**
 * Defines a handler parameter: a decorator, and a function that returns the parameter's value. For each request to a
 * route with the decorator, the function runs once, after validation and immediately before the handler. It can return
 * a promise. If it throws an HTTP error, the client receives that error. Any other error results in a 500 response.
 *
 * In the legacy dialect, the decorator can be on a handler parameter, which receives the value. In both dialects, the
 * decorator can be on the method. The handler then calls `of(req)`.
 *
 * @param read Returns the value, given the request.
 * @param settings `in`, `name` and `schema`, see {@link ParameterSettings}. Default: the value is not in the document.
 * @throws TypeError if `read` is not a function, if `in` is unknown, or if `in`, `name` and `schema` cannot be combined
 * in this way; ConfigError if another option is set.
 * @example
 * export const CurrentOrg = defineParameter((req) => req.get('x-org'), {
 *   in: 'header',
 *   name: 'x-org',
 *   schema: z.uuid(),
 * })
 *
 * class InvoicesController {
 *   @CurrentOrg()
 *   @Get()
 *   list(req: Request) { return invoices.of(CurrentOrg.of(req)) }
 * }
 */
export function defineParameter<S extends Schema>(
  read: OfRequest<unknown>,
  settings: ParameterSettings<S> & { readonly schema: S },
): RouteParameter<InferOutput<S>>
export function defineParameter<TValue>(
  read: OfRequest<TValue>,
  settings?: Omit<ParameterSettings, 'schema'>,
): RouteParameter<Awaited<TValue>>
export function defineParameter(
  read: OfRequest<unknown>,
  settings: ParameterSettings = {},
): RouteParameter<unknown> {
  const definition = toDefinition(read, settings)
  const used: Fact = { kind: 'defined', definition }
  function parameter(...args: unknown[]) {
    const name = `@${definition.place?.name ?? (read.name || 'parameter')}`
    refuseArguments(name, args)
    return decorator(`${name}()`, {
      method: used,
      parameter: (index) => [used, { kind: 'parameter', index, source: 'defined', definition }],
    })
  }
  const made = Object.assign(parameter, { of: (req: object) => valueFor(definition, req) })
  return Object.freeze(made) as RouteParameter<unknown>
}

const NAMES: OptionNames<ParameterSettings> = { in: true, name: true, schema: true }

function toDefinition(read: OfRequest<unknown>, settings: ParameterSettings): ParameterDefinition {
  const fail = (cause: string): never => {
    throw new TypeError(`defineParameter(): ${cause}`)
  }
  if (typeof read !== 'function') fail('its first argument is not a function.')
  refuseUnknown('defineParameter()', settings, NAMES)
  const { in: place, name } = settings
  if (place !== undefined && !['header', 'query', 'path'].includes(place)) {
    fail("`in` must be 'header', 'query' or 'path'.")
  }
  if ((place === undefined) !== (name === undefined) || name === '') {
    fail('`in` and `name` must be set together.')
  }
  if ('schema' in settings && place === undefined) fail('with `schema`, also set `in` and `name`.')
  if ('schema' in settings && settings.schema === undefined) {
    fail('`schema` is undefined, which often results from a circular import.')
  }
  return Object.freeze({
    read,
    place:
      place === undefined
        ? null
        : Object.freeze({
            in: place,
            name: place === 'header' ? String(name).toLowerCase() : String(name),
          }),
    schema: settings.schema ?? null,
    values: new WeakMap(),
  })
}

function label({ place }: ParameterDefinition): string {
  return place === null ? 'A decorator from defineParameter()' : `The parameter '${place.name}'`
}

function valueFor(definition: ParameterDefinition, req: object): unknown {
  const { values, place, read } = definition
  if (values.has(req)) return values.get(req)
  const unused = `${label(definition)} has no value for this request: its route does not have the decorator, or the handler has not started.`
  if (place !== null) throw new TypeError(unused)
  const value = read(req as Request)
  if (typeof (value as PromiseLike<unknown> | null)?.then === 'function') {
    // The promise is not awaited, so a rejection would be unhandled and end the process.
    Promise.resolve(value).catch(() => {})
    throw new TypeError(
      `${unused} The function of the decorator is asynchronous, so it runs only for routes that have the decorator.`,
    )
  }
  values.set(req, value)
  return value
}
