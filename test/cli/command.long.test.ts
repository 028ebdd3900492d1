import { cpSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../root.js'
import { builtPackage } from './built-package.js'
import { COMPILED_CONTROLLER, MAIN, type Project, USERS_CONTROLLER } from './project.js'
import { useProjects } from './use-projects.js'

const project = useProjects()

const STANDARD = { compilerOptions: { target: 'es2022', module: 'nodenext' } }
const LEGACY = { compilerOptions: { ...STANDARD.compilerOptions, experimentalDecorators: true } }

/** Parameter decorators exist only in the legacy dialect. */
const LEGACY_CONTROLLER = `
import { Controller, Get, Params } from 'blazon'

const Id = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

@Controller('users')
export class UsersController {
  @Get(':id')
  getById(@Params(Id) params: { id: string }) {
    return params
  }
}
`

const ROW = 'GET  /users/:id  UsersController.getById  public\n'

describe.each([
  ['standard decorators, ESM', 'module', STANDARD, USERS_CONTROLLER],
  ['standard decorators, CommonJS', 'commonjs', STANDARD, USERS_CONTROLLER],
  ['experimentalDecorators, ESM', 'module', LEGACY, LEGACY_CONTROLLER],
  ['experimentalDecorators, CommonJS', 'commonjs', LEGACY, LEGACY_CONTROLLER],
])('a project with %s', (_, type, config, controller) => {
  it('is read from any working directory without being started', async () => {
    const own = project().write({
      'package.json': { type },
      'tsconfig.json': config,
      'src/users-controller.ts': controller,
      'src/main.ts': `${MAIN}\nvoid app.listen(3000)\n`,
      'other/tsconfig.json': config === LEGACY ? STANDARD : LEGACY,
    })
    const routes = await own.run(['routes', '--entry', '../src/main.ts'], 'other')
    expect(routes).toEqual({
      status: 0,
      stdout: ROW,
      stderr: 'printed by the application\n1 route\n',
    })
  })
})

describe.each(['module', 'commonjs'])('a .cts module in a package of type %s', (type) => {
  it('is read', async () => {
    const own = project().write({
      'package.json': { type },
      'tsconfig.json': STANDARD,
      'src/users-controller.cts': USERS_CONTROLLER,
      'src/app.cts': `
import { App } from 'blazon'
import { UsersController } from './users-controller.cjs'

export const app: App = new App({ controllers: [UsersController] })
`,
    })
    expect(await own.run(['routes'])).toMatchObject({ status: 0, stdout: ROW })
  })
})

describe('an application', () => {
  let own: Project

  beforeAll(() => {
    own = project().write({
      'package.json': { type: 'module' },
      'users-controller.js': COMPILED_CONTROLLER,
      'app.js': MAIN,
    })
  })

  const rows = async (text: string, name = 'entry.js') => {
    own.write({ [name]: text })
    const outcome = await own.run(['routes', '--entry', name])
    expect(outcome).toMatchObject({ status: 0 })
    return outcome.stdout
  }

  it.each([
    [
      'listens at top level',
      "import { app } from './app.js'\nawait app.listen()\nthrow new Error('ran')",
    ],
    [
      'listens with `signals: true`',
      `import { app } from './app.js'
       const before = process.listenerCount('SIGTERM')
       void app.listen(3000, { signals: true })
       if (process.listenerCount('SIGTERM') !== before) throw new Error('it would')`,
    ],
    [
      'is not exported',
      `import { App } from 'blazon'
       import { UsersController } from './users-controller.js'
       await App.create({ controllers: [UsersController] })`,
    ],
    [
      'is mounted in a server of its own',
      `import { createServer } from 'node:http'
       import { once } from 'node:events'
       import { app } from './app.js'
       await once(createServer(app.handler).listen(3000), 'listening')
       throw new Error('a port was opened')`,
    ],
    [
      'is exported beside other applications',
      `import { App } from 'blazon'
       export { app } from './app.js'
       export const admin = new App()`,
    ],
    [
      'is exported as the default',
      `import { App } from 'blazon'
       import { app } from './app.js'
       new App()
       export default app`,
    ],
    [
      'consists only of options',
      `import { defineAppOptions } from 'blazon'
       import { UsersController } from './users-controller.js'
       export const options = defineAppOptions({ controllers: [UsersController] })`,
    ],
    [
      'is created by a function that starts it',
      `import { App } from 'blazon'
       import { UsersController } from './users-controller.js'
       export async function createApp() {
         return await App.create({ controllers: [UsersController] })
       }`,
    ],
    [
      'is created from options that a function returns',
      `import { UsersController } from './users-controller.js'
       export default async () => ({ controllers: [UsersController] })`,
    ],
  ])('is found if it %s', async (_, text) => {
    expect(await rows(text)).toBe(ROW)
  })

  it('is read from compiled JavaScript without tsx', async () => {
    const compiled = project([]).write({
      'package.json': { type: 'commonjs', blazon: './dist/server.js' },
      'dist/server.js': `
        const { App, Controller, Get } = require('blazon')
        class X { hello() {} }
        Get()(X.prototype, 'hello', Object.getOwnPropertyDescriptor(X.prototype, 'hello'))
        Controller('x')(X)
        exports.app = new App({ controllers: [X] })
        exports.app.listen(3000)
      `,
    })
    const outcome = await compiled.run(['routes', '--json'])
    expect(JSON.parse(outcome.stdout)).toEqual([
      {
        method: 'GET',
        path: '/x',
        controller: 'X',
        handler: 'hello',
        isProtected: false,
        isAuthOptional: false,
      },
    ])
  })

  it('can use a different copy of the package than the command', async () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const twofold = project(['tsx', 'zod', ...Object.keys(dependencies)]).write({
      'package.json': { type: 'module' },
      'service/users-controller.ts': USERS_CONTROLLER,
      'service/app.ts': `
        import { defineAppOptions } from 'blazon'
        import { UsersController } from './users-controller.js'
        export const options = defineAppOptions({ controllers: [UsersController] })
      `,
    })
    const copy = twofold.path('service/node_modules/blazon')
    cpSync(builtPackage(), copy, { recursive: true })
    const outcome = await twofold.run(['routes', '--entry', 'service/app.ts'])
    expect(outcome).toMatchObject({ status: 0, stdout: ROW })
  })

  it('is read by a command file that a shell can run', () => {
    expect(readFileSync(own.command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  it('has a list of routes that can be filtered by any part of a row', async () => {
    const filtered = await own.run(['routes', '--filter', 'GETBYID'])
    expect(filtered.stdout).toBe(ROW)
    const none = await own.run(['routes', '--filter', 'nothing'])
    expect(none).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('0 routes of 1'),
    })
  })
})

describe('the entry file', () => {
  it.each([
    ['blazon.config.json', { 'blazon.config.json': { entry: 'lib/x.js' } }],
    ['blazon.config.ts', { 'blazon.config.ts': "export default { entry: 'lib/x.js' as string }" }],
    ['package.json', { 'package.json': { type: 'module', blazon: { entry: 'lib/x.js' } } }],
  ])('can be set in %s', async (_, files) => {
    const own = project().write({
      'package.json': { type: 'module' },
      'lib/users-controller.js': COMPILED_CONTROLLER,
      'lib/x.js': MAIN,
      // The command would use this file if there were no configuration.
      'src/app.js': 'throw new Error()',
      ...files,
    })
    expect(await own.run(['routes'])).toMatchObject({ status: 0, stdout: ROW })
  })
})

describe('openapi export', () => {
  let own: Project

  beforeAll(() => {
    own = project().write({
      'package.json': { type: 'module' },
      'src/users-controller.js': COMPILED_CONTROLLER,
      'src/app.js': MAIN,
    })
  })

  const run = (...args: string[]) => own.run(['openapi', 'export', ...args])
  const lastLine = ({ stderr }: { stderr: string }) => stderr.trimEnd().split('\n').at(-1)

  it('writes the document and a client, rewrites only what differs, and compares both', async () => {
    const [doc, client] = ['openapi.json', 'src/openapi-client.ts']
    const first = await run('--client', 'typescript')
    expect(first).toMatchObject({ status: 0, stdout: '' })
    expect(lastLine(first)).toMatch(
      /^openapi\.json \(written, [\d.]+ k?B\) and src\/openapi-client\.ts \(written, [\d.]+ kB\): 1 operation\.$/,
    )
    const fresh = { doc: own.read(doc), client: own.read(client) }
    expect(Object.keys(JSON.parse(fresh.doc).paths)).toEqual(['/users/{id}'])
    expect(fresh.doc).toBe(`${JSON.stringify(JSON.parse(fresh.doc), null, 2)}\n`)
    expect(fresh.client).toContain('export function createClient(')
    const times = () => [doc, client].map((name) => statSync(own.path(name)).mtimeMs)
    const before = times()
    // The client is updated and compared even without `--client`, because the command wrote it before.
    expect(lastLine(await run())).toMatch(/^openapi\.json \(unchanged,.*client\.ts \(unchanged,/)
    expect(times()).toEqual(before)

    // Git on Windows converts line ends.
    own.write({ [doc]: fresh.doc.replaceAll('\n', '\r\n') })
    expect(await run('--check')).toMatchObject({ status: 0, stdout: '' })
    const stale = fresh.doc.replace('Get By Id', 'Get')
    own.write({ [doc]: stale, [client]: fresh.client.replace('getById', 'getByIdOnce') })
    const checked = await run('--check')
    expect(checked).toMatchObject({ status: 3, stdout: '' })
    expect(checked.stderr).toMatch(/openapi\.json, line \d+:\n.*- .*"Get"/)
    expect(checked.stderr).toContain('src/openapi-client.ts, line')
    expect(own.read(doc)).toBe(stale)
    expect(lastLine(await run())).toContain('src/openapi-client.ts (written')
    expect({ doc: own.read(doc), client: own.read(client) }).toEqual(fresh)

    // A file of the user, and the document alone on stdout.
    own.write({ [client]: 'export const own = 1\n' })
    expect(await run('--check')).toMatchObject({ status: 0 })
    expect(await run('--out', '-')).toEqual({
      status: 0,
      stdout: fresh.doc,
      stderr: 'printed by the application\n',
    })
    expect(own.read(client)).toBe('export const own = 1\n')
    expect(await run('--out', 'docs/api.yml')).toMatchObject({ status: 0 })
    expect(parse(own.read('docs/api.yml'))).toEqual(JSON.parse(fresh.doc))
  })

  it('fails on warnings with --strict, and otherwise prints them', async () => {
    own.write({
      'src/odd.js': `
        import { App } from 'blazon'
        import { UsersController } from './users-controller.js'
        export const app = new App({ controllers: [UsersController], nonsense: 1 })
      `,
    })
    const lenient = await run('--entry', 'src/odd.js', '--out', '-')
    expect(lenient).toMatchObject({ status: 0, stderr: expect.stringContaining('nonsense') })
    const strict = await run('--entry', 'src/odd.js', '--out', 'strict.json', '--strict')
    expect(strict).toMatchObject({ status: 1, stderr: expect.stringContaining('nonsense') })
    expect(own.has('strict.json')).toBe(false)
  })

  it('fails for a decorator of another framework', async () => {
    own.write({
      'src/guarded.js': `
        import { App } from 'blazon'
        import { UsersController } from './users-controller.js'
        Reflect.getOwnMetadataKeys = (target) => (target === UsersController ? ['__guards__'] : [])
        Reflect.getOwnMetadata = () => ['JwtGuard']
        export const app = new App({ controllers: [UsersController] })
      `,
    })
    const { status, stderr } = await run('--entry', 'src/guarded.js', '--out', '-')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('@UseGuards()'),
    })
  })

  it('requires --path if there are several documents', async () => {
    own.write({
      'src/two.js': `
        import { App } from 'blazon'
        import { UsersController } from './users-controller.js'
        const swagger = [{ path: '/public' }, { path: '/admin', title: 'Admin', include: () => false }]
        export const app = new App({ controllers: [UsersController], swagger })
      `,
    })
    const vague = await run('--entry', 'src/two.js', '--out', '-')
    expect(vague).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('/public, /admin'),
    })
    const admin = await run('--entry', 'src/two.js', '--out', '-', '--path', '/admin')
    expect(JSON.parse(admin.stdout)).toMatchObject({ info: { title: 'Admin' }, paths: {} })
  })

  it('writes a document that openapi diff can compare with the application', async () => {
    await run('--out', 'base.json')
    const base = JSON.parse(own.read('base.json'))
    base.paths['/gone'] = { get: { operationId: 'gone', responses: {} } }
    own.write({ 'base.json': base })
    const diff = await own.run(['openapi', 'diff', 'base.json'])
    expect(diff).toMatchObject({
      status: 0,
      stdout: 'GET /gone\n  breaking  The operation was removed. (operation-removed)\n',
    })
    const breaking = await own.run([
      'openapi',
      'diff',
      'base.json',
      '--breaking',
      '--format',
      'json',
    ])
    expect(breaking.status).toBe(3)
    expect(JSON.parse(breaking.stdout)).toMatchObject([
      { rule: 'operation-removed', isBreaking: true },
    ])
  })
})
