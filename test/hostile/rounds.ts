import { seedOfRun } from '../conformance/random.js'

/** A factor for the number of attempts; `ROUNDS=0.1` for a short run, `ROUNDS=10` for a whole night. */
const factor = Number(process.env['ROUNDS'] ?? 1)

/** The number of attempts of this run, for a number of attempts by default. */
export function rounds(count: number): number {
  return Math.max(1, Math.ceil(count * factor))
}

/** The seed of this run. Every suite prints it, so that `SEED` can repeat a failure. */
export const seed: number = seedOfRun()
