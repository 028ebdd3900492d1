import { seedOfRun } from '../conformance/random.js'

/** How many times as much is tried as by default; `ROUNDS=0.1` for a look, `ROUNDS=10` for a night. */
const factor = Number(process.env['ROUNDS'] ?? 1)

/** A number of attempts, by how much this run is to try. */
export function rounds(count: number): number {
  return Math.max(1, Math.ceil(count * factor))
}

/** Where this run's random choices begin. Printed by every suite, so that `SEED` brings back what failed. */
export const seed: number = seedOfRun()
