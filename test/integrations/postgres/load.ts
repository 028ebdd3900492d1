import { expect } from 'vitest'
import { HALVES } from './pairs.js'

/** The codes of responses while the database does not work. */
export const OUTAGE = /^(?:DATABASE_(?:BUSY|TIMEOUT|UNAVAILABLE)|COMMIT_UNKNOWN)$/

/** Sends requests until `stop` is called, and records the outcome of each. */
export function startLoad(
  add: (name: string) => Promise<{ status: number; code: string | undefined }>,
): { outcomes: Map<string, string>; stop: () => Promise<void> } {
  const outcomes = new Map<string, string>()
  let isOver = false
  const workers = Array.from({ length: 6 }, async (_, worker) => {
    for (let i = 0; !isOver; i++) {
      const name = `load-${worker}-${i}`
      const { status, code } = await add(name)
      outcomes.set(name, status === 201 ? 'saved' : `${status} ${code}`)
      if (status !== 201) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(workers)
  }
  return { outcomes, stop }
}

/**
 * Expects that the database holds the rows of each request with a 201, and no rows of requests that failed. A request
 * with `COMMIT_UNKNOWN` may have rows or not.
 *
 * @param look Runs a statement as the superuser.
 */
export async function expectTrueOutcomes(
  outcomes: Map<string, string>,
  look: (text: string) => Promise<Record<string, unknown>[]>,
): Promise<void> {
  expect(await look(HALVES)).toEqual([])
  const rows = await look("select distinct note from orders where note like 'load-%'")
  const found = new Set(rows.map(({ note }) => note))
  for (const [name, outcome] of outcomes) {
    if (outcome === 'saved') expect(found, name).toContain(name)
    else if (outcome !== '503 COMMIT_UNKNOWN')
      expect(found, `${name}: ${outcome}`).not.toContain(name)
  }
}

/** Expects that each request succeeded or failed with a 503 and a code of {@link OUTAGE}. */
export function expectOutages(outcomes: Map<string, string>): void {
  const others = [...outcomes.values()].filter(
    (outcome) =>
      outcome !== 'saved' && !(outcome.startsWith('503 ') && OUTAGE.test(outcome.slice(4))),
  )
  expect(others).toEqual([])
}

/** How many requests have succeeded. */
export const saved = (outcomes: Map<string, string>): number =>
  [...outcomes.values()].filter((outcome) => outcome === 'saved').length
/** How many requests have failed. */
export const lost = (outcomes: Map<string, string>): number => outcomes.size - saved(outcomes)
