import { execFile } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { root } from '../root.js'
import { builtPackage } from './built-package.js'
import { Project } from './project.js'
import { useFastTsx } from './use-fast-tsx.js'

const run = promisify(execFile)

let project: Project | undefined
afterEach(() => project?.remove())

const PACKAGES = [
  '@types/node',
  '@types/supertest',
  'jose',
  'supertest',
  'zod',
  '@electric-sql/pglite',
  'pg',
  'redis',
  'fast-check',
]

/** The environment of a user: nothing that this runner or npm has set. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_|TEST$|npm_|DATABASE_URL$|REDIS_URL$)/.test(name),
  ),
)

/** What `blazon new` makes, with the packages of this repository. */
async function make(): Promise<Project> {
  const made = new Project([])
  rmSync(join(made.folder, 'node_modules'), { recursive: true })
  const fixed = ['--name', 'made', '--no-install', '--no-git']
  const options = ['--template', 'service', '--decorators', 'legacy', '--test', 'node']
  const command = join(builtPackage(), 'dist/cli/main.js')
  await run(process.execPath, [command, 'new', made.folder, ...fixed, ...options])
  made.install('blazon', builtPackage())
  for (const name of PACKAGES) made.install(name, join(root, 'node_modules', name))
  return useFastTsx(made)
}

/** Runs a program of Node in the project. Rejects with its output when it fails. */
async function node(made: Project, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(process.execPath, args, { cwd: made.folder, env: environment })
    return stdout
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string }
    throw new Error([message, stdout, stderr].join('\n'))
  }
}

/** The parts of a project: some of the same name, and some in a module. */
const PARTS = [
  'controller orders',
  'module billing',
  'controller invoices --dir src/billing',
  'plugin audit',
  'guard session',
  'migration create_orders',
]

/** Pastes the lines that the command prints into the application. A list that exists gets their item. */
function paste(stdout: string, made: Project): void {
  const [, import_ = '', key = '', item = ''] =
    /^ {2}(import .*)\n {2}(\w+: \[)(\w+)\],\n$/m.exec(stdout) ?? []
  const app = made.read('src/app.ts')
  const list = app.includes(key)
    ? app.replace(key, `${key}${item}, `)
    : app.replace(/controllers:/, `${key}${item}],\n  controllers:`)
  expect(list).not.toBe(app)
  made.write({ 'src/app.ts': `${import_}\n${list}` })
}

// `test/scaffold` adds parts to installed projects of the other templates.
it('the template service with legacy decorators passes its checks and tests with added parts', async () => {
  const made = await make()
  project = made
  for (const part of PARTS) {
    const { status, stdout, stderr } = await made.run(['add', ...part.split(' ')])
    expect({ part, status, stderr }).toEqual({ part, status: 0, stderr: '' })
    if (!/^(?:guard|migration)/.test(part)) paste(stdout, made)
  }
  // `npm run openapi`, then the two parts of `npm run check`.
  expect(await made.run(['openapi', 'export'])).toMatchObject({ status: 0 })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await node(made, [tsc])
  // Older code has these, too.
  await node(made, [tsc, '--emitDecoratorMetadata', '--noUnusedParameters'])
  expect(await made.run(['openapi', 'export', '--check'])).toMatchObject({ status: 0 })
  const paths = Object.keys(JSON.parse(made.read('openapi.json')).paths)
  expect(paths).toEqual(expect.arrayContaining(['/orders/{id}', '/billing/{id}', '/invoices/{id}']))
  const token = await node(made, ['--import', 'tsx', 'scripts/token.ts'])
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const tests = readdirSync(made.path('test')).filter((name) => name.endsWith('.test.ts'))
  // The proof of isolation sends many requests. It runs with the tests of the templates.
  const files = tests.filter((name) => name !== 'isolation.test.ts').map((name) => `test/${name}`)
  expect(files).toHaveLength(6)
  const runner = ['--import', 'tsx', '--test', '--test-reporter', 'tap']
  const report = await node(made, [...runner, ...files])
  expect(report).toMatch(/^# fail 0$/m)
  expect(Number(/^# pass (\d+)$/m.exec(report)?.[1])).toBeGreaterThan(8)
})
