import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOORS, readSources } from '../house/sources.js'
import { read, root } from './markdown.js'

const text = read('ARCHITECTURE.md')
const sources = readSources().map(({ path }) => path)

describe('ARCHITECTURE.md', () => {
  it('has at most 300 lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(300)
  })

  it('shows the layers that test/house/layers.ts checks', () => {
    const rows = [...text.matchAll(/^(\d) {2}\w+ +(.*)$/gm)]
    const shown = Object.fromEntries(rows.map(([, floor, rooms]) => [floor, rooms?.split(/ +/)]))
    expect(shown).toEqual(Object.fromEntries(FLOORS.map((rooms, floor) => [floor, rooms])))
  })

  it('describes every folder of the source', () => {
    const described = [...text.matchAll(/^\| `([a-z*]+(?:\/index)?)(?:\/\*?|\.ts)` *\|/gm)].map(
      ([, room]) => room,
    )
    const rooms = FLOORS.flat().map((room) => room.replace('/*', ''))
    expect(described.sort()).toEqual(rooms.sort())
  })

  it('answers at most 40 questions', () => {
    const table = text.slice(text.indexOf('| Question | Place |'), text.indexOf('## Floors'))
    const rows = table.match(/^\| (?!Question|---).*$/gm) ?? []
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.length).toBeLessThanOrEqual(40)
  })

  it('names only files and folders that exist', () => {
    const named = [...text.matchAll(/`([\w/.<>*-]+(?:\.ts|\/))`/g)].map(
      ([, path]) => path as string,
    )
    const missing = named.filter((path) => !/[<*]/.test(path) && !exists(path))
    expect(named.length).toBeGreaterThan(30)
    expect(missing).toEqual([])
  })
})

const rooms = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('README.md'))
  .map((path) => `src/${path.replaceAll('\\', '/')}`)

it.each(['CONTRIBUTING.md', ...rooms])('%s names only files that exist', (page) => {
  const named = [...read(page).matchAll(/`([\w/.<>*-]+\.ts)`/g)].map(([, path]) => path as string)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((path) => !/[<*]/.test(path) && !exists(path))).toEqual([])
})

/** A path from the root, from `src/`, or the end of one that the text has just named the folder of. */
function exists(path: string): boolean {
  const isPart = (source: string) =>
    path.endsWith('/') ? `/${source}`.includes(`/${path}`) : `/${source}`.endsWith(`/${path}`)
  return existsSync(join(root, path)) || sources.some(isPart)
}
