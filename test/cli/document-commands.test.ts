import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { playReaders } from './played-children.js'
import { runInProcess } from './run-in-process.js'

const get = { operationId: 'list', responses: { 200: { description: 'ü' } } }
const document = {
  openapi: '3.0.3',
  info: { title: 'no', version: '1_0' },
  paths: { '/a': { get, post: { ...get, operationId: 'add' } } },
  components: {},
}
const warning = { code: 'W_DOCS_EXPOSED', subject: 'swagger', cause: 'It is open.', remedy: 'No.' }
const documents = (...paths: string[]) =>
  paths.map((path) => ({ path, document, problems: [] as object[] }))

/** A folder with the file `app.js`, whose process, which the test plays, reports the documents. */
function project(list = documents('/api-docs'), warnings: object[] = []) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-documents-')))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  for (const name of ['app.js', 'package.json']) writeFileSync(join(cwd, name), '{}')
  const children = playReaders({ kind: 'documents', documents: list, warnings })
  const run = (words: string) => runInProcess(words.split(' '), cwd)
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8')
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  return { cwd, run, read, write, children }
}

describe('blazon openapi export', () => {
  it('writes the document and counts its bytes and operations, and writes it once', async () => {
    const { run, read } = project()
    const text = `${JSON.stringify(document, null, 2)}\n`
    const size = `${Buffer.byteLength(text)} B`
    const first = await run('openapi export')
    expect([first.stderr, first.stdout]).toEqual([
      `openapi.json (written, ${size}): 2 operations.\n`,
      '',
    ])
    expect(read('openapi.json')).toBe(text)
    expect((await run('openapi export')).stderr).toContain(`openapi.json (unchanged, ${size})`)
    expect(await run('openapi export --out -')).toMatchObject({ stdout: text, stderr: '' })
  })

  it('writes YAML for the ending of the file, without aliases, folded lines or ambiguous strings', async () => {
    const { run, read } = project()
    await run('openapi export --out api.YML')
    const text = read('api.YML')
    expect(text).toMatch(/^openapi: 3\.0\.3\ninfo:\n {2}title: "no"\n {2}version: "1_0"\n/)
    expect(text).not.toMatch(/[&*]a1/)
    expect((await run('openapi export --format yaml')).stderr).toMatch(/^openapi\.yaml \(written/)
    expect((await run('openapi export --out b.yaml --format json')).status).toBe(0)
    expect(JSON.parse(read('b.yaml'))).toEqual(document)
  })

  it('writes a client into src if this folder exists, and updates it without --client', async () => {
    const { cwd, run, read, write } = project()
    mkdirSync(join(cwd, 'src'))
    const { stderr } = await run('openapi export --client typescript')
    expect(stderr).toMatch(
      /^openapi\.json \(written, \d+ B\) and src\/openapi-client\.ts \(written, [\d.]+ kB\): 2 operations\.\n$/,
    )
    const client = read('src/openapi-client.ts')
    write('src/openapi-client.ts', client.replace(/list/, 'old'))
    await run('openapi export')
    expect(read('src/openapi-client.ts')).toBe(client)
    // A file that no export has written stays as it is.
    write('src/openapi-client.ts', '// own')
    expect((await run('openapi export')).stderr).not.toContain('client')
    expect(read('src/openapi-client.ts')).toBe('// own')
  })

  it('keeps a client beside the document, even if there is a folder src', async () => {
    const { cwd, run } = project()
    expect((await run('openapi export --client typescript')).stderr).toContain('and openapi-client')
    mkdirSync(join(cwd, 'src'))
    expect((await run('openapi export')).stderr).toContain('and openapi-client.ts (unchanged')
  })

  it.each([
    ['--client-out c.ts', '--client-out is allowed only with --client.'],
    ['--client typescript --client-out openapi.json', 'The document and the client have the same'],
    ['--check --out -', '--check has no file to compare.'],
    ['--check --client typescript --client-out -', '--check has no file to compare.'],
    ['--out ../x.json', '--out ../x.json is outside the project.'],
    ['--path /other', 'There is no document at /other.'],
  ])('refuses %s', async (words, message) => {
    const { status, stderr } = await project().run(`openapi export ${words}`)
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it('compares files with --check: line endings do not count, other differences are shown', async () => {
    const { run, read, write } = project()
    const missing = await run('openapi export --check --out openapi.json')
    expect(missing.status).toBe(3)
    expect(missing.stderr).toContain('openapi.json is missing.')
    expect(missing.stderr).toMatch(/blazon openapi export --out openapi\.json\n$/)
    await run('openapi export')
    const text = read('openapi.json')
    write('openapi.json', text.replaceAll('\n', '\r\n'))
    expect((await run('openapi export --check')).stderr).toBe('Up to date: openapi.json.\n')
    write('openapi.json', text.replace('"no"', '"yes"'))
    const stale = await run('openapi export --check')
    expect(stale.status).toBe(3)
    expect(stale.stderr).toMatch(/openapi\.json, line 4:\n *- +"title": "yes"/)
    expect(stale.stderr).toMatch(/\n *\+ +"title": "no"/)
    write('openapi.json', text.split('\n').slice(0, 2).join('\n'))
    expect((await run('openapi export --check')).stderr).toMatch(/line 3:\n *\+ {3}"info": \{/)
    write('openapi.json', `${text}more`)
    expect((await run('openapi export --check')).stderr).toMatch(
      new RegExp(`line ${text.split('\n').length}:\n *- more\n`),
    )
  })

  it('requires --path for several documents, and prints warnings, which --strict refuses', async () => {
    const list = documents('/a', '/b')
    list[1]?.problems.push({ ...warning, subject: 'second' })
    const { run } = project(list, [warning])
    const several = await run('openapi export')
    expect(several.stderr).toContain('The application has several documents')
    expect(several.stderr).toContain('The application has: /a, /b.')
    const { status, stderr } = await run('openapi export --path /b --out -')
    expect([status, stderr.match(/^warning /gm)]).toEqual([0, ['warning ', 'warning ']])
    const strict = await run('openapi export --path /b --strict')
    expect([strict.status, strict.stderr]).toEqual([1, expect.stringContaining('2 problems.')])
  })

  it('writes nothing if the document has errors', async () => {
    const list = documents('/a')
    list[0]?.problems.push({ ...warning, code: 'E_OPERATION_ID_DUPLICATE' }, warning)
    const { status, stderr } = await project(list).run('openapi export')
    expect(status).toBe(1)
    expect(stderr).toContain('The document cannot be used: 1 problem.')
    expect(stderr).not.toContain('warning')
  })
})

describe('blazon openapi diff', () => {
  const older = (paths: object) => JSON.stringify({ ...document, paths })
  const { '/a': item } = document.paths

  it('prints changes by operation, and fails only for breaking changes with --breaking', async () => {
    const { run, write } = project()
    write('old.json', older({ '/a': { get, put: { ...get, operationId: 'set' } } }))
    const all = await run('openapi diff old.json')
    expect(all.stdout).toMatch(/^PUT \/a\n {2}breaking {2}.*\nPOST \/a\n {2}ok {8}.*\n$/)
    expect([all.status, all.stderr]).toEqual([0, '1 breaking change, 2 changes in all.\n'])
    const breaking = await run('openapi diff old.json --breaking --format json')
    expect(JSON.parse(breaking.stdout)).toMatchObject([{ operation: 'PUT /a', isBreaking: true }])
    expect(breaking.status).toBe(3)
    expect(breaking.stderr).toContain('Clients of old.json can break: 1 breaking change.')
    write('old.json', older({ '/a': { get: item.get } }))
    expect(await run('openapi diff old.json --breaking')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '0 breaking changes, 1 change in all.\n',
    })
  })

  it('reads the older document before it reads the application', async () => {
    const { run, children } = project()
    expect((await run('openapi diff none.json')).status).toBe(2)
    expect(children).toHaveLength(0)
  })
})
