import type { ContractOf } from '../../contracts/route-contract.js'
import type { AppModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'

const LINK = {
  description: 'The URL of the next page, with `rel="next"` (RFC 8288); absent on the last page',
  schema: { type: 'string' },
} as const

/** Adds the header of pages to the operations that have them. */
export const pagesContract: ContractOf = ({ pages }) =>
  pages === null ? null : { errors: [400], headers: { Link: LINK } }

/** Warns of cursors that only one process can read. */
export function checkPages({ routes }: AppModel, keys: readonly string[]): Problem[] {
  const paged = routes.filter(({ pages }) => pages !== null)
  if (paged.length === 0 || keys.length > 0) return []
  return [
    {
      code: 'W_PAGES_WITHOUT_KEYS',
      subject: paged.map(({ name }) => name).join(', '),
      cause:
        'Nothing has keys for its cursors, so they are signed with a random key: they are refused after a restart, and by other processes.',
      remedy: 'Give `cookies.keys`: random keys, each made by `openssl rand -base64 32`.',
    },
  ]
}
