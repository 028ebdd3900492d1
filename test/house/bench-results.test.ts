import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'

const folder = join(root, 'bench/results')

/** The paths of all values inside of a value, with the values. */
function* valuesIn(value: unknown, path: string): Generator<[string, unknown]> {
  yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* valuesIn(inner, `${path}/${key}`)
}

describe.each(readdirSync(folder))('bench/results/%s', (name) => {
  const values = [...valuesIn(JSON.parse(readFileSync(join(folder, name), 'utf8')), '')]

  it('records the spread of the rounds instead of the result of every round', () => {
    // Those of `servers` are a number for each process.
    const isRaw = ([path, value]: [string, unknown]) =>
      Array.isArray(value) &&
      value.some((each) => typeof each !== 'string') &&
      !path.endsWith('/servers')
    expect(values.filter(isRaw).map(([path]) => path)).toEqual([])
    expect(values.filter(([path]) => path.endsWith('/median')).length).toBeGreaterThan(5)
  })

  it('records the command and the machine of each measurement', () => {
    const measured = values.filter(([path]) => path.endsWith('/rounds'))
    expect(measured.length).toBeGreaterThan(0)
    for (const [path] of measured) {
      const beside = Object.fromEntries(values)[path.replace(/\/rounds$/, '')]
      expect(beside, path).toMatchObject({
        command: expect.stringMatching(/^npm run bench(:\w+)? -- --nodes \d+ --rounds \d+/),
        environment: { cpu: expect.any(String), load: expect.any(Number) },
      })
    }
  })
})
