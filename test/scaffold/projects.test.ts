import { describe, expect, it } from 'vitest'
import { MANAGERS, NODES, nameOf } from './programs.js'
import { ALL, type Made, type Row, SHORT } from './projects.js'

/** The kinds of choices, with what each may be. */
const CHOICES = {
  template: ['minimal', 'service', 'saas'],
  manager: ['npm', 'pnpm', 'yarn'],
  decorators: ['standard', 'legacy'],
  test: ['vitest', 'node'],
  typescript: ['5.9', '6', '7'],
} as const satisfies Record<keyof Made, readonly string[]>

const KINDS = Object.keys(CHOICES) as (keyof Made)[]

const choiceOf = (row: Row, kind: keyof Made) =>
  kind === 'manager' ? nameOf(row.manager) : row[kind]

/** The pairs of choices of two kinds that meet in no project. */
function missingPairs(rows: readonly Row[]): string[] {
  const missing: string[] = []
  for (const [index, one] of KINDS.entries()) {
    for (const other of KINDS.slice(index + 1)) {
      for (const a of CHOICES[one]) {
        for (const b of CHOICES[other]) {
          const meet = rows.some((row) => choiceOf(row, one) === a && choiceOf(row, other) === b)
          if (!meet) missing.push(`${a} with ${b}`)
        }
      }
    }
  }
  return missing
}

describe('the whole matrix', () => {
  it('contains each template with npm and pnpm and the default options on each Node version', () => {
    for (const template of CHOICES.template) {
      for (const manager of ['npm', 'pnpm']) {
        expect(ALL).toContainEqual({
          template,
          manager,
          decorators: 'standard',
          test: 'vitest',
          typescript: '7',
          nodes: NODES,
        })
      }
    }
  })

  it('contains each pair of choices for two options', () => {
    expect(missingPairs(ALL)).toEqual([])
    expect(missingPairs(ALL.slice(0, 6))).toContain('minimal with yarn')
  })
})

describe('the short matrix', () => {
  it('contains each choice, each package manager and each Node version', () => {
    for (const kind of KINDS) {
      const chosen = SHORT.map((row) => choiceOf(row, kind))
      expect(chosen).toEqual(expect.arrayContaining([...CHOICES[kind]]))
    }
    expect(new Set(SHORT.map(({ manager }) => manager))).toEqual(new Set(MANAGERS))
    const triedOn = (template: string) =>
      SHORT.filter((row) => row.template === template).flatMap(({ nodes }) => nodes)
    // The largest template has the most that can differ between versions.
    expect(new Set(triedOn('saas'))).toEqual(new Set(NODES))
    expect(new Set([...triedOn('minimal'), ...triedOn('service')])).toEqual(new Set(NODES))
  })
})
