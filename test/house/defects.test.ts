import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testsFor } from '../../scripts/tests-for.mjs'
import { defects } from '../defects/defects.js'
import { root } from '../root.js'

it('the text that a defect replaces occurs exactly once in its file', () => {
  const places = defects.map(({ id, file, replace: [from] }) => {
    const path = join(root, file)
    return [id, existsSync(path) ? readFileSync(path, 'utf8').split(from).length - 1 : 0]
  })
  expect(places.filter(([, count]) => count !== 1)).toEqual([])
})

it('each defect changes the text of its file', () => {
  expect(defects.filter(({ replace: [from, to] }) => from === to)).toEqual([])
})

it('each defect has a unique ID', () => {
  expect(new Set(defects.map(({ id }) => id)).size).toBe(defects.length)
})

it('each defect is in a file that has tests', () => {
  expect(defects.filter(({ file }) => testsFor(file).length === 0)).toEqual([])
})
