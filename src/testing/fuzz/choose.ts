/**
 * One of several, as a seed decides. Each is weighed by its name alone, so that the choice stays the same when others
 * come or go.
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

/** 32 bits of a name and a seed: FNV-1a, stirred at the end, since names often differ in their last letter alone. */
export function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39)
  return (value ^ (value >>> 15)) >>> 0
}
