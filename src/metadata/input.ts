import type {
  InputDecorator,
  KeyDecorator,
  LegacyParameterDecorator,
} from '../contracts/decorator.js'
import type { Fact } from '../contracts/facts.js'
import type { Request } from '../contracts/handler.js'
import type { BodyOptions, BodyType, CookiesOptions, RawBody } from '../contracts/inputs.js'
import type { InferOutput, InputSource, Schema } from '../contracts/schema.js'
import { decorator, isStandardContext, refuseBare } from './write.js'

const TYPES: readonly unknown[] = ['json', 'form', 'text', 'bytes']

/**
 * Whether a value is a body description such as `{ type: 'text' }` or `{ schema, limit }`, and not a schema. The two
 * can be distinguished, because JSON Schema has no type with the name of a body type, and no keyword `schema`.
 */
export function isBodyDescription(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || '~standard' in value) return false
  // `@Body` without parentheses receives a class prototype.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return false
  const { type } = value as { type?: unknown }
  const types = Array.isArray(type) ? type : [type]
  return 'schema' in value || types.some((each) => TYPES.includes(each))
}

/** Separates the schema in a description from the options. */
export function describeBody(description: object): { schema?: Schema; options: unknown } {
  const { schema, ...options } = description as { schema?: Schema }
  return 'schema' in description ? { schema: schema as Schema, options } : { options }
}

// biome-ignore-start lint/suspicious/noExplicitAny: the parts that a decorator does not describe stay as they are

/**
 * Validates the body. The validated value replaces `req.body`. A missing body is validated as `undefined`. The response
 * is 415 for a body of another type, 413 for a body above the limit, and 400 for a body that the schema rejects.
 *
 * By default, the body is JSON. With `type`, it is a form, text or bytes: a form is coerced like a query, text is a
 * string, and bytes are a `Buffer`. Several decorators with different types describe alternative bodies. The
 * `Content-Type` header of the request selects one of them.
 *
 * On a handler parameter (legacy dialect), the decorator also passes the value to the parameter, and the schema is
 * optional.
 *
 * With a key, the schema describes only this key. Use one decorator for each key. Keys without a decorator are removed.
 * A handler parameter receives the value of the key.
 *
 * The schema is a Standard Schema or a JSON Schema object. With `type`, the schema is optional. Without a schema, the
 * body is not validated.
 *
 * @param options `type`, `contentType` and `limit`, see {@link BodyOptions}.
 * @example
 * @Post()
 * @Body(z.object({ name: z.string().min(1) }))
 * create(req: Request, res: Response) { return this.ok(res, 'User created', req.body, 201) }
 *
 * @Put('logo')
 * @Body({ type: 'bytes', contentType: 'image/*', limit: '2mb' })
 * upload(req: Request) { return logos.save(req.body) }
 *
 * @Patch(':id')
 * @Body('name', z.string().min(1))
 * rename(req: Request) { return users.rename(req.params.id, req.body.name) }
 */
export function Body<const T extends BodyType>(
  options: BodyOptions<T> & { readonly type: T | readonly T[] },
): InputDecorator<Request<any, RawBody[T]>, RawBody[T]>
export function Body<S extends Schema>(
  schema: S,
  options?: BodyOptions,
): InputDecorator<Request<any, InferOutput<S>>, InferOutput<S>>
export function Body<const K extends string, S extends Schema>(
  key: K,
  schema: S,
): KeyDecorator<'body', K, InferOutput<S>>
export function Body(key?: string): LegacyParameterDecorator
export function Body(...args: unknown[]): unknown {
  const [first, second] = args
  const isKey = typeof first === 'string'
  if (isBodyDescription(first) || (!isKey && isPlain(second)) || (isKey && args.length > 2)) {
    return bodyWithOptions(args)
  }
  return input('body', '@Body', args)
}

/**
 * Validates the path parameters. The validated value replaces `req.params`. With a key, the schema describes only this
 * parameter. Other parameters remain strings.
 *
 * @example
 * @Get(':id')
 * @Params(z.object({ id: z.coerce.number().int() }))
 * getById(req: Request) { return users.get(req.params.id) }
 *
 * @Delete(':id')
 * @Params('id', z.coerce.number().int())
 * remove(req: Request) { users.remove(req.params.id) }
 */
export function Params<S extends Schema>(
  schema: S,
): InputDecorator<Request<InferOutput<S>>, InferOutput<S>>
export function Params<const K extends string, S extends Schema>(
  key: K,
  schema: S,
): KeyDecorator<'params', K, InferOutput<S>>
export function Params(key?: string): LegacyParameterDecorator
export function Params(...args: unknown[]): unknown {
  return input('params', '@Params', args)
}

/**
 * Validates the query string. The validated value replaces `req.query`. With a key, the schema describes only this
 * parameter. Parameters without a decorator are then removed.
 *
 * @example
 * @Get()
 * @Query(z.object({ page: z.coerce.number().default(1) }))
 * list(req: Request) { return users.page(req.query.page) }
 *
 * @Get('search')
 * @Query('text', z.string())
 * @Query('page', z.coerce.number().default(1))
 * search(req: Request) { return users.search(req.query.text, req.query.page) }
 */
export function Query<S extends Schema>(
  schema: S,
): InputDecorator<Request<any, any, InferOutput<S>>, InferOutput<S>>
export function Query<const K extends string, S extends Schema>(
  key: K,
  schema: S,
): KeyDecorator<'query', K, InferOutput<S>>
export function Query(key?: string): LegacyParameterDecorator
export function Query(...args: unknown[]): unknown {
  return input('query', '@Query', args)
}

/**
 * Validates request headers. The validated value is in `req.validated.headers`, under the names in the schema.
 * `req.headers` still contains the headers that the client sent. With a key, the schema describes only this header,
 * whose name in `req.validated.headers` is in lower case. Header names are case-insensitive.
 *
 * @example
 * @Get()
 * @Headers(z.object({ 'x-trace': z.string().optional() }))
 * list(req: Req<{ headers: typeof Trace }>) { return users.all(req.validated.headers['x-trace']) }
 */
export function Headers<S extends Schema>(
  schema: S,
): InputDecorator<Request<any, any, any, InferOutput<S>>, InferOutput<S>>
export function Headers<const K extends string, S extends Schema>(
  key: K,
  schema: S,
): KeyDecorator<'headers', K, InferOutput<S>>
export function Headers(key?: string): LegacyParameterDecorator
export function Headers(...args: unknown[]): unknown {
  return input('headers', '@Headers', args)
}

/**
 * Validates cookies, which are strings. The validated value is in `req.validated.cookies`, and also replaces
 * `req.cookies`. With a key, the schema describes only this cookie.
 *
 * @param options `signed`: the names of the cookies that were signed by `res.cookie`, see {@link CookiesOptions}.
 * @example
 * @Get('me')
 * @Cookies(z.object({ session: z.string() }), { signed: ['session'] })
 * me(req: Request) { return sessions.find(req.validated.cookies.session) }
 */
export function Cookies<S extends Schema>(
  schema: S,
  options?: CookiesOptions,
): InputDecorator<Request<any, any, any, any, InferOutput<S>>, InferOutput<S>>
export function Cookies<const K extends string, S extends Schema>(
  key: K,
  schema: S,
): KeyDecorator<'cookies', K, InferOutput<S>>
export function Cookies(key?: string): LegacyParameterDecorator
export function Cookies(...args: unknown[]): unknown {
  return input('cookies', '@Cookies', args)
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above

/**
 * Whether a value contains options for a decorator. A decorator without parentheses receives the context of a standard
 * decorator instead.
 */
function isPlain(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isStandardContext(value) &&
    !('~standard' in value)
  )
}

function bodyWithOptions(args: readonly unknown[]): unknown {
  const [first, ...rest] = args
  const described: Fact = isBodyDescription(first)
    ? { kind: 'body', ...describeBody(first) }
    : { kind: 'body', schema: first as Schema, options: rest.length > 1 ? rest : rest[0] }
  return decorator('@Body()', {
    method: described,
    field: false,
    parameter: (index) => [described, { kind: 'parameter', index, source: 'body' }],
  })
}

interface InputArguments {
  readonly key?: string
  readonly schema?: Schema
  /** Whether a schema was passed. This includes `undefined`, which is often caused by a circular import. */
  readonly hasSchema: boolean
  /** The options after the schema, which only `@Cookies` accepts. */
  readonly more?: { readonly options: unknown }
}

function input(source: InputSource, name: string, args: readonly unknown[]): unknown {
  const { key, schema, hasSchema, more } = readArguments(source, name, args)
  const whose = key === undefined ? { source } : { source, key }
  // A missing schema is passed to the checks as an invalid schema, together with its decorator.
  const described: Fact = { kind: 'input', ...whose, schema: schema as Schema, ...more }
  return decorator(`${name}()`, {
    method: described,
    field: false,
    parameter: (index) => {
      const passed: Fact = { kind: 'parameter', index, ...whose }
      return hasSchema ? [described, passed] : [passed]
    },
  })
}

function readArguments(
  source: InputSource,
  name: string,
  args: readonly unknown[],
): InputArguments {
  const [first, second] = args
  if (typeof first === 'string') {
    // Node provides header names in lower case.
    const key = source === 'headers' ? first.toLowerCase() : first
    return { key, schema: second as Schema, hasSchema: args.length > 1 }
  }
  if (source === 'cookies' && isPlain(second)) {
    return { schema: first as Schema, hasSchema: true, more: { options: second } }
  }
  // A single function may be a class that was passed instead of a schema. The checks at boot report this error.
  if (typeof first !== 'function' || second !== undefined) refuseBare(name, first, second)
  return { schema: first as Schema, hasSchema: args.length > 0 }
}
