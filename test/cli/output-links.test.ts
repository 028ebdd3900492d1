import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportTargets } from '../../src/cli/export-document.js'
import { outputPath } from '../../src/cli/output-path.js'
import { writeFiles } from '../../src/cli/write-files.js'

let folder: string
const at = (name: string) => join(folder, name)
const cwd = () => at('out')

/** A project `out`, and beside it a folder whose name begins with `out`. */
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-links-')))
  for (const name of ['out/src', 'out-evil']) mkdirSync(at(name), { recursive: true })
  writeFileSync(at('out/package.json'), '{}')
  writeFileSync(at('out-evil/kept.json'), 'kept')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a relative path that leaves the project', () => {
  it.each<[string, string, string, string]>([
    ['a linked folder', 'docs', '../out-evil', 'docs/openapi.json'],
    [
      'a linked folder, with a subfolder that does not exist yet',
      'docs',
      '../out-evil',
      'docs/a/b/openapi.json',
    ],
    [
      'a linked folder, with a deeply nested subfolder',
      'docs',
      '../out-evil',
      `docs/${'a/'.repeat(60)}x.json`,
    ],
    ['a folder that is an absolute link', 'docs', '/', 'docs/openapi.json'],
    ['a linked file', 'openapi.json', '../out-evil/kept.json', 'openapi.json'],
    ['a link to a missing file', 'openapi.json', '../out-evil/new.json', 'openapi.json'],
    ['a link to a missing folder', 'docs', '../nowhere', 'docs/openapi.json'],
    [
      'a link and a path with `..` parts',
      'docs',
      'src/../../out-evil',
      './docs/../docs/openapi.json',
    ],
  ])('is refused: %s', (_, name, target, path) => {
    symlinkSync(target, at(`out/${name}`))
    expect(() => outputPath(path, '--out', cwd())).toThrow(/is outside the project/)
    expect(readdirSync(at('out-evil'))).toEqual(['kept.json'])
  })

  it('is also refused for a client, and for default paths', () => {
    symlinkSync('../out-evil', at('out/docs'))
    const client = { client: 'typescript', clientOut: 'docs/client.ts' } as const
    expect(() => exportTargets(client, cwd())).toThrow(/--client-out docs\/client\.ts is outside/)
    symlinkSync('../out-evil/kept.json', at('out/openapi.json'))
    expect(() => exportTargets({}, cwd())).toThrow(/is outside the project/)
    rmSync(at('out/openapi.json'))
    symlinkSync('../out-evil/client.ts', at('out/openapi-client.ts'))
    expect(() => exportTargets({ client: 'typescript' }, cwd())).toThrow(
      /--client-out openapi-client\.ts is outside the project/,
    )
  })

  it('is refused even if the target name begins with the name of the project', () => {
    expect(() => outputPath('../out-evil/x.json', '--out', cwd())).toThrow(/is outside the project/)
  })
})

describe('a link', () => {
  it('is followed within the project', () => {
    symlinkSync('src', at('out/docs'))
    symlinkSync('src/later.json', at('out/openapi.json'))
    expect(outputPath('docs/openapi.json', '--out', cwd())).toBe(at('out/src/openapi.json'))
    const path = outputPath('openapi.json', '--out', cwd())
    expect(path).toBe(at('out/src/later.json'))
    writeFiles([{ path, text: 'new' }])
    expect(lstatSync(at('out/openapi.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(at('out/src/later.json'), 'utf8')).toBe('new')
  })

  it('is followed if it leads to the project itself', () => {
    symlinkSync('out', at('linked'))
    expect(outputPath('openapi.json', '--out', at('linked'))).toBe(at('out/openapi.json'))
  })

  it('can leave the project if the path is absolute', () => {
    symlinkSync('../out-evil', at('out/docs'))
    expect(outputPath(at('out/docs/x.json'), '--out', cwd())).toBe(at('out-evil/x.json'))
  })

  it('causes an error if its target is circular', () => {
    symlinkSync('b', at('out/a'))
    symlinkSync('a', at('out/b'))
    expect(() => writeFiles([{ path: outputPath('a/x.json', '--out', cwd()), text: '' }])).toThrow(
      /cannot be written/,
    )
  })

  it.each(['docs', 'docs/deep'])(
    'is not followed if it was created after the check: %s',
    (name) => {
      const path = outputPath(`${name}/openapi.json`, '--out', cwd())
      symlinkSync('../out-evil', at('out/docs'))
      expect(() => writeFiles([{ path, text: 'new' }])).toThrow(/cannot be written/)
      expect(readdirSync(at('out-evil'))).toEqual(['kept.json'])
    },
  )

  it('is not followed if it has replaced the file after the check', () => {
    const path = outputPath('openapi.json', '--out', cwd())
    symlinkSync('../out-evil/kept.json', path)
    expect(() => writeFiles([{ path, text: 'new' }])).toThrow(/cannot be written/)
    expect(readFileSync(at('out-evil/kept.json'), 'utf8')).toBe('kept')
    rmSync(path)
    symlinkSync('../out-evil/new.json', path)
    writeFiles([{ path, text: 'new' }])
    expect(existsSync(at('out-evil/new.json'))).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe('new')
  })
})
