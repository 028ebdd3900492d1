import type { InputDecorator } from '../contracts/decorator.js'
import type { Fact } from '../contracts/facts.js'
import type { Request } from '../contracts/handler.js'
import type { PagedRequest, Pages, PagesDefinition } from '../contracts/pages.js'
import { decorator, refuseBare } from './write.js'

/**
 * The type of the request in a handler of a `@Paged` route. It contains `page`, the requested page, and `query`, the
 * validated query with the filter parameters.
 *
 * @example
 * list({ page, query }: Paged<typeof OrderPages>) {
 *   return page.of(await orders.after(page.after, page.take, query.status))
 * }
 */
// biome-ignore lint/suspicious/noExplicitAny: pages of any list
export type Paged<TPages extends Pages<any>> = PagedRequest<TPages>

/**
 * Makes a route return pages of a list. The decorator validates the query, checks the cursor, and describes the 200
 * response and its `Link` header (RFC 8288). It replaces `@Query`, and `@ApiResponseDoc` for the status 200. In route
 * options, use the `paged` option. A page number or size that is too large results in a 400 response. A cursor that was
 * changed, is too old, or belongs to another tenant, route, filter or order also results in a 400 response
 * (`CURSOR_INVALID`). If the list has several orders, the query parameter `sort` selects one of them.
 *
 * @param pages The result of `cursor` or `page`.
 * @throws TypeError if the argument is anything else.
 * @example
 * const OrderPages = cursor(Order, { order: ['-placedAt', 'id'] })
 *
 * class OrdersController {
 *   @Get()
 *   @Paged(OrderPages)
 *   async list({ page }: Paged<typeof OrderPages>) {
 *     return page.of(await orders.after(page.after, page.take))
 *   }
 * }
 */
// biome-ignore-start lint/suspicious/noRedeclare: a type and a decorator share the name
// biome-ignore-start lint/suspicious/noExplicitAny: the parts that the decorator does not describe stay as they are
export function Paged<TQuery, TPage>(
  pages: Pages<TQuery, TPage>,
): InputDecorator<
  Request<any, any, TQuery> & Pick<PagedRequest<Pages<TQuery, TPage>>, 'page'>,
  TQuery
>
// biome-ignore-end lint/suspicious/noExplicitAny: as above
// biome-ignore-end lint/suspicious/noRedeclare: as above
export function Paged(pages: Pages<unknown>, ...rest: unknown[]): unknown {
  refuseBare('@Paged', pages, rest[0])
  const facts = pagesFacts(pages, '@Paged')
  if (facts.length === 0) throw new TypeError('Pass the result of cursor() or page() to @Paged().')
  return decorator('@Paged()', { method: facts, field: false })
}

/**
 * Returns the facts about a paged list that `cursor` or `page` describes; empty for any other value, which the caller
 * must refuse.
 */
export function pagesFacts(given: unknown, by: string): readonly Fact[] {
  const pages = definitionOf(given)
  if (pages === undefined) return []
  const { query, response: schema } = pages
  return [
    { kind: 'pages', pages },
    { kind: 'input', source: 'query', schema: query, by },
    { kind: 'responseDoc', options: { status: 200, description: 'One page of the list', schema } },
  ]
}

/** Returns the definition in the result of `cursor` or `page`; `undefined` for any other value. */
function definitionOf(given: unknown): PagesDefinition | undefined {
  return (given as { readonly definition?: PagesDefinition } | null | undefined)?.definition
}
