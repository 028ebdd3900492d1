import type { CacheDecoratorOptions } from './cache.js'
import type { InputSchemas } from './handler.js'
import type { ApiResponseOptions } from './operation.js'
import type { Pages } from './pages.js'
import type { RateLimitPolicy } from './rate-limit.js'
import type { Schema } from './schema.js'

/**
 * The second argument of `@Get`, `@Post` and the other route decorators: the schemas of the request, and what else a
 * decorator of the method could state. An option means the same as its decorator; each may be stated once.
 *
 * @example
 * @Get(':id', { params: NoteId, returns: Note, errors: { 404: 'No such note' } })
 * get({ params }: { params: NoteId }) { return notes.find(params.id) }
 */
export interface RouteOptions extends InputSchemas {
  /**
   * The schema of the data that a success carries, as in `@ApiResponseDoc` with the status of the route. The type that
   * the handler returns must fit it, or it does not compile. A handler that takes `res` is not compared.
   */
  readonly returns?: Schema
  /** The pages of a list, as in `@Paged`: the result of `cursor` or of `page`. */
  // biome-ignore lint/suspicious/noExplicitAny: pages of any list
  readonly paged?: Pages<any>
  /** The status of a success, 200 to 399, as in `@HttpCode`. Default: 200, or 204 for nothing, unless `defaultStatus` has another one. */
  readonly status?: number
  /** The errors of the document by status, 400 to 599: a description, or the options of `@ApiResponseDoc`. */
  readonly errors?: Readonly<Record<number, string | Omit<ApiResponseOptions, 'status'>>>
  /** Headers of the response by name, as in `@Header`. `headers` is the schema of the request's headers. */
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
 * Makes an unknown option a compile error. Known options are `unknown`, because the compiler would resolve their types
 * for every route.
 */
export type NoOthers<I> = {
  readonly [K in keyof I]: K extends keyof RouteOptions ? unknown : never
}
