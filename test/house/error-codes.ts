import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { HTTP_CODES } from '../../src/errors/codes.js'
import { readSources } from './sources.js'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Rows of the tables of `docs/errors.md`: the code, and the cells after it. */
const documented = new Map(
  [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` *\|(.*)\|$/gm)].map(([, code, cells]) => [
    code as string,
    (cells as string).split('|').map((cell) => cell.trim()),
  ]),
)
const isConfigCode = (code: string) => /^[EW]_/.test(code)

/** The members of `ConfigCode`, read from its text, because a type does not exist at run time. */
const configCodes = [...read('src/errors/codes.ts').matchAll(/'([EW]_[A-Z_]+)'/g)].map(
  ([, code]) => code as string,
)

describe('docs/errors.md', () => {
  it('lists exactly the codes of error responses, each with its status', () => {
    const rows = [...documented].filter(([code]) => !isConfigCode(code))
    expect(Object.fromEntries(rows.map(([code, [status]]) => [code, Number(status)]))).toEqual(
      HTTP_CODES,
    )
  })

  it('lists exactly the codes of boot errors', () => {
    expect([...documented.keys()].filter(isConfigCode).sort()).toEqual([...configCodes].sort())
    expect(configCodes.length).toBeGreaterThan(20)
  })

  it('explains the meaning and the remedy of every code', () => {
    for (const [code, cells] of documented) {
      expect(
        cells.filter((cell) => cell !== ''),
        code,
      ).toHaveLength(isConfigCode(code) ? 2 : 3)
    }
  })
})

describe('the codes of boot errors', () => {
  it('are all used in src/', () => {
    const source = readSources()
      .filter(({ path }) => path !== 'errors/codes.ts')
      .map(({ text }) => text)
      .join('\n')
    const unused = configCodes.filter((code) => !source.includes(`'${code}'`))
    expect(unused).toEqual([])
  })
})
