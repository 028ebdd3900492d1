import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, type PlayedChild, playChildren, playReaders } from './played-children.js'
import { runInProcess } from './run-in-process.js'

const REPORT = { kind: 'doctor', problems: [], usesTenants: false, instances: ['/app/index.js'] }

/** A project whose `app.js` the test's answer describes. */
function project(answer: Answer = REPORT, files: Readonly<Record<string, string>> = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-doctor-')))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const own = { 'package.json': '{ "name": "blazon", "dependencies": { "a": "1" } }', 'app.js': '' }
  for (const [name, text] of Object.entries({ ...own, ...files })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  vi.stubEnv('DATABASE_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const children = playReaders(answer)
  return {
    cwd,
    children,
    run: (words = '') => runInProcess(`doctor ${words}`.trim().split(' '), cwd),
  }
}

const problem = (code: string, more: object = {}) => ({
  ...{ code, subject: 'The subject', cause: 'The cause.', remedy: 'The remedy.' },
  ...more,
})
const failure = (more: object) => ({
  kind: 'failure',
  reason: 'declaration',
  message: 'No.',
  ...more,
})
const variable = (subject: string) => problem('E_ENV_INVALID', { subject })

describe('blazon doctor', () => {
  it('prints errors before warnings, each with its place, and then what it checked', async () => {
    const { run, cwd } = project(() => ({
      ...REPORT,
      problems: [
        problem('W_DOCS_EXPOSED'),
        problem('E_OPTION_INVALID', { place: { file: join(cwd, 'src/a.ts'), line: 3 } }),
      ],
    }))
    const { status, stdout, stderr } = await run()
    expect(stdout.split('\n')).toEqual([
      'application:',
      '  error [E_OPTION_INVALID] The subject (src/a.ts:3)',
      '     The cause.',
      '     The remedy.',
      '  warning [W_DOCS_EXPOSED] The subject (app.js)',
      '     The cause.',
      '     The remedy.',
      '',
      'Checked: packages, optional packages, application.',
      'Not checked:',
      '  database: the code does not use blazon/postgres',
      '',
    ])
    expect([status, stderr]).toEqual([1, '1 error, 1 warning.\n'])
  })

  it('fails for warnings only with --strict, and prints the same as JSON', async () => {
    const { run } = project({ ...REPORT, problems: [problem('W_DOCS_EXPOSED')] })
    expect((await run()).status).toBe(0)
    const { status, stdout, stderr } = await run('--strict --json')
    expect([status, stderr]).toEqual([1, '0 errors, 1 warning.\n'])
    expect(JSON.parse(stdout)).toEqual({
      findings: [
        {
          ...problem('W_DOCS_EXPOSED'),
          ...{ group: 'application', severity: 'warning', file: 'app.js', line: null },
        },
      ],
      checked: ['packages', 'optional packages', 'application'],
      notChecked: [{ group: 'database', reason: 'the code does not use blazon/postgres' }],
    })
    expect((await project().run()).stderr).toBe('No problems were found.\n')
  })

  it('reads the application as in production, or as here if only variables are missing there', async () => {
    vi.stubEnv('OWN', 'terminal')
    const answers = [failure({ problems: [variable('KEY'), variable('URL')] }), REPORT]
    const { run, children } = project(() => answers.shift() ?? REPORT, {
      '.env': 'OWN=file\nOTHER=file',
    })
    const { status, stdout } = await run()
    expect(status).toBe(0)
    expect(stdout).toContain(
      'application: the differences in production, because the application requires these variables there: KEY, URL',
    )
    const envs = children.map(({ options }) => options.env ?? {})
    expect(envs.map(({ OWN, OTHER }) => [OWN, OTHER])).toEqual(Array(2).fill(['terminal', 'file']))
    expect(envs.map((env) => env['NODE_ENV'])).toEqual(['production', process.env['NODE_ENV']])
  })

  it('reports missing variables as errors if there are other errors', async () => {
    const problems = [variable('KEY'), problem('W_DOCS_EXPOSED')]
    const { run, children } = project(failure({ problems }))
    const { status, stdout, stderr } = await run()
    expect([status, stderr, children.length]).toEqual([1, '2 errors, 0 warnings.\n', 1])
    expect(stdout).toContain('error [W_DOCS_EXPOSED]')
  })

  it.each([
    ['no-app', '', 'application: app.js has no application', 0],
    ['no-app', '--entry app.js', 'error [E_APP_FAILED] the application (app.js)', 1],
    ['threw', '', 'error [E_APP_FAILED] the application (lib/a.js:3)', 1],
  ])('reports a module that cannot be read: %s %s', async (reason, words, text, expected) => {
    const { run, cwd } = project(() =>
      failure({ reason, ...(reason === 'threw' && { stack: `Error\n at ${cwd}/lib/a.js:3:9` }) }),
    )
    const { status, stdout } = await run(words)
    expect([status, stdout]).toEqual([expected, expect.stringContaining(text)])
  })

  it('names the module if the error was thrown outside of the project', async () => {
    const { run } = project(failure({ reason: 'threw', stack: 'Error\n at /other/a.js:3:9' }))
    expect((await run()).stdout).toContain('the application (app.js)\n')
  })

  it('reports a process that ends, and a package that the command needs', async () => {
    const { cwd } = project()
    vi.restoreAllMocks()
    playChildren((child: PlayedChild) => void child.once('received', () => child.exit(3)))
    const { status, stdout } = await runInProcess(['doctor'], cwd)
    expect(status).toBe(1)
    expect(stdout).toContain('app.js ended the process with status 3 while it was loaded.')
    writeFileSync(join(cwd, 'app.ts'), '')
    const typescript = await runInProcess(['doctor', '--entry', 'app.ts'], cwd)
    expect(typescript.status).toBe(0)
    expect(typescript.stdout).toMatch(/Not checked:\n {2}application: The package tsx is missing\./)
    expect((await runInProcess(['doctor', '--entry', 'none.js'], cwd)).status).toBe(2)
  })

  it('reports several copies of this package, and several instances in one process', async () => {
    const copy = (version: string) => `{ "name": "blazon", "version": "${version}" }`
    const { run } = project(
      { ...REPORT, instances: ['/a/index.js', '/b/index.cjs'] },
      {
        'package.json':
          '{ "name": "shop", "dependencies": { "blazon": "1", "a": "1", "gone": "1" } }',
        'node_modules/blazon/package.json': copy('1.0.0'),
        'node_modules/a/package.json':
          '{ "name": "a", "peerDependencies": { "blazon": "1" }, "dependencies": { "b": "1" } }',
        'node_modules/a/node_modules/b/package.json':
          '{ "name": "b", "dependencies": { "a": "1", "blazon": "2" }, "devDependencies": { "c": "1" } }',
        'node_modules/a/node_modules/b/node_modules/blazon/package.json': copy('2.0.0'),
      },
    )
    const { stdout } = await run()
    expect(stdout).toContain('[E_PACKAGE_TWICE] blazon (package.json)')
    expect(stdout).toContain(
      'It is installed 2 times: 1.0.0 in node_modules/blazon (for the project), 2.0.0 in node_modules/a/node_modules/b/node_modules/blazon (for b).',
    )
    expect(stdout).toContain('[E_PACKAGE_INSTANCES] blazon (app.js)')
    expect(stdout).toContain('loaded it 2 times: /a/index.js, /b/index.cjs.')
  })

  it('reports the package that an import needs, with the line of the import', async () => {
    const { run } = project(REPORT, {
      'a.ts': "import type { Jwt } from 'blazon/jwt'\n\nimport { jwt } from 'blazon/jwt'\n",
      'b.d.ts': "import { redis } from 'blazon/redis'",
      'dist/c.js': "import { redis } from 'blazon/redis'",
      'sub/package.json': '{}',
      'sub/d.js': "import { redis } from 'blazon/redis'",
    })
    const { stdout, stderr } = await run()
    expect(stdout).toContain('error [E_PEER_MISSING] blazon/jwt (a.ts:3)')
    expect(stdout).toContain('It needs jose, which is not installed.')
    expect(stderr).toBe('1 error, 0 warnings.\n')
  })

  it.each([
    [false, 'the application has no tenants whose data a database would isolate'],
    [true, 'DATABASE_URL is not set; `blazon db doctor --embedded <folder>` examines an embedded'],
    [null, 'the application could not be read, so it is unknown whether it has tenants'],
  ])('does not check the database if usesTenants is %s without a URL', async (usesTenants, why) => {
    const answer = usesTenants === null ? failure({}) : { ...REPORT, usesTenants }
    const { run } = project(answer, {
      'db.js': "import { postgres } from 'blazon/postgres'",
      'node_modules/pg/package.json': '{ "version": "8.0.0" }',
    })
    expect((await run()).stdout).toContain(`  database: ${why}`)
  })
})
