import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { blocksOf, read } from '../docs/markdown.js'
import { describeWithServer, PASSWORD, Server, SUPERUSER } from '../integrations/postgres/server.js'
import { root } from '../root.js'
import { builtPackage } from './built-package.js'
import {
  app,
  CASES,
  type DoctorCase,
  FINE,
  type Files,
  OLD_PEER,
  UNSAFE_OPTIONS,
} from './doctor-cases.js'
import { COMPILED_CONTROLLER, type Outcome, Project } from './project.js'
import { runInProcess } from './run-in-process.js'
import { useFastTsx } from './use-fast-tsx.js'

interface Found {
  readonly group: string
  readonly code: string
  readonly severity: string
  readonly subject: string
  readonly file: string | null
  readonly line: number | null
  readonly cause: string
  readonly remedy: string
}

function project(files: Files = {}, packages: readonly string[] = []): Project {
  const made = new Project(packages)
  onTestFinished(() => made.remove())
  change(made, { ...FINE, ...files })
  return made
}

function change(own: Project, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    if (content === null) rmSync(own.path(name), { force: true })
    else own.write({ [name]: content })
  }
}

/** Runs the doctor in this process, which is enough where no application is read. */
async function runHere(own: Project, ...args: string[]): Promise<Outcome> {
  return await runInProcess(['doctor', ...args], own.folder)
}

const findingsOf = ({ stdout }: Outcome) => JSON.parse(stdout).findings as Found[]
const placeOf = ({ file, line }: Found) => [file, line].filter((part) => part !== null).join(':')

beforeAll(() => {
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('NODE_ENV', '')
})
afterAll(() => void vi.unstubAllEnvs())

/** The cells of the rows of the tables of codes. */
const rows = new Map(
  ['docs/doctor.md', 'docs/errors.md'].flatMap((page) =>
    [...read(page).matchAll(/^\| `([EW]_[A-Z_]+)` *\|(.*)\|$/gm)].map(([, code, cells]) => [
      code as string,
      (cells as string).split(' | ').map((cell) => cell.trim()),
    ]),
  ),
)

const nameOf = ({ code, when }: DoctorCase) => (when === undefined ? code : `${code}: ${when}`)

describe('a project', () => {
  it.each(CASES.map((each) => [nameOf(each), each] as const))(
    'has the finding %s until the remedy is applied',
    async (_, each) => {
      const own = project()
      if (each.readsApp) own.write({ 'src/users-controller.js': COMPILED_CONTROLLER })
      if (each.code === 'E_PACKAGE_INSTANCES') copyPackage(own)
      if (JSON.stringify(each.files).includes("from 'express'"))
        own.install('express', join(root, 'node_modules/express'))
      change(own, each.files)
      const run = () => (each.readsApp ? own.run(['doctor', '--json']) : runHere(own, '--json'))
      const before = await run()
      const found = findingsOf(before).find(({ code }) => code === each.code)
      expect({ found, all: findingsOf(before) }).toMatchObject({ found: { code: each.code } })
      expect(placeOf(found as Found)).toBe(each.at)
      expect(found?.severity).toBe(each.code.startsWith('E_') ? 'error' : 'warning')
      expect(before.status).toBe(
        findingsOf(before).some(({ severity }) => severity === 'error') ? 1 : 0,
      )
      expect(found?.cause).toMatch(/\.$/)
      expect(rows.get(each.code)?.join(' ')).toContain(each.words)

      change(own, each.fixed)
      const after = await run()
      expect(findingsOf(after).filter(({ code }) => code === each.code)).toEqual([])
    },
  )

  /** A copy whose files are another instance for Node. Its dependencies are those of the repository. */
  function copyPackage(own: Project): void {
    cpSync(builtPackage(), own.path('copy'), { recursive: true })
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies))
      own.install(name, join(root, 'node_modules', name))
  }

  it('has a finding for each unsafe option until the remedies are applied', async () => {
    const own = project({ 'src/users-controller.js': COMPILED_CONTROLLER })
    own.write({ 'src/app.js': app(UNSAFE_OPTIONS.map(([, wrong]) => wrong).join('\n  ')) })
    const before = await own.run(['doctor', '--json'])
    expect(before.status).toBe(0)
    const places = findingsOf(before).map((found) => `${found.code} ${placeOf(found)}`)
    expect(places.sort()).toEqual(UNSAFE_OPTIONS.map(([code]) => `${code} src/app.js`))
    for (const [code, , words] of UNSAFE_OPTIONS) expect(rows.get(code)?.join(' ')).toContain(words)
    own.write({ 'src/app.js': app(UNSAFE_OPTIONS.map(([, , , right]) => right).join('\n  ')) })
    expect(findingsOf(await own.run(['doctor', '--json', '--strict']))).toEqual([])
  })

  it('without problems has no findings', async () => {
    expect(await runHere(project(), '--strict')).toEqual({
      status: 0,
      stdout:
        'Checked: packages, optional packages.\nNot checked:\n  application: no module of an application was found\n  database: the code does not use blazon/postgres\n',
      stderr: 'No problems were found.\n',
    })
  })

  it('is examined as far as possible even if it is empty', async () => {
    const own = project({ 'package.json': null })
    own.removeFolder('node_modules')
    const { status, stdout } = await runHere(own)
    expect(status).toBe(0)
    expect(stdout).toContain('packages: blazon is not installed in this project')
  })

  it('results in exit status 1 for warnings with --strict, and otherwise in 0', async () => {
    const own = project(OLD_PEER)
    expect((await runHere(own)).status).toBe(0)
    const strict = await runHere(own, '--strict')
    expect(strict).toMatchObject({ status: 1, stderr: '0 errors, 1 warning.\n' })
    const asJson = await runHere(own, '--strict', '--json')
    expect(asJson).toMatchObject({ status: 1, stderr: strict.stderr })
    expect(findingsOf(asJson)).toMatchObject([{ severity: 'warning' }])
    expect((await runHere(own, '--json')).status).toBe(0)
  })

  it('results in exit status 2 if the command is used incorrectly', async () => {
    const own = project()
    expect(await runHere(own, '--entry', 'none.js')).toMatchObject({ status: 2, stdout: '' })
    expect(await runHere(own, '--stric')).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('an application that does not start', () => {
  const controller = { 'src/users-controller.js': COMPILED_CONTROLLER }

  it('has a finding with a line for each problem, in addition to findings in files', async () => {
    const second = app('').replace('[UsersController]', '[UsersController, Twice]')
    const own = project({
      ...controller,
      ...OLD_PEER,
      'src/app.js': `${second}\nimport { Twice } from './twice.js'\n`,
      'src/twice.js': COMPILED_CONTROLLER.replaceAll('UsersController', 'Twice'),
    })
    const outcome = await own.run(['doctor', '--json'])
    expect(outcome.status).toBe(1)
    const found = findingsOf(outcome)
    expect(found).toContainEqual(expect.objectContaining({ code: 'W_PEER_OLD' }))
    const twice = found.find(({ code }) => code === 'E_ROUTE_DUPLICATE') as Found
    expect(twice).toMatchObject({ group: 'application', severity: 'error' })
    expect(placeOf(twice)).toMatch(/^src\/(?:twice|users-controller)\.js:11$/)
  })

  it('has errors instead of warnings if the option strict is set', async () => {
    const own = project({ ...controller, 'src/app.js': app('strict: true, colour: 1,') })
    const found = findingsOf(await own.run(['doctor', '--json']))
    expect(found).toContainEqual(
      expect.objectContaining({
        code: 'W_OPTION_UNKNOWN',
        severity: 'error',
        file: 'src/app.js',
        line: null,
      }),
    )
  })

  it('has a finding if it ends the process', async () => {
    const own = project({ 'src/app.js': 'process.exit(3)\n' })
    const [found] = findingsOf(await own.run(['doctor', '--json']))
    expect(found).toMatchObject({ code: 'E_APP_FAILED', file: 'src/app.js' })
    expect(found?.cause).toContain('ended the process with status 3')
  })

  it('is not expected in a module that only has a typical file name', async () => {
    const own = project({ 'src/index.js': 'export const sum = (a, b) => a + b\n' })
    const { findings, notChecked } = JSON.parse((await own.run(['doctor', '--json'])).stdout)
    expect(findings).toEqual([])
    expect(notChecked).toContainEqual({
      group: 'application',
      reason: 'src/index.js has no application',
    })
  })
})

describe('environment variables', () => {
  const ENV = `import { App, env } from 'blazon'
import { z } from 'zod'
export const Env = env(z.object({ KEY: z.string() }))
const { KEY } = Env.read()
export const app = new App({ logger: process.env.NODE_ENV === 'production' && KEY === 'k' ? false : undefined })
`
  const read = async (own: Project) => JSON.parse((await own.run(['doctor', '--json'])).stdout)

  it('are read from .env instead of the production environment', async () => {
    const own = project({ 'src/app.js': ENV, '.env': 'KEY=k\nNODE_ENV=test\n' }, ['zod'])
    const { findings, notChecked } = await read(own)
    expect(findings).toMatchObject([{ code: 'W_LOGGER_OFF' }])
    expect(JSON.stringify(notChecked)).not.toContain('production')
  })

  it('are reported as errors if they are missing', async () => {
    const own = project({ 'src/app.js': ENV }, ['zod'])
    const { findings, notChecked } = await read(own)
    expect(findings).toMatchObject([{ code: 'E_ENV_INVALID', subject: 'KEY' }])
    expect(notChecked).toContainEqual({
      group: 'application',
      reason:
        'the differences in production, because the application requires these variables there: KEY',
    })
  })
})

const TENANTS = `import { App } from 'blazon'
import { postgres } from 'blazon/postgres'
export const app = new App({ plugins: [postgres({ url: 'postgres://a@localhost/b' })], tenant: { required: true } })
`

describe('the database', () => {
  const reasonOf = async (own: Project, ...args: string[]) => {
    const { stdout } = await own.run(['doctor', '--json', ...args])
    const { notChecked } = JSON.parse(stdout) as { notChecked: { group: string; reason: string }[] }
    return notChecked.find(({ group }) => group === 'database')?.reason
  }

  it('is not checked without a URL, without tenants, or if it cannot be reached', async () => {
    const own = project({ 'src/app.js': TENANTS }, ['pg'])
    expect(await reasonOf(own)).toContain('DATABASE_URL is not set')
    const url = 'postgres://a:secret@127.0.0.1:1/b'
    const unreachable = await reasonOf(own, '--url', url)
    expect(unreachable).toContain('ECONNREFUSED')
    expect(unreachable).not.toContain('secret')
    own.write({ 'src/app.js': TENANTS.replace('tenant: { required: true }', '') })
    expect(await reasonOf(own, '--url', url)).toContain('has no tenants')
    own.write({ 'src/app.js': "import 'blazon/postgres'\nthrow new Error('no')\n" })
    expect(await reasonOf(own, '--url', url)).toContain('could not be read')
  })
})

describeWithServer('the database of an application with tenants', () => {
  it('is checked in the same way as by `blazon db doctor`', async () => {
    await using server = await Server.start({ hasPasswords: true })
    const own = project({ 'src/app.js': TENANTS }, ['pg'])
    own.write({ '.env': `DATABASE_URL=${server.url(SUPERUSER, { password: PASSWORD })}\n` })
    const outcome = await own.run(['doctor', '--json'])
    expect(outcome.status).toBe(1)
    expect(findingsOf(outcome)).toContainEqual(
      expect.objectContaining({
        group: 'database',
        code: 'E_DATABASE_LOGIN',
        file: null,
        line: null,
      }),
    )
    expect(outcome.stdout).not.toContain(PASSWORD)
  })
})

describe('the doctor finds no error', () => {
  const PACKAGES = ['zod', 'pg', 'redis', 'jose', '@electric-sql/pglite']
  const errorsOf = async (own: Project, folder: string) => {
    const outcome = await own.run(['doctor', '--json'], folder)
    const errors = findingsOf(outcome).filter(({ severity }) => severity === 'error')
    expect({ errors, status: outcome.status }).toEqual({ errors: [], status: 0 })
    const { checked } = JSON.parse(outcome.stdout)
    expect(checked).toEqual(
      expect.arrayContaining(['packages', 'optional packages', 'application']),
    )
  }

  it.each([
    ['minimal', 'standard'],
    ['service', 'legacy'],
    ['saas', 'standard'],
  ])('in the template %s with %s decorators', async (template, dialect) => {
    const own = useFastTsx(new Project(PACKAGES))
    onTestFinished(() => own.remove())
    const options = [
      '--template',
      template,
      '--decorators',
      dialect,
      '--no-install',
      '--no-git',
      '--yes',
    ]
    expect(await own.run(['new', 'made', ...options])).toMatchObject({ status: 0 })
    await errorsOf(own, 'made')
  })

  it('in examples/orders, whose repository also has other programs', async () => {
    const own = new Project()
    onTestFinished(() => own.remove())
    await errorsOf(own, relative(own.folder, join(root, 'examples/orders')))
  })
})

describe('docs/doctor.md', () => {
  it('lists exactly the codes of the doctor, and these tests have a case for each code', () => {
    const sources = ['cli/doctor/finding.ts', 'app/doctor/production-options.ts']
    const codes = sources.flatMap((path) => {
      const text = readFileSync(join(root, 'src', path), 'utf8')
      return [...text.matchAll(/^ {2}\| '([EW]_[A-Z_]+)'/gm)].map(([, code]) => code as string)
    })
    expect(codes.length).toBeGreaterThan(7)
    const documented = [...read('docs/doctor.md').matchAll(/^\| `([EW]_[A-Z_]+)`/gm)].map(
      ([, code]) => code,
    )
    expect(documented).toEqual([...codes].sort())
    const unsafe = UNSAFE_OPTIONS.map(([code]) => code)
    const cases = new Set<string>([...CASES.map(({ code }) => code), ...unsafe])
    expect(codes.filter((code) => !cases.has(code))).toEqual([])
  })

  it('shows the output of the command', async () => {
    const own = useFastTsx(project())
    for (const { text } of blocksOf('docs/doctor.md')) {
      const [, name = '', content = ''] = /^\/\/ (\S+)\n(.*)$/s.exec(text) ?? []
      // JSON has no comments.
      if (name !== '') own.write({ [name]: name.endsWith('.ts') ? text : content })
    }
    const shown = blocksOf('docs/doctor.md').find(({ info }) => info === 'console')?.text
    const { stdout, stderr, status } = await own.run(['doctor'])
    expect(`$ npx blazon doctor\n${stdout}${stderr}`).toBe(shown)
    expect(status).toBe(0)
  })
})
