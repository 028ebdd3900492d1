import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const FOLDER = new URL('../journeys/attacks/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')

/** The tests that the list names, as `file: title`. */
const listed = [...read('README.md').matchAll(/\| `([\w-]+)`: (.+) \|$/gm)].map(
  ([, file, title]) => `${file}: ${title}`,
)

/** The tests that there are. A title stands after `it(`, or after the cases of `it.each(…)`. */
const written = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) =>
    [...read(name).matchAll(/^ {2}(?:it\(|it\.each\(.*\]\)\(|\]\)\()(['"])(.+?)\1,/gm)].map(
      ([, , title]) => `${name.replace('.test.ts', '')}: ${title}`,
    ),
  )

describe('the list of attacks', () => {
  it('names exactly the tests in its folder', () => {
    expect(written.length).toBeGreaterThan(50)
    expect([...new Set(listed)].sort()).toEqual([...new Set(written)].sort())
  })

  it('states for each attack whether it was refused, repaired, or accepted by design', () => {
    const rows = read('README.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:Attempt|---)/.test(line))
    const results = rows.map((row) => row.split(' | ')[2] ?? '')
    const known = /^(?:refused|repaired|by design|reaches no route)/
    expect(results.filter((result) => !known.test(result))).toEqual([])
  })
})
