import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STEPS } from '../../src/pipeline/route-steps.js'
import { root } from './sources.js'

/** The rows of the table of steps in a document, as cells without backticks around the whole cell. */
function rowsIn(document: string): string[][] {
  const lines = readFileSync(join(root, document), 'utf8').split('\n')
  const head = lines.findIndex((line) => line.startsWith('| Step | What it does |'))
  const body = lines.slice(head + 2)
  return body.slice(0, body.indexOf('')).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replace(/^`([^`]*)`$/, '$1')),
  )
}

const steps = STEPS.map(({ name, does }) => [name, does])

describe('the table of steps', () => {
  it('in docs/express.md is the list', () => {
    expect(rowsIn('docs/express.md')).toEqual(steps)
  })

  it('in ARCHITECTURE.md is the list, with files that exist', () => {
    const rows = rowsIn('ARCHITECTURE.md')
    expect(rows.map(([name, does]) => [name, does])).toEqual(steps)
    const files = rows.map(([, , file = '']) => file)
    expect(files.filter((file) => !file || !existsSync(join(root, 'src', file)))).toEqual([])
  })
})
