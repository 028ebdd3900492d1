import type { ContractOf } from '../../contracts/route-contract.js'
import type { AppModel } from '../../contracts/route-model.js'
import { type Problem, sharedProblem } from '../../errors/config-error.js'

const LINKS = {
  cursor: 'The URL of the next page, with `rel="next"` (RFC 8288); absent on the last page',
  numbered:
    'The URLs of other pages (RFC 8288), with `rel` one of `first`, `prev`, `next` and, if the total is known, `last`',
}

/** Adds the `Link` response header to the operations of paged lists. */
export const pagesContract: ContractOf = ({ pages }) => {
  if (pages === null) return null
  const Link = { description: LINKS[pages.kind], schema: { type: 'string' } }
  return { errors: [400], headers: { Link } }
}

/** Warns if cursors are valid in only one process. */
export function checkPages(
  { routes }: AppModel,
  { keys, source }: { readonly keys: readonly string[]; readonly source: unknown },
): Problem[] {
  if (keys.length > 0 || source !== null) return []
  const paged = routes.filter(({ pages }) => pages?.kind === 'cursor')
  return sharedProblem(paged, {
    code: 'W_PAGES_WITHOUT_KEYS',
    cause:
      'No keys for its cursors are configured, so the cursors are signed with a random key: they are refused after a restart, and by other processes.',
    remedy:
      'Set `cookies.keys` to random keys, each generated with `openssl rand -base64 32`, or to a function: ({ get }) => get(Env).COOKIE_KEYS.',
  })
}
