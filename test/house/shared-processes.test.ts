import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ALONE, LONG_ALONE } from '../../vitest.config.js'
import { root } from '../root.js'

const alone = [...ALONE, ...LONG_ALONE, 'test/browser/**/*.test.ts'].map(patternOf)

// A mocked module would stay mocked for later files, and would not be mocked if an earlier file has loaded it.
it('every test file that mocks a module runs in a separate process', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  const mocking = files.filter((name) =>
    /^vi\.mock\(/m.test(readFileSync(join(root, name), 'utf8')),
  )
  expect(mocking.length).toBeGreaterThan(1)
  expect(mocking.filter((name) => !alone.some((pattern) => pattern.test(name)))).toEqual([])
})

/** Of the globs in `vitest.config.ts`: names in braces, and any folders. */
function patternOf(glob: string): RegExp {
  const names = glob.replace(/\{(.*)\}/, (_, list) => `(${list.replaceAll(',', '|')})`)
  return new RegExp(`^${names.replaceAll('.', '\\.').replace('**/*', '.*')}$`)
}
