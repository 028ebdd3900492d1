import { randomBytes } from 'node:crypto'
import type { Request, Response } from '../../contracts/handler.js'
import type { NumberedPage, PageQuery, PageResult } from '../../contracts/numbered-pages.js'
import type { PagesDefinition } from '../../contracts/pages.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { StepFactory } from '../../contracts/steps.js'
import { Clock } from '../../di/clock.js'
import { cursorPages, type OpenPage } from './cursor-page.js'
import { type Links, linkHeader } from './page-links.js'
import { orderFor } from './page-orders.js'

/**
 * Reads the requested pages, on routes with `@Paged`. An application loads it if it has such a route.
 *
 * @param cookieKeys Returns the keys of cursors, after the start. Without a key, a random one is used.
 */
export function pagesPlugin(cookieKeys: () => readonly string[]): Plugin {
  let used: readonly string[] | undefined
  return {
    name: 'pages',
    steps(route, { get }) {
      if (route.pages === null) return null
      const { pages } = route
      const clock = get(Clock)
      const keys = cookieKeys()
      used ??= keys.length > 0 ? keys : [randomBytes(32).toString('base64url')]
      const open: OpenPage =
        pages.kind === 'cursor'
          ? cursorPages(route, pages, { keys: used, now: () => clock.now() })
          : (req, res) => numberedPage(pages, req, res)
      const beforeHandler: StepFactory = (next) =>
        function readPage(req, res) {
          Object.assign(req, { page: open(req, res) })
          return next(req, res)
        }
      return { beforeHandler }
    },
  }
}

/** Reads the requested page number. */
function numberedPage(
  { orders, hasTotal }: PagesDefinition,
  req: Request,
  res: Response,
): NumberedPage {
  const { page, pageSize } = req.validated.query as PageQuery
  const of = <T extends object>(
    rows: readonly T[],
    given?: number | bigint,
  ): PageResult<T, boolean> => {
    const total = hasTotal ? wholeTotal(given) : null
    const isLast = total === null ? rows.length <= pageSize : page * pageSize >= total
    const next = isLast ? null : page + 1
    res.append('Link', linkHeader(req, 'page', linksOf({ page, pageSize, total, next })))
    const items = rows.slice(0, pageSize)
    return { items, page, pageSize, next, ...(total !== null && { total }) }
  }
  return Object.freeze({
    page,
    pageSize,
    offset: (page - 1) * pageSize,
    take: hasTotal ? pageSize : pageSize + 1,
    order: orderFor(orders, req.validated.query as object),
    hasTotal,
    of,
  })
}

interface PageNumbers {
  readonly page: number
  readonly pageSize: number
  readonly total: number | null
  readonly next: number | null
}

function linksOf({ page, pageSize, total, next }: PageNumbers): Links {
  const last = total === null ? null : Math.max(1, Math.ceil(total / pageSize))
  return {
    first: 1,
    // The page before a page after the end is the last one.
    prev: page === 1 ? null : Math.min(page - 1, last ?? page),
    next,
    last,
  }
}

function wholeTotal(given: number | bigint | undefined): number {
  const total = typeof given === 'bigint' ? Number(given) : given
  if (total !== undefined && Number.isSafeInteger(total) && total >= 0) return total
  const is = typeof given === 'number' ? String(given) : typeof given
  throw new TypeError(
    `page.of(rows, total): the total is ${is}. Give the number of items of all pages, or describe the list with \`total: false\`.`,
  )
}
