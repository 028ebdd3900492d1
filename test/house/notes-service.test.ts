import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../root.js'
import { parse, specifiersOf } from './sources.js'

const path = 'test/journeys/field-routes/notes-service.test.ts'
const text = readFileSync(join(root, path), 'utf8')

it('a service with five routes and its tests needs at most 50 lines and 10 imported names', () => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  expect(lines.length).toBeLessThanOrEqual(50)
  expect(text.match(/ = (?:get|post|put|del)\('/g)).toHaveLength(5)
  const own = specifiersOf(parse(path, text)).filter((name) => name.startsWith('blazon'))
  expect(own).toEqual(['blazon', 'blazon/testing'])
  const names = [...text.matchAll(/^import \{ (.*) \} from 'blazon/gm)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  expect(names).toContain('TestApp')
  expect(names.length).toBeLessThanOrEqual(10)
})
