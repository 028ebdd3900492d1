import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AddedTo } from './add-run.js'

const CODE = ['controller', 'module', 'plugin', 'guard'] as const
const APP = "import { App } from 'blazon';\nnew App({ controllers: [] });\n"
const PROJECT = { 'src/app.ts': APP }

describe('blazon add', () => {
  it.each([
    [
      'controller order-items',
      ['src/order-items-controller.ts', 'test/order-items-controller.test.ts'],
      "import { OrderItemsController } from './order-items-controller.js';",
      'controllers: [OrderItemsController],',
    ],
    [
      'module billing',
      [
        'src/billing/billing-module.ts',
        'src/billing/billing-controller.ts',
        'test/billing-module.test.ts',
      ],
      "import { billingModule } from './billing/billing-module.js';",
      'modules: [billingModule],',
    ],
    [
      'plugin audit --dir src/plugins',
      ['src/plugins/audit-plugin.ts', 'test/audit-plugin.test.ts'],
      "import { auditPlugin } from './plugins/audit-plugin.js';",
      'plugins: [auditPlugin],',
    ],
    [
      'guard token',
      ['src/token-guard.ts', 'test/token-guard.test.ts'],
      "import { TokenGuard } from './token-guard.js';",
      'auth: { guard: TokenGuard },',
    ],
  ])(
    'creates files, prints the lines to paste, and changes no existing file: %s',
    async (words, files, import_, line) => {
      const project = new AddedTo(PROJECT)
      const before = Object.keys(project.files())
      const { status, stdout, stderr } = await project.add(words)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const list = files.map((path) => `${path} (new)\n`).join('')
      expect(stdout).toBe(`${list}\nAdd to the application:\n  ${import_}\n  ${line}\n`)
      expect(Object.keys(project.files()).sort()).toEqual([...before, ...files].sort())
      expect(project.read('src/app.ts')).toBe(APP)
    },
  )

  it('does not warn about access to a controller if `auth.default` decides it', async () => {
    const app = "new App({ auth: { guard: TokenGuard, default: 'protected' } })"
    const { stdout } = await new AddedTo({ 'src/app.ts': app }).add('controller orders')
    expect(stdout).not.toMatch(/public|protected|@Auth/)
  })

  it('writes schemas if zod is installed, and tests for the test runner of the project', async () => {
    const zod = '{"dependencies":{"zod":"^4"}}'
    const project = new AddedTo({ 'package.json': zod, 'index.ts': '' })
    await project.add('controller orders')
    // A project without `src` has its code beside package.json.
    expect(project.read('orders-controller.ts')).toContain("@Post('', { body: NewOrders })")
    const test = project.read('test/orders-controller.test.ts')
    expect(test).toContain("from '../orders-controller.js'")
    expect(test).toContain("from 'node:test'")
  })

  it('works in any folder of the project', async () => {
    const project = new AddedTo(PROJECT)
    await project.add('controller orders', 'src')
    await project.add('guard token --dir auth', 'src')
    expect(Object.keys(project.files())).toEqual(
      expect.arrayContaining(['src/orders-controller.ts', 'src/auth/token-guard.ts']),
    )
  })

  it.each([
    'src/orders-controller.ts',
    'test/orders-controller.test.ts',
    'src/orders-controller.ts/x',
  ])('replaces no file, and writes nothing if a file exists: %s', async (path) => {
    const project = new AddedTo({ ...PROJECT, [path]: '// mine\n' })
    const before = project.files()
    const { status, stderr } = await project.add('controller orders')
    expect(status).toBe(2)
    expect(stderr).toMatch(/exists|is a folder/)
    expect(project.files()).toEqual(before)
  })

  it('writes only inside the project, even if links lead out of it', async () => {
    const project = new AddedTo(PROJECT)
    const outside = mkdtempSync(join(tmpdir(), 'blazon-outside-'))
    onTestFinished(() => rmSync(outside, { recursive: true }))
    symlinkSync(outside, join(project.folder, 'link'))
    for (const dir of ['..', '../x', 'link', 'link/x', outside]) {
      const { status, stderr } = await project.add(['guard', 'token', '--dir', dir])
      expect(status).toBe(2)
      expect(stderr).toContain('is outside the project')
    }
    symlinkSync(outside, join(project.folder, 'test'))
    expect(await project.add('guard token --dir other')).toMatchObject({ status: 2 })
    expect(readdirSync(outside)).toEqual([])
    expect(existsSync(join(project.folder, 'other'))).toBe(false)
  })

  it.each(['{', '[]x'])('rejects an invalid package.json: %j', async (manifest) => {
    const { status, stderr } = await new AddedTo({ 'package.json': manifest }).add('guard token')
    expect(status).toBe(2)
    expect(stderr).toContain('is not inside a project')
  })

  it('requires a kind and one name', async () => {
    const project = new AddedTo(PROJECT)
    for (const words of ['controller', 'service orders', 'controller a b']) {
      expect(await project.add(words)).toMatchObject({ status: 2 })
    }
  })
})

describe('a name passed to blazon add', () => {
  it.each([
    '',
    '.',
    '../orders',
    'a/b',
    'a\\b',
    '/etc/x',
    'a b',
    '1st',
    '-x',
    '_x',
    'a--b',
    'a-',
    'é',
    "a'b",
    '`a`',
    'a\0b',
    'x'.repeat(61),
  ])('is refused: %j', async (name) => {
    const project = new AddedTo(PROJECT)
    const before = project.files()
    const { status, stderr } = await project.add(['controller', '--', name])
    expect(status).toBe(2)
    expect(stderr).toContain('cannot be the name of a controller')
    expect(stderr).toContain('blazon add controller order-items')
    expect(project.files()).toEqual(before)
  })

  it('can be spelled in several ways, and can end with the kind', async () => {
    for (const name of ['OrderItems', 'order_items', 'OrderItemsController']) {
      const project = new AddedTo(PROJECT)
      await project.add(['controller', name])
      expect(project.read('src/order-items-controller.ts')).toContain("@Controller('order-items')")
    }
  })

  it.each(['class', 'new', 'constructor', 'toString', 'default'])(
    'is converted to a valid identifier if it is a reserved word: %s',
    async (name) => {
      for (const kind of CODE) {
        expect(await new AddedTo(PROJECT).add([kind, name])).toMatchObject({ status: 0 })
      }
    },
  )

  it.each([
    ['guard', 'auth', 'AuthGuard'],
    ['plugin', 'plugin', 'Plugin'],
    ['plugin', 'get', 'Get'],
  ])('is refused if the created files import the same name: %s %s', async (kind, name, taken) => {
    const project = new AddedTo(PROJECT)
    const before = project.files()
    const { status, stderr } = await project.add([kind, name])
    expect(status).toBe(2)
    expect(stderr).toContain(`${taken} is a name that the file imports.`)
    expect(project.files()).toEqual(before)
  })
})

describe('blazon add migration', () => {
  it('uses the next number, and refuses an existing name', async () => {
    const project = new AddedTo({ ...PROJECT, 'migrations/0009_create_notes.sql': 'select 1' })
    const first = await project.add('migration AddNotes')
    expect(first).toEqual({
      status: 0,
      stderr: '',
      stdout: `migrations/0010_add_notes.sql (new)

Write its statements before you save another file, because \`blazon dev\` applies new migrations at each restart. A migration without a statement is refused.
`,
    })
    const before = project.files()
    for (const words of ['add_notes', 'create_notes']) {
      const { status, stderr } = await project.add(['migration', words])
      expect(status).toBe(2)
      expect(stderr).toMatch(/^migrations\/\d+_\w+\.sql exists\./)
    }
    expect(project.files()).toEqual(before)
  })

  it('uses the number 0001 first, in the folder passed with --dir', async () => {
    const project = new AddedTo(PROJECT)
    await project.add('migration create_orders --dir db/steps')
    expect(project.read('db/steps/0001_create_orders.sql')).toMatch(/^-- Write the statements here/)
  })

  it('uses the next number even after a timestamp', async () => {
    const project = new AddedTo({ ...PROJECT, 'migrations/20261231235959_a.sql': '' })
    expect((await project.add('migration b')).stdout).toContain('migrations/20261231235960_b.sql')
  })

  it('creates a tenant table if an earlier migration has one', async () => {
    const notes = { 'migrations/0001_notes.sql': 'create table notes (tenant_id text)' }
    const project = new AddedTo({ ...PROJECT, ...notes })
    const { stdout } = await project.add('migration create_orders')
    expect(stdout).toContain('`blazon dev` applies new migrations at each restart')
    expect(project.read('migrations/0002_create_orders.sql')).toMatch(
      /^create table orders \(\n {2}tenant_id text[\s\S]*force row level security/,
    )
  })
})
