import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testsFor } from '../../scripts/tests-for.mjs'
import { defects } from '../defects/defects.js'
import { root } from '../root.js'

it('plants each defect in one place of a file', () => {
  const places = defects.map(({ id, file, replace: [from] }) => {
    const path = join(root, file)
    return [id, existsSync(path) ? readFileSync(path, 'utf8').split(from).length - 1 : 0]
  })
  expect(places.filter(([, count]) => count !== 1)).toEqual([])
})

it('changes the text of each defect', () => {
  expect(defects.filter(({ replace: [from, to] }) => from === to)).toEqual([])
})

it('gives each defect an id of its own', () => {
  expect(new Set(defects.map(({ id }) => id)).size).toBe(defects.length)
})

it('knows tests for the file of each defect', () => {
  expect(defects.filter(({ file }) => testsFor(file).length === 0)).toEqual([])
})
