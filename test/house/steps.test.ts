import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STEPS } from '../../src/pipeline/route-steps.js'
import { root } from '../root.js'

/** The rows of the table of steps in a document, as cells without backticks around the whole cell. */
function rowsIn(document: string): string[][] {
  const lines = readFileSync(join(root, document), 'utf8').split('\n')
  const head = lines.findIndex((line) => line.startsWith('| Phase | Step | What it does |'))
  const body = lines.slice(head + 2)
  return body.slice(0, body.indexOf('')).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  )
}

/** The name of a phase stands in front of its first step. */
const steps = STEPS.map(({ phase, name, does }, index) => [
  STEPS[index - 1]?.phase === phase ? '' : phase,
  name,
  does,
])

describe('the list of steps', () => {
  it('lists the steps of each phase together', () => {
    const phases = STEPS.map(({ phase }) => phase).filter(
      (phase, index, all) => all[index - 1] !== phase,
    )
    expect(phases).toEqual([...new Set(phases)])
    expect(phases).toHaveLength(8)
  })

  it('matches the table in docs/express.md', () => {
    expect(rowsIn('docs/express.md')).toEqual(steps)
  })

  it('contains the same steps in the same order as ARCHITECTURE.md', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const shown = text.match(/`\w+`(?:\s+→\s+`\w+`)+/g) ?? []
    const named = shown.map((list) => [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(named).toEqual([STEPS.map(({ name }) => name)])
  })
})
