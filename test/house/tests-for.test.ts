import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testsFor, unusedParts } from '../../scripts/tests-for.mjs'
import { root } from '../root.js'

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path}`)
  .filter((path) => path.endsWith('.ts'))

it('testsFor finds at least 1 and at most 150 tests for every source file', () => {
  expect(sources.length).toBeGreaterThan(500)
  const counts = sources.map((path) => ({ path, count: testsFor(path).length }))
  expect(counts.filter(({ count }) => count === 0 || count > 150)).toEqual([])
})

it('testsFor lists the tests that import a file before tests with a similar name', () => {
  expect(testsFor('src/http/units.ts')[0]).toBe('test/http/units.test.ts')
  expect(testsFor('src/features/cache/memory-cache.ts')[0]).toMatch(/test\/features\/cache\//)
  expect(testsFor('src/features/webhooks/index.ts').every(existsSync)).toBe(true)
})

it('testsFor finds no tests for files outside src', () => {
  expect(testsFor('docs/cli.md')).toEqual([])
})

it('every part of a path that testsFor uses occurs in the path of a test', () => {
  expect(unusedParts()).toEqual([])
})
