import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliError } from '../../src/cli/cli-error.js'
import { exportTargets, firstDifferences } from '../../src/cli/export-document.js'
import { outputPath } from '../../src/cli/output-path.js'
import { writeFiles } from '../../src/cli/write-files.js'

let folder: string
const path = (name: string) => join(folder, name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-write-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('writeFiles', () => {
  it('writes new and changed files, and preserves their mode', () => {
    writeFileSync(path('old'), 'old')
    chmodSync(path('old'), 0o640)
    writeFileSync(path('same'), 'same')
    utimesSync(path('same'), 1, 1)
    const files = ['old', 'same', 'deep/down/new'].map((name) => ({
      path: path(name),
      text: name === 'same' ? 'same' : 'new',
    }))
    expect(writeFiles(files)).toEqual(['written', 'unchanged', 'written'])
    expect(readFileSync(path('old'), 'utf8')).toBe('new')
    expect(statSync(path('old')).mode & 0o777).toBe(0o640)
    expect(statSync(path('same')).mtimeMs).toBe(1000)
    expect(readFileSync(path('deep/down/new'), 'utf8')).toBe('new')
    expect(readdirSync(folder).sort()).toEqual(['deep', 'old', 'same'])
  })

  it('writes all files or none, and removes temporary files', () => {
    writeFileSync(path('first'), 'old')
    writeFileSync(path('file'), '')
    const files = ['first', 'file/second'].map((name) => ({ path: path(name), text: 'new' }))
    expect(() => writeFiles(files)).toThrow(CliError)
    expect(readFileSync(path('first'), 'utf8')).toBe('old')
    expect(readdirSync(folder).sort()).toEqual(['file', 'first'])
  })
})

describe('outputPath', () => {
  beforeEach(() => {
    mkdirSync(path('project/packages/api'), { recursive: true })
    writeFileSync(path('project/package.json'), '{}')
    writeFileSync(path('project/packages/api/package.json'), '{}')
  })

  it('stays inside the package when there is no repository', () => {
    const cwd = path('project/packages/api')
    expect(outputPath('docs/x.json', '--out', cwd)).toBe(join(cwd, 'docs/x.json'))
    expect(outputPath('..x.json', '--out', cwd)).toBe(join(cwd, '..x.json'))
    expect(() => outputPath('../x.json', '--out', cwd)).toThrow('is outside the project')
    expect(() => outputPath('a/../../x.json', '--out', cwd)).toThrow('is outside the project')
  })

  it('stays inside the repository, but accepts an absolute path elsewhere', () => {
    mkdirSync(path('project/.git'))
    const cwd = path('project/packages/api')
    expect(outputPath('../web/x.ts', '--out', cwd)).toBe(path('project/packages/web/x.ts'))
    expect(() => outputPath('../../../x.ts', '--out', cwd)).toThrow('is outside the project')
    expect(outputPath(path('x.ts'), '--out', cwd)).toBe(path('x.ts'))
  })

  it('follows a link instead of replacing it', () => {
    writeFileSync(path('project/real.json'), 'old')
    symlinkSync(path('project/real.json'), path('project/link.json'))
    const target = outputPath('link.json', '--out', path('project'))
    writeFiles([{ path: target, text: 'new' }])
    expect(lstatSync(path('project/link.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(path('project/real.json'), 'utf8')).toBe('new')
  })
})

describe('exportTargets', () => {
  it('puts the client into src/ if this folder exists, unless the client already exists elsewhere', () => {
    mkdirSync(path('src'))
    const clientOut = () => exportTargets({ client: 'typescript' }, folder).client
    expect(clientOut()).toBe(path('src/openapi-client.ts'))
    writeFileSync(path('openapi-client.ts'), '')
    expect(clientOut()).toBe(path('openapi-client.ts'))
  })

  it.each([
    [{}, 'json', 'openapi.json', null],
    [{ format: 'yaml' }, 'yaml', 'openapi.yaml', null],
    [{ out: 'a/b.YML' }, 'yaml', 'a/b.YML', null],
    [{ out: 'b.yaml', format: 'json' }, 'json', 'b.yaml', null],
    [{ out: 'a/b.json', client: 'typescript' }, 'json', 'a/b.json', 'a/openapi-client.ts'],
    [{ client: 'typescript', clientOut: 'c.ts' }, 'json', 'openapi.json', 'c.ts'],
  ] as const)('returns the targets for %j', (options, format, out, client) => {
    const targets = exportTargets(options, folder)
    expect(targets).toMatchObject({ format, out: path(out) })
    expect(targets.client).toBe(client === null ? null : path(client))
  })

  it.each([
    [{ clientOut: 'x.ts' }, '--client-out is allowed only with --client'],
    [{ out: '-', check: true }, '--check has no file'],
    [{ out: 'x', client: 'typescript', clientOut: 'x' }, 'have the same path'],
    [{ out: '-', client: 'typescript', clientOut: '-' }, 'have the same path'],
  ] as const)('rejects %j', (options, message) => {
    expect(() => exportTargets(options, folder)).toThrow(message)
  })
})

describe('writeFiles with a file that cannot be written', () => {
  it('lists the files that were written before', () => {
    // The folder of the third file takes the place of the second file.
    const files = ['first', 'second', 'second/third'].map((name) => ({
      path: path(name),
      text: name,
    }))
    expect(() => writeFiles(files)).toThrow(`Only these files were written: ${path('first')}.`)
    expect(readFileSync(path('first'), 'utf8')).toBe('first')
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

describe('firstDifferences', () => {
  it.each([
    ['a\nb\nc', 'a\nx\nc', 'line 2:\n- b\n- c\n+ x\n+ c'],
    ['a\nb', 'a', 'line 2:\n- b'],
    ['', 'a\n1\n2\n3\n4', 'line 1:\n- \n+ a\n+ 1\n+ 2'],
  ])('returns the first differences between %j and %j', (actual, expected, differences) => {
    expect(firstDifferences(actual, expected)).toBe(differences)
  })
})
