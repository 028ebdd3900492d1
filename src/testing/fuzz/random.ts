import { loadPeer } from '../../errors/peer-floor.js'

export type FastCheck = typeof import('fast-check')

/**
 * Loads fast-check.
 *
 * @param who The function that needs it, for the error message.
 * @throws ConfigError if fast-check is not installed or is too old.
 */
export function loadFastCheck(who: string = 'fuzz()'): Promise<FastCheck> {
  const use = {
    subject: who,
    origin: import.meta.url,
    install: 'npm install --save-dev fast-check',
  }
  return loadPeer('fast-check', use, () => import('fast-check'))
}

/**
 * Chooses one candidate by a seed. The weight of a candidate depends only on its name and the seed. So the choice
 * changes only if an added candidate is chosen, or if the chosen candidate is removed.
 */
export function choose<T>(
  candidates: readonly T[],
  nameOf: (candidate: T) => string,
  seed: number,
): T | undefined {
  let best: T | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const weight = hash(nameOf(candidate), seed)
    if (weight >= least) continue
    best = candidate
    least = weight
  }
  return best
}

/**
 * A 32-bit hash of a string and a seed: FNV-1a with a final mix, because names often differ only in their last letter.
 */
export function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39)
  return (value ^ (value >>> 15)) >>> 0
}
