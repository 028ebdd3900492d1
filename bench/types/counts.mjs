// What is judged of a check: whether a mistake was found, and what a route costs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, writeProgram } from './compilers.mjs'

/** Routes of the programs with a mistake. */
export const MISTAKE_SIZE = 20

/** What the mistake in a program is called. */
const MISTAKE = 'amonut'

const SMALL = 50
const LARGE = 100

/** Throws unless the one error that was found is where the mistake is. */
export function requireFound(name, folder, errors) {
  assert.equal(errors.length, 1, `${name}: one error must be found: ${JSON.stringify(errors)}`)
  const [{ file, line, text }] = errors
  const found = readFileSync(join(folder, file), 'utf8').split('\n')[line - 1]
  assert.ok(found.includes(MISTAKE) && text.includes(MISTAKE), `${name}: ${file}:${line}: ${text}`)
}

/** Instantiations that each further route of a program costs. Throws when the program has errors. */
export async function costOfRoute(compiler, program) {
  const counts = []
  for (const routes of [SMALL, LARGE]) {
    const folder = writeProgram(program, { routes })
    const { errors, instantiations } = await check(compiler, folder)
    assert.deepEqual(errors, [], `${program} with ${routes} routes`)
    counts.push(instantiations)
  }
  return (counts[1] - counts[0]) / (LARGE - SMALL)
}
