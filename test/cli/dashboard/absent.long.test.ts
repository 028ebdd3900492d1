import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { parse, specifiersOf } from '../../house/sources.js'
import { builtPackage } from '../built-package.js'

const dist = join(builtPackage(), 'dist')

/** All files that a file imports, also those that it may import later. */
function reachable(file: string, known: Set<string> = new Set()): Set<string> {
  if (known.has(file)) return known
  known.add(file)
  const tree = parse(file, readFileSync(file, 'utf8'))
  for (const specifier of specifiersOf(tree)) {
    if (specifier.startsWith('.')) reachable(join(dirname(file), specifier), known)
  }
  return known
}

it('no module that an application can load contains the dashboard', () => {
  const files = [...reachable(join(dist, 'index.js'))].filter((file) => file.endsWith('.js'))
  expect(files.length).toBeGreaterThan(50)
  const withPage = files.filter((file) =>
    /class (?:Dashboard|Journal)\b/.test(readFileSync(file, 'utf8')),
  )
  expect(withPage).toEqual([])
  expect(
    files.map((file) => relative(dist, file)).filter((path) => path.startsWith('cli/')),
  ).toEqual([])
  // The check finds it where it is.
  const ofCommand = [...reachable(join(dist, 'cli/main.js'))]
  expect(ofCommand.some((file) => /class Journal\b/.test(readFileSync(file, 'utf8')))).toBe(true)
})
