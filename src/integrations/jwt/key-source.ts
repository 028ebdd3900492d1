import type { TokenHeader } from './parse-token.js'
import type { VerificationKey } from './verification-key.js'

/** Where the keys of tokens come from. */
export interface KeySource {
  /** The keys that may have signed a token: none for a token of an unknown key. */
  find(header: TokenHeader): readonly VerificationKey[] | Promise<readonly VerificationKey[]>
  /** Called for each request whose token is in the cache: old keys are read again, in the background. */
  keepFresh(): void
  /** Ends the work in progress. */
  close(): void
}

/** Without a `kid`, each key is tried, so a token costs as many verifications. */
const MOST_TRIALS = 8

/** The keys for the algorithm and the `kid` of a token. The key must allow the algorithm. */
export function matching(
  keys: readonly VerificationKey[],
  { alg, kid }: TokenHeader,
): readonly VerificationKey[] {
  const found = keys.filter(
    (key) => (kid === undefined || key.kid === kid) && key.algorithms.includes(alg as never),
  )
  return found.length > MOST_TRIALS ? [] : found
}

/** Keys that never change. A token whose `kid` belongs to no key may be of a key without a `kid`. */
export function fixedKeys(keys: readonly VerificationKey[]): KeySource {
  return {
    find(header) {
      if (header.kid === undefined || keys.some(({ kid }) => kid === header.kid)) {
        return matching(keys, header)
      }
      const nameless = keys.filter(({ kid }) => kid === undefined)
      return matching(nameless, { ...header, kid: undefined })
    },
    keepFresh() {},
    close() {},
  }
}
