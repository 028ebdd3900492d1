import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { packageSource } from '../../src/cli/new/manifest.js'
import { projectFolder } from '../../src/cli/new/project-folder.js'
import { hasJobs } from '../../src/cli/new/read-template.js'
import { playChildren } from './played-children.js'
import { runInProcess } from './run-in-process.js'

let cwd: string

beforeEach(() => {
  cwd = join(realpathSync(mkdtempSync(join(tmpdir(), 'blazon-new-'))), 'in')
  mkdirSync(cwd)
  vi.stubEnv('npm_config_user_agent', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dirname(cwd), { recursive: true, force: true })
})

/** Runs `blazon new`. The answers are those to its questions, on a terminal. */
async function run(args: readonly string[], answers?: string[]) {
  const ask = answers && (async () => answers.shift() ?? '')
  return await runInProcess(['new', ...args], cwd, ask)
}

/** How each program that the command starts ends: its status, a signal, or `missing`. */
function programs(endings: Readonly<Record<string, number | string>>) {
  return playChildren((child) => {
    const ending = endings[[child.program, ...child.args].join(' ')] ?? endings[child.program] ?? 0
    setImmediate(() => {
      if (ending === 'missing') child.emit('error', new Error('ENOENT'))
      else if (typeof ending === 'string') child.exit(null, ending)
      else child.exit(ending)
    })
  })
}

describe('blazon new', () => {
  it('creates a repository unless it is in one, and installs the packages', async () => {
    const children = programs({ 'git rev-parse --is-inside-work-tree': 128 })
    const { status, stdout } = await run(['my api', '--name', 'my-api', '--pm', 'pnpm'])
    expect([status, stdout.slice(stdout.indexOf('\n\n'))]).toEqual([
      0,
      '\n\n  cd "my api"\n  pnpm test\n  pnpm run dev\n',
    ])
    const started = children.map(({ program, args }) => [program, ...args].join(' '))
    expect(started).toEqual([
      'git rev-parse --is-inside-work-tree',
      'git init --quiet',
      'pnpm install',
    ])
    expect(children.map(({ options }) => options.cwd)).toEqual(Array(3).fill(join(cwd, 'my api')))
    const { name } = JSON.parse(readFileSync(join(cwd, 'my api/package.json'), 'utf8'))
    expect(name).toBe('my-api')
  })

  it.each([
    ['missing', 4, 'npm cannot be started.'],
    ['SIGINT', 1, 'A signal ended npm install.'],
    [7, 1, 'npm install ended with status 7.'],
  ])(
    'keeps the project if its packages cannot be installed: %s',
    async (ending, expected, cause) => {
      const children = programs({ git: 0, npm: ending })
      const { status, stdout, stderr } = await run(['api'])
      expect(status).toBe(expected)
      expect(stdout).toContain('files of the template minimal.')
      expect(stderr).toContain(cause)
      expect(stderr).toContain(`Run this command in ${join(cwd, 'api')}: npm install`)
      expect(existsSync(join(cwd, 'api/package.json'))).toBe(true)
      // The folder is in a repository already.
      expect(children.map(({ program }) => program)).toEqual(['git', 'npm'])
    },
  )

  it('creates no repository without git, which is no failure', async () => {
    const children = programs({ git: 'missing' })
    const { status, stdout } = await run(['.', '--name', 'api', '--no-install'])
    expect([status, children.length]).toEqual([0, 1])
    expect(stdout).toMatch(/\n\n {2}npm install\n {2}npm test\n {2}npm run dev\n$/)
  })

  it('asks only for what is missing, and refuses an answer that is no template', async () => {
    const wrong = await run(['--no-git', '--no-install'], [' api ', 'full'])
    expect([wrong.status, existsSync(join(cwd, 'api'))]).toEqual([2, false])
    expect(wrong.stderr).toContain('Unknown template "full".')
    const none = await run(['--yes'], ['api'])
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('No project folder')])
    const { status, stdout } = await run(['--no-git', '--no-install'], [' api ', ''])
    expect([status, stdout]).toEqual([0, expect.stringContaining('the template minimal')])
  })

  it.each([
    ['blazon', 'blazon'],
    ['Upper', 'api'],
    ['a'.repeat(81), 'api'],
    ['@scope/', 'api'],
    ['.hidden', 'api'],
  ])('refuses the name of a package: %s', async (name, folder) => {
    const { status, stderr } = await run([folder, '--name', name, '--no-git', '--no-install'])
    expect([status, existsSync(join(cwd, folder))]).toEqual([2, false])
    expect(stderr).toContain('cannot be the name of a package.')
  })
})

describe('the folder of a new project', () => {
  const message = (path: string) => {
    try {
      return projectFolder(path, cwd)
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is new, or empty except for a repository, and inside the current folder unless it is absolute', () => {
    mkdirSync(join(cwd, 'empty/.git'), { recursive: true })
    expect(message('empty')).toBe(join(cwd, 'empty'))
    expect(message('a/b')).toBe(join(cwd, 'a/b'))
    expect(message('..')).toContain('It leads out of the current folder')
    expect(message(join(cwd, '../other'))).toBe(join(dirname(cwd), 'other'))
    symlinkSync(dirname(cwd), join(cwd, 'link'))
    expect(message('link/api')).toContain('It leads out of the current folder')
    for (const path of ['', ' ', 'a\0b'])
      expect(message(path)).toContain('It is not a folder name.')
  })

  it('is refused if something else is there, with at most eight names', () => {
    writeFileSync(join(cwd, 'file'), '')
    symlinkSync(join(cwd, 'nothing'), join(cwd, 'broken'))
    mkdirSync(join(cwd, 'full'))
    for (const name of 'ihgfedcba') writeFileSync(join(cwd, 'full', name), '')
    expect(message('file')).toContain('It is a file.')
    expect(message('broken')).toContain('It is a link.')
    expect(message('full')).toContain('It contains: a, b, c, d, e, f, g, h and 1 more\n')
    rmSync(join(cwd, 'full/i'))
    expect(message('full')).toContain('It contains: a, b, c, d, e, f, g, h\n')
  })
})

it('the source of blazon is a version, a tag, or a path that is relative to the project', () => {
  const source = (given?: string) =>
    packageSource(given, '^9.9.9', { cwd, folder: join(cwd, 'deep/api') })
  writeFileSync(join(cwd, 'own.tgz'), '')
  for (const [name, text] of Object.entries({
    good: '{ "name": "blazon" }',
    bad: '{',
    other: '{}',
  })) {
    mkdirSync(join(cwd, name))
    writeFileSync(join(cwd, name, 'package.json'), text)
  }
  expect(source()).toBe('^9.9.9')
  for (const version of ['1.2.3', '~1.2.3-rc.1', 'next']) expect(source(version)).toBe(version)
  expect(source('./own.tgz')).toBe('file:../../own.tgz')
  expect(source(join(cwd, 'good'))).toBe(`file:${join(cwd, 'good')}`)
  for (const wrong of ['./none.tgz', './bad', './other', './app.js', '>=1.2.3', '']) {
    expect(() => source(wrong)).toThrow('does not specify a source of blazon.')
  }
})

it.each([
  ['saas', '22.12.0', true],
  ['saas', '22.11.9', false],
  ['saas', '23.0.0', true],
  ['saas', '20.19.5', false],
  ['service', '24.0.0', false],
] as const)(
  'a project of the template %s has a job on Node %s: %s',
  (template, version, expected) => {
    expect(hasJobs(template, version)).toBe(expected)
  },
)
