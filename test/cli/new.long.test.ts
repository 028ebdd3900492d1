import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript-5'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TEMPLATES } from '../../src/cli/new/new-options.js'
import { runCli } from '../../src/cli/run-cli.js'
import { runsJobs } from '../integrations/jobs/support.js'
import { isWindows } from '../platform.js'
import { root } from '../root.js'

let cwd: string

beforeEach(() => {
  cwd = join(realpathSync(mkdtempSync(join(tmpdir(), 'blazon new é-'))), 'in')
  mkdirSync(cwd)
  // npm sets it for the scripts that it runs, such as that of these tests.
  vi.stubEnv('npm_config_user_agent', '')
})

afterEach(() => rmSync(dirname(cwd), { recursive: true, force: true }))

interface RunOptions {
  readonly responses?: readonly string[]
  readonly bare?: boolean
}

/** Runs `blazon new` in this process. Nothing is installed, and there is no repository, unless the run is `bare`. */
async function run(args: readonly string[], { responses, bare = false }: RunOptions = {}) {
  let [stdout, stderr] = ['', '']
  const questions: string[] = []
  const left = [...(responses ?? [])]
  const status = await runCli(['new', ...args, ...(bare ? [] : ['--no-install', '--no-git'])], {
    cwd,
    streams: {
      out: (text) => {
        stdout += text
      },
      err: (text) => {
        stderr += text
      },
      note: (line) => {
        stderr += `${line}\n`
      },
    },
    ...(responses && {
      ask: async (question) => {
        questions.push(question)
        return left.shift() ?? ''
      },
    }),
  })
  return { status, stdout, stderr, questions }
}

const read = (path: string) => readFileSync(join(cwd, path), 'utf8')
const manifest = (folder: string) => JSON.parse(read(`${folder}/package.json`))

/** All files of a folder by path, with their text. */
function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(cwd, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(cwd, folder, name)).isFile())
      .map((name) => [name.replaceAll('\\', '/'), read(join(folder, name))]),
  )
}

describe.each(TEMPLATES)('the template %s', (template) => {
  it('has the files that every project needs', async () => {
    const { status, stdout, stderr } = await run(['my-api', '--template', template])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const files = filesIn('my-api')
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(
        ['.env.example', '.gitignore', 'AGENTS.md', 'README.md', 'ci.sh', 'openapi.json'].concat([
          'package.json',
          'src/app.ts',
          'src/main.ts',
          'tsconfig.json',
          'tsconfig.build.json',
        ]),
      ),
    )
    expect(stdout).toContain(`${Object.keys(files).length} files`)
    expect(stdout).toMatch(/^ {2}npm test\n {2}npm run dev\n$/m)
    expect(files['ci.sh']).toContain('blazon doctor')
    const { version } = JSON.parse(files['package.json'] ?? '')
    expect(JSON.parse(files['openapi.json'] ?? '').info.version).toBe(version)
    expect(manifest('my-api').scripts).toMatchObject({
      dev: 'blazon dev',
      start: 'node --enable-source-maps dist/main.js',
      test: 'vitest run',
    })
  })

  it('contains the name of the project instead of the placeholder', async () => {
    await run(['my-api', '--template', template])
    const files = filesIn('my-api')
    expect(Object.keys(files).filter((name) => files[name]?.includes('project-name'))).toEqual([])
    expect(manifest('my-api').name).toBe('my-api')
    expect(JSON.parse(files['openapi.json'] as string).info.title).toBe('my-api')
    expect(files['README.md']).toMatch(/^# my-api\n/)
  })

  it('contains only package versions that the tests of Blazon use', async () => {
    await run(['my-api', '--template', template])
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { dependencies, devDependencies } = manifest('my-api')
    const { blazon, esbuild, ...versions } = { ...dependencies, ...devDependencies }
    expect(blazon).toBe(`^${own.version}`)
    expect(own.devDependencies).toMatchObject(versions)
    // test/runners has the same esbuild.
    const runners = readFileSync(join(root, 'test/runners/vitest-4/package.json'), 'utf8')
    expect(esbuild).toBe(`^${JSON.parse(runners).devDependencies.esbuild}`)
  })

  it.each(['standard', 'legacy'])(
    'sets the compiler options of the %s dialect',
    async (dialect) => {
      await run(['my-api', '--template', template, '--decorators', dialect])
      const { config } = ts.parseConfigFileTextToJson('tsconfig.json', read('my-api/tsconfig.json'))
      expect(config.compilerOptions).toMatchObject({
        strict: true,
        experimentalDecorators: dialect === 'legacy',
      })
    },
  )

  it("uses only Node's test runner with --test node", async () => {
    await run(['my-api', '--template', template, '--test', 'node'])
    const files = filesIn('my-api')
    expect(Object.entries(files).filter(([, text]) => /vitest/i.test(text))).toEqual([])
    const tests = Object.keys(files).filter((name) => name.endsWith('.test.ts'))
    expect(tests.length).toBeGreaterThan(0)
    for (const name of tests) expect(files[name]).toContain("from 'node:test'")
    expect(manifest('my-api').devDependencies).not.toHaveProperty('vitest')
  })

  it('disables the install script of esbuild for npm', async () => {
    await run(['my-api', '--template', template])
    expect(manifest('my-api').allowScripts).toEqual({ esbuild: false })
  })

  it.each(['pnpm', 'yarn'])('contains only commands of %s', async (pm) => {
    await run(['my-api', '--template', template, '--pm', pm])
    const { Dockerfile, ...files } = filesIn('my-api')
    expect(Object.keys(files).filter((name) => /\b(npm|npx) /.test(files[name] ?? ''))).toEqual([])
    expect(files['ci.sh']).toContain(`\n${pm} install --`)
    expect('pnpm-workspace.yaml' in files).toBe(pm === 'pnpm')
    expect(manifest('my-api').packageManager?.split('@')[0]).toBe(
      pm === 'yarn' ? 'yarn' : undefined,
    )
    // An image of Node has npm, which installs the other one.
    const others = (Dockerfile ?? '').replace('RUN npm install --global ', '')
    expect(others).not.toMatch(/\bnpm |package-lock/)
  })
})

it('blazon new adds a job to a saas project, or prints why this Node version does not support it', async () => {
  const { stdout } = await run(['my-api', '--template', 'saas'])
  const isLeftOut = stdout.includes(
    `The job of the template is omitted: jobs need Node 22.12 or later, and this is ${process.versions.node}.\n`,
  )
  expect(isLeftOut).toBe(!runsJobs)
  expect(existsSync(join(cwd, 'my-api/src/note-mails.ts'))).toBe(runsJobs)
  expect('pg-boss' in manifest('my-api').dependencies).toBe(runsJobs)
})

describe('the project folder', () => {
  it.each([
    ['../x', 'leads out of the current folder'],
    ['a/../../x', 'leads out of the current folder'],
    ['/', 'not empty'],
    ['a\0b', 'not a folder name'],
    ['', 'not a folder name'],
    ['C:\\x', 'cannot be the name of a package'],
    ['My-Api', 'cannot be the name of a package'],
    ['`$(touch x)`', 'cannot be the name of a package'],
    ["it's", 'cannot be the name of a package'],
    ['a\nb', 'cannot be the name of a package'],
    ['node_modules', 'cannot be the name of a package'],
    ['blazon', 'cannot be the name of a package'],
    ['a'.repeat(300), 'cannot be the name of a package'],
  ])('is refused, and nothing is written: %j', async (folder, message) => {
    const { status, stdout, stderr } = await run([folder])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(readdirSync(cwd)).toEqual([])
    expect(existsSync(join(cwd, '../x'))).toBe(false)
  })

  it('is refused with the names of its files if it is not empty, and stays unchanged', async () => {
    mkdirSync(join(cwd, 'taken'))
    writeFileSync(join(cwd, 'taken/package.json'), 'mine')
    writeFileSync(join(cwd, 'taken/.hidden'), '')
    const { status, stderr } = await run(['taken'])
    expect(status).toBe(2)
    expect(stderr).toContain('It contains: .hidden, package.json')
    expect(filesIn('taken')).toEqual({ 'package.json': 'mine', '.hidden': '' })
  })

  it('is refused if it is a file', async () => {
    writeFileSync(join(cwd, 'file'), 'mine')
    expect(await run(['file'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('It is a file'),
    })
    expect(read('file')).toBe('mine')
  })

  it.skipIf(isWindows)('is refused if it is a link or its path contains a link', async () => {
    mkdirSync(join(cwd, 'here/empty'), { recursive: true })
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-outside-')))
    symlinkSync(join(cwd, 'here/empty'), join(cwd, 'link'))
    symlinkSync(outside, join(cwd, 'out'))
    try {
      expect((await run(['link'])).stderr).toContain('It is a link')
      expect((await run(['out/api'])).stderr).toContain('leads out of the current folder')
      expect(readdirSync(outside)).toEqual([])
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  it('can be the current folder, a nested folder or an absolute path', async () => {
    for (const folder of ['deep/er/api', join(cwd, 'absolute')]) {
      expect(await run([folder])).toMatchObject({ status: 0 })
    }
    expect(manifest('deep/er/api').name).toBe('api')
    expect(manifest('absolute').name).toBe('absolute')
    rmSync(join(cwd, 'deep'), { recursive: true })
    rmSync(join(cwd, 'absolute'), { recursive: true })
    mkdirSync(join(cwd, '.git'))
    expect(await run(['.', '--name', '@acme/api'])).toMatchObject({ status: 0 })
    expect(manifest('.').name).toBe('@acme/api')
  })

  it('can have any name if a separate package name is given', async () => {
    expect(await run(['My Api', '--name', 'my-api'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('cd "My Api"'),
    })
    expect(manifest('My Api').name).toBe('my-api')
  })
})

describe('the option --package', () => {
  it('accepts a version, a tarball or a folder', async () => {
    writeFileSync(join(cwd, 'blazon-0.1.0.tgz'), '')
    mkdirSync(join(cwd, 'clone'))
    writeFileSync(join(cwd, 'clone/package.json'), '{"name":"blazon"}')
    const sources = {
      '1.2.3-beta.1': '1.2.3-beta.1',
      '^1.2.3': '^1.2.3',
      next: 'next',
      './blazon-0.1.0.tgz': 'file:../blazon-0.1.0.tgz',
      './clone': 'file:../clone',
      [join(cwd, 'clone')]: `file:${join(cwd, 'clone')}`,
    }
    for (const [index, [given, written]] of Object.entries(sources).entries()) {
      expect(await run([`p${index}`, '--package', given])).toMatchObject({ status: 0 })
      expect(manifest(`p${index}`).dependencies.blazon).toBe(written)
    }
  })

  it.each(['./nothing.tgz', './other', './text.txt', 'git+ssh://host/x', '1.2.3 || *', ''])(
    'refuses %j',
    async (source) => {
      mkdirSync(join(cwd, 'other'))
      writeFileSync(join(cwd, 'other/package.json'), '{"name":"other"}')
      writeFileSync(join(cwd, 'text.txt'), '')
      const { status, stderr } = await run(['api', '--package', source])
      expect(status).toBe(2)
      expect(stderr).toContain('does not specify a source of blazon')
      expect(existsSync(join(cwd, 'api'))).toBe(false)
    },
  )
})

describe('the command line', () => {
  it.each([
    [['api', '--tempalte', 'service'], "unknown option '--tempalte'"],
    [['api', '--template', 'enterprise'], 'Allowed choices are minimal, service, saas'],
    [['api', '--decorators', 'new'], 'Allowed choices are standard, legacy'],
    [['api', '--test', 'jest'], 'Allowed choices are vitest, node'],
    [['api', '--pm', 'bun'], 'Allowed choices are npm, pnpm, yarn'],
    [['api', 'other'], 'too many arguments'],
  ])('refuses the arguments %j, and writes nothing', async (args, message) => {
    const { status, stdout, stderr } = await run(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('questions in the terminal', () => {
  it('concern only missing values', async () => {
    const asked = await run([], { responses: ['api', ''] })
    expect(asked).toMatchObject({ status: 0, questions: [/^Folder/, /^Template/].map(matching) })
    expect(manifest('api').name).toBe('api')
    const given = await run(['other', '--template', 'minimal'], { responses: [] })
    expect(given).toMatchObject({ status: 0, questions: [] })
  })

  it('are not shown with --yes or without a terminal', async () => {
    expect(await run(['api', '--yes'], { responses: [] })).toMatchObject({
      status: 0,
      questions: [],
    })
    expect(await run([])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('blazon new my-api'),
    })
  })

  it('result in an error and no project after an invalid answer', async () => {
    expect(await run(['api'], { responses: ['enterprise'] })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown template "enterprise"'),
    })
    expect(readdirSync(cwd)).toEqual([])
  })
})

const matching = (pattern: RegExp) => expect.stringMatching(pattern)

describe('external programs', () => {
  it('do not prevent a complete project if they are missing', async () => {
    vi.stubEnv('PATH', cwd)
    const { status, stderr } = await run(['api', '--pm', 'pnpm'], { bare: true })
    expect(status).toBe(4)
    expect(stderr).toContain('pnpm cannot be started')
    expect(stderr).toContain('pnpm install')
    expect(existsSync(join(cwd, 'api/src/main.ts'))).toBe(true)
    expect(existsSync(join(cwd, 'api/.git'))).toBe(false)
  })

  it.skipIf(isWindows)(
    'do not prevent a complete project if they fail, for example without a network',
    async () => {
      mkdirSync(join(cwd, 'bin'))
      for (const [name, code] of [
        ['npm', 7],
        ['git', 1],
      ]) {
        writeFileSync(join(cwd, `bin/${name}`), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 })
      }
      vi.stubEnv('PATH', join(cwd, 'bin'))
      const { status, stdout, stderr } = await run(['api', '--pm', 'npm'], { bare: true })
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: [
          'The project is complete, but its packages are not installed.',
          '  npm install ended with status 7.',
          `  Run this command in ${join(cwd, 'api')}: npm install`,
          '',
        ].join('\n'),
      })
      expect(stdout).not.toContain('npm test')
      expect(existsSync(join(cwd, 'api/src/main.ts'))).toBe(true)
    },
  )

  it.skipIf(isWindows)(
    'are called with fixed arguments, and git init runs only outside a repository',
    async () => {
      mkdirSync(join(cwd, 'bin'))
      for (const name of ['git', 'npm']) {
        const text = `#!/bin/sh\necho "${name} $*" >>"${join(cwd, 'log')}"\n[ "$1" != rev-parse ]\n`
        writeFileSync(join(cwd, 'bin', name), text, { mode: 0o755 })
      }
      vi.stubEnv('PATH', `${join(cwd, 'bin')}:${process.env['PATH']}`)
      expect(await run(['api'], { bare: true })).toMatchObject({ status: 0 })
      expect(read('log')).toBe(
        'git rev-parse --is-inside-work-tree\ngit init --quiet\nnpm install\n',
      )
    },
  )
})
