/**
 * How often a test repeats what it does: `most` where `THOROUGH` is set, as in `.ci/run`, and `briefly` elsewhere. `npm test` has
 * to find a mistake soon, and `.ci/run` the rare ones, too.
 *
 * @param briefly Default: a tenth of `most`.
 */
export function rounds(most: number, briefly: number = Math.ceil(most / 10)): number {
  return process.env['THOROUGH'] ? most : briefly
}
