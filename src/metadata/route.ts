import type { MethodOnlyDecorator, RouteDecorator } from '../contracts/decorator.js'
import type { Fact } from '../contracts/facts.js'
import type { HttpMethod } from '../contracts/route-model.js'
import type { NoOthers, RouteOptions } from '../contracts/route-options.js'
import { ConfigError, shown } from '../errors/config-error.js'
import { optionFacts } from './route-options.js'
import { decorator, refuseBare } from './write.js'

/**
 * The signature of all route decorators: a path relative to the controller's path, empty by default, and
 * {@link RouteOptions}. The schemas work like the schemas in `@Params`, `@Query`, `@Headers`, `@Cookies` and `@Body`.
 * Describe each request part in only one place. As with `@Body`, a body can have options, and there can be several
 * bodies: `{ body: { schema, type: 'form' } }`. `{ upload: parts }` describes a form with files, like `@Upload`. The
 * compiler compares the request type of the handler with all schemas, and its return type with `returns`.
 *
 * @example
 * const input = { params: z.object({ id: z.coerce.number() }), body: Rename }
 *
 * @Put(':id', { ...input, returns: User, errors: { 404: 'No such user' } })
 * rename({ params, body }: Req<typeof input>) { return users.rename(params.id, body.name) }
 */
export interface VerbDecorator {
  (path?: string): MethodOnlyDecorator
  <const I extends RouteOptions>(path: string, options: I & NoOthers<I>): RouteDecorator<I>
}

function verb(method: HttpMethod, name: string): VerbDecorator {
  function declareRoute(path = '', ...rest: unknown[]): unknown {
    refuseBare(name, path, rest[0])
    const route: Fact = { kind: 'route', method, path: pathArgument(name, path) }
    const inputs = rest.length === 0 ? [] : optionFacts(name, rest[0])
    return decorator(`${name}()`, { method: [route, ...inputs], field: false })
  }
  return declareRoute as VerbDecorator
}

/**
 * Handles `GET`, and `HEAD` unless a `@Head` route has the same path.
 *
 * @example
 * @Get(':id')
 * getById(req: Request) { return users.get(req.params.id) }
 */
export const Get: VerbDecorator = verb('GET', '@Get')

/**
 * Handles `QUERY` (RFC 10008): a read request like `GET`, but with a body, for input that is too long or too
 * confidential for a URL. The method is safe and idempotent. Its responses can be cached with {@link Cache}, whose key
 * then contains the body. A request without a `Content-Type` header is refused with a 415 response, and responses list
 * the accepted types in `Accept-Query`.
 *
 * @throws ConfigError at boot: `E_QUERY_METHOD` if the parser of the running Node version does not support the method.
 * Node 20 supports it from 20.19.2 on, and Node 22 and later versions always support it.
 * @see docs/query-method.md
 * @example
 * @QueryMethod('search', { body: z.object({ ids: z.array(z.uuid()).max(500) }) })
 * search({ body }: Request) { return users.findAll(body.ids) }
 */
export const QueryMethod: VerbDecorator = verb('QUERY', '@QueryMethod')

/** Handles `POST`. @example @Post() create(req: Request) { return users.add(req.body) } */
export const Post: VerbDecorator = verb('POST', '@Post')

/** Handles `PUT`. @example @Put(':id') replace(req: Request) { return users.set(req.params.id, req.body) } */
export const Put: VerbDecorator = verb('PUT', '@Put')

/** Handles `PATCH`. @example @Patch(':id') update(req: Request) { return users.patch(req.params.id, req.body) } */
export const Patch: VerbDecorator = verb('PATCH', '@Patch')

/** Handles `DELETE`. @example @Delete(':id') remove(req: Request) { users.remove(req.params.id) } */
export const Delete: VerbDecorator = verb('DELETE', '@Delete')

/**
 * Handles `HEAD`, replacing the automatic route.
 *
 * @example
 * @Head(':id') exists(req: Request, res: Response) { res.end() }
 */
export const Head: VerbDecorator = verb('HEAD', '@Head')

/**
 * Handles `OPTIONS`, replacing the automatic route.
 *
 * @example
 * @Options() options(req: Request, res: Response) { res.end() }
 */
export const Options: VerbDecorator = verb('OPTIONS', '@Options')

/**
 * Handles `GET`, `QUERY`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` and `OPTIONS` if no other route with the same path
 * handles the method. Other methods are refused with a 405 response.
 *
 * @example
 * @All('echo')
 * echo(req: Request) { return { method: req.method } }
 */
export const All: VerbDecorator = verb('ALL', '@All')

/** Refuses a path of an invalid type, which JavaScript code may pass. */
export function pathArgument(name: string, path: unknown): string {
  if (typeof path === 'string') return path
  throw new ConfigError([
    {
      code: 'E_DECORATOR_TARGET',
      subject: name,
      cause: `${name} was given ${shown(path)} instead of a path.`,
      remedy: 'Pass a string, or omit the path.',
    },
  ])
}
