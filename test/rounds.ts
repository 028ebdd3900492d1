/** The share of the repetitions to run, from 0 to 1. `.ci/run` sets a part of 1, and a longer search for rare mistakes sets 1. */
const share = Number(process.env['THOROUGH'] ?? 0)

/**
 * The number of repetitions in a test: the given share of `most`, but at least `briefly`. `npm test` has to find a mistake soon, so its
 * share is 0.
 *
 * @param briefly Default: a tenth of `most`.
 */
export function rounds(most: number, briefly: number = Math.ceil(most / 10)): number {
  return Math.max(briefly, Math.ceil(most * share))
}
