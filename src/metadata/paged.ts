import type { InputDecorator } from '../contracts/decorator.js'
import type { Request } from '../contracts/handler.js'
import type { Pages } from '../contracts/pages.js'
import { decorator, refuseBare } from './write.js'

/**
 * Makes a route return pages of a list: it validates the query, checks the cursor, and describes the response with
 * status 200 and its `Link` header (RFC 8288). A page number or a size that is too large is refused with 400. It takes the place of `@Query` and of `@ApiResponseDoc` for status 200.
 * A cursor that was changed, is too old, or belongs to another tenant, route, filter or order is refused with 400
 * (`CURSOR_INVALID`). If the list has several orders, the query parameter `sort` chooses one.
 *
 * @param pages The result of `cursor` or of `page`.
 * @throws TypeError if the argument is anything else.
 * @example
 * const OrderPages = cursor(Order, { order: ['-placedAt', 'id'] })
 *
 * class OrdersController {
 *   @Get()
 *   @Paged(OrderPages)
 *   async list(req: Req<{ query: typeof OrderPages.query }>) {
 *     const page = OrderPages.of(req)
 *     return page.make(await orders.after(page.after, page.take))
 *   }
 * }
 */
// biome-ignore-start lint/suspicious/noExplicitAny: the parts that the decorator does not describe stay as they are
export function Paged<TQuery>(
  pages: Pages<TQuery>,
): InputDecorator<Request<any, any, TQuery>, TQuery>
// biome-ignore-end lint/suspicious/noExplicitAny: as above
export function Paged(pages: Pages<unknown>, ...rest: unknown[]): unknown {
  refuseBare('@Paged', pages, rest[0])
  const definition = pages?.definition
  if (definition === undefined)
    throw new TypeError('@Paged() needs the result of cursor() or page().')
  const { query, response } = definition
  return decorator('@Paged()', {
    method: [
      { kind: 'pages', pages: definition },
      { kind: 'input', source: 'query', schema: query, by: '@Paged' },
      {
        kind: 'responseDoc',
        options: { status: 200, description: 'One page of the list', schema: response },
      },
    ],
  })
}
