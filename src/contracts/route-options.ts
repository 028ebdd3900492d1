import type { CacheDecoratorOptions } from './cache.js'
import type { InputSchemas } from './handler.js'
import type { ApiResponseOptions } from './operation.js'
import type { Pages } from './pages.js'
import type { RateLimitPolicy } from './rate-limit.js'
import type { Schema } from './schema.js'

/**
 * The second argument of `@Get`, `@Post` and the other route decorators: the schemas of the request, and options that
 * correspond to method decorators. Set either the option or its decorator, not both.
 *
 * @example
 * @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
 * get({ params }: { params: NoteId }) { return notes.find(params.id) }
 */
export interface RouteOptions extends InputSchemas {
  /**
   * The schema of the data in a success response, as in `@ApiResponseDoc` with the status of the route. If the return
   * type of the handler does not match the schema, a compile error occurs. A handler with a parameter `res` is not
   * checked.
   */
  readonly returns?: Schema
  /** The pages of a list, as in `@Paged`: the result of `cursor` or of `page`. */
  // biome-ignore lint/suspicious/noExplicitAny: pages of any list
  readonly paged?: Pages<any>
  /**
   * The status of a success response, 200 to 399, as in `@HttpCode`. Default: 200, or 204 without data, unless
   * `defaultStatus` specifies another status.
   */
  readonly status?: number
  /**
   * The error responses in the OpenAPI document, by status (400 to 599): a description, or the options of
   * `@ApiResponseDoc`.
   */
  readonly errors?: Readonly<Record<number, string | Omit<ApiResponseOptions, 'status'>>>
  /** Response headers by name, as in `@Header`. The option `headers` is the schema of the request headers. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** The summary of the operation, as in `@ApiOperation`. Default: the method's name in Title Case. */
  readonly summary?: string
  /** The abilities that the user must have (all of them), as in `@Can`. */
  readonly can?: string | readonly string[]
  /** How long success responses are cached, as in `@Cache`. */
  readonly cache?: CacheDecoratorOptions
  /** Limits of the route, as in `@RateLimit`; `false` for no limit. */
  readonly rateLimit?: RateLimitPolicy | readonly RateLimitPolicy[] | false
}

/**
 * Makes an unknown option a compile error. Known options have the type `unknown`, because the compiler would otherwise
 * resolve their types for every route.
 */
export type NoOthers<I> = {
  readonly [K in keyof I]: K extends keyof RouteOptions ? unknown : never
}
