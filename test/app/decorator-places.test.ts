import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPlace } from '../../src/app/explain/explanation.js'

type FrameParts = readonly [caller: string, file: string, line: number, column: number]

const PACKAGE = '/modules/blazon'
const WRITES: FrameParts = ['writeFact', `${PACKAGE}/src/metadata/write.ts`, 7, 3]
const DECORATES: FrameParts = ['Get', `${PACKAGE}/src/model/verbs.ts`, 9, 3]

/** An error whose stack has these frames. */
function stackOf(...frames: readonly FrameParts[]): Error {
  const lines = frames.map(([caller, file, line, column]) => {
    const place = `${file}:${line}:${column}`
    return `    at ${caller === '' ? place : `${caller} (${place})`}`
  })
  return Object.assign(new Error('of a decorator'), { stack: ['Error', ...lines].join('\n') })
}

/** A folder with one file, and the place of a decorator in it. */
function sourceOf(...lines: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-places-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'users.ts')
  writeFileSync(file, lines.join('\n'))
  const find = (created: readonly FrameParts[], applied: readonly FrameParts[]) =>
    findPlace({ created: stackOf(...created), applied: stackOf(...applied) }, folder)
  return { file, find }
}

const at = (line: number) => ({ file: 'users.ts', line })

describe('the place of a decorator', () => {
  it.each([
    ['@Get()', 2],
    ['@blazon.Get()', 9],
    ['@(Get())', 3],
    ['@ Get()', 3],
  ])('is the line of its @, which precedes its call: %s', (text, column) => {
    const { file, find } = sourceOf('class Users {', text, 'list() {} }')
    const created: FrameParts[] = [WRITES, DECORATES, ['', file, 2, column]]
    expect(find(created, [WRITES, ['', file, 1, 1]])).toEqual(at(2))
  })

  it('is the @ of the function that creates it', () => {
    const { file, find } = sourceOf('const Admin = () => Auth()', '@Admin()', 'class Users {}')
    const created: FrameParts[] = [WRITES, DECORATES, ['Admin', file, 1, 21], ['', file, 2, 2]]
    expect(find(created, [WRITES, ['', file, 3, 1]])).toEqual(at(2))
  })

  it('is the class or method to which it is applied if it was created elsewhere', () => {
    const { file, find } = sourceOf('const Both = compose(Auth())', '@Both', 'class Users {}')
    const created: FrameParts[] = [WRITES, DECORATES, ['', file, 1, 22]]
    for (const helper of [
      '__decorate',
      '__esDecorate',
      '_ts_decorate',
      'Object._apply_decs_2203_r',
    ]) {
      const applied: FrameParts[] = [WRITES, [helper, file, 9, 1], ['', file, 3, 1]]
      expect(find(created, applied)).toEqual(at(3))
    }
    expect(find(created, [WRITES, ['', file, 3, 1]])).toEqual(at(3))
  })

  it('is the line that creates it in compiled code without an @', () => {
    const { file, find } = sourceOf('let Users = class {}', '__decorate([Get()], Users)')
    const created: FrameParts[] = [WRITES, DECORATES, ['', file, 2, 13]]
    expect(find(created, [WRITES, ['__decorate', file, 9, 1], ['', file, 1, 1]])).toEqual(at(2))
  })

  it('can be in a file with a URL, a query string and a folder that begins like the package', () => {
    const { file, find } = sourceOf('@Get()', 'list() {}')
    const url = `${pathToFileURL(file)}?t=1700000000`
    expect(find([WRITES, DECORATES, ['async', url, 1, 2]], [WRITES])).toEqual(at(1))
    const other: FrameParts = ['', `${PACKAGE}-orders/src/users.ts`, 5, 1]
    expect(find([WRITES, other], [WRITES])?.line).toBe(5)
    const example: FrameParts = ['', `${PACKAGE}/examples/users.ts`, 6, 1]
    expect(find([WRITES, example], [WRITES])?.line).toBe(6)
    const built: FrameParts = ['', `${PACKAGE}/dist/users.js`, 7, 1]
    expect(find([WRITES, built, other], [WRITES])?.line).toBe(5)
  })

  it('is unknown if no stack shows a file of the program', () => {
    const { find } = sourceOf('@Get()')
    expect(find([WRITES, DECORATES], [WRITES])).toBeNull()
    const internal: FrameParts = ['run', 'node:internal/modules', 1, 1]
    expect(find([WRITES, internal], [internal])).toBeNull()
  })
})
