import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AddedTo, APP, PROJECT } from './add-run.js'

const CODE = ['controller', 'module', 'plugin', 'guard'] as const

describe('blazon add', () => {
  it('writes a controller with its test, and lists it', async () => {
    const project = new AddedTo(PROJECT)
    const { status, stdout, stderr } = await project.add('controller order-items')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(`src/order-items-controller.ts (new)
test/order-items-controller.test.ts (new)
src/app.ts (changed)
  3 + import { OrderItemsController } from './order-items-controller.js'
  5 -   controllers: [HelloController],
  6 +   controllers: [HelloController, OrderItemsController],
`)
    expect(project.read('src/app.ts')).toBe(`import { defineAppOptions } from 'blazon'
import { HelloController } from './hello-controller.js'
import { OrderItemsController } from './order-items-controller.js'

export const options = defineAppOptions({
  controllers: [HelloController, OrderItemsController],
})
`)
    expect(project.read('src/order-items-controller.ts')).toContain("@Controller('order-items')")
    const test = project.read('test/order-items-controller.test.ts')
    expect(test).toContain("from '../src/order-items-controller.js'")
    expect(test).toContain("from 'vitest'")
  })

  it('writes a module with a controller in a folder of its own, then a controller into the module', async () => {
    const project = new AddedTo(PROJECT)
    expect(await project.add('module billing')).toMatchObject({ status: 0, stderr: '' })
    expect(project.read('src/app.ts')).toContain(`  controllers: [HelloController],
  modules: [billingModule],
})`)
    await project.add('controller invoices --dir src/billing')
    expect(project.read('src/billing/billing-module.ts')).toBe(`import type { Module } from 'blazon'
import { BillingController } from './billing-controller.js'
import { InvoicesController } from './invoices-controller.js'

export const billingModule: Module = {
  name: 'billing',
  controllers: [BillingController, InvoicesController],
}
`)
    // The folder of a module is not the folder of controllers without one.
    await project.add('controller users')
    await project.add('module shipping')
    expect(Object.keys(project.files())).toEqual(
      expect.arrayContaining(['src/users-controller.ts', 'src/shipping/shipping-module.ts']),
    )
    expect(project.read('src/app.ts')).toContain('[HelloController, UsersController]')
    expect(project.read('src/app.ts')).toContain('modules: [billingModule, shippingModule],')
  })

  it('lists plugins, and a guard where there is none', async () => {
    const project = new AddedTo(PROJECT)
    for (const part of ['plugin audit', 'plugin trail', 'guard token']) {
      expect(await project.add(part)).toMatchObject({ status: 0, stderr: '' })
    }
    expect(project.read('src/app.ts')).toContain(`  plugins: [auditPlugin, trailPlugin],
  auth: { guard: TokenGuard },
})`)
    const { status, stdout } = await project.add('guard session')
    expect(status).toBe(0)
    expect(stdout).toContain('src/app.ts has a guard already')
    expect(stdout).toContain('  auth: { guard: SessionGuard },\n')
    expect(project.read('src/app.ts')).not.toContain('SessionGuard')
  })

  it.each(CODE)('changes nothing when it runs again: %s', async (kind) => {
    const project = new AddedTo(PROJECT)
    await project.add(`${kind} orders`)
    const files = project.files()
    for (const name of ['orders', 'Orders', `orders-${kind}`]) {
      const { status, stdout, stderr } = await project.add([kind, name])
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toMatch(/^(?:\S+ \(unchanged\)\n){3,4}Nothing to do\.\n$/)
    }
    expect(project.files()).toEqual(files)
  })

  it('lists a part again that was taken out of the list, and leaves one that was moved', async () => {
    const project = new AddedTo(PROJECT)
    await project.add('controller orders')
    const added = project.read('src/app.ts')
    project.write({ 'src/app.ts': APP })
    expect((await project.add('controller orders')).stdout).toContain('src/app.ts (changed)')
    expect(project.read('src/app.ts')).toBe(added)
    const moved =
      "import { OrdersController } from './orders-controller.js'\nexport const all = [OrdersController]\n"
    project.write({ 'src/app.ts': APP, 'src/all.ts': moved })
    expect((await project.add('controller orders')).stdout).toContain('src/all.ts (unchanged)')
    expect(project.read('src/app.ts')).toBe(APP)
  })

  it.each(CODE)('prints all it would do with --dry-run: %s', async (kind) => {
    const project = new AddedTo(PROJECT)
    const before = project.files()
    const { status, stdout } = await project.add(`${kind} orders --dry-run`)
    expect(status).toBe(0)
    expect(project.files()).toEqual(before)
    expect(stdout).toMatch(/Nothing was written: --dry-run\.\n$/)
    await project.add(`${kind} orders`)
    const after = project.files()
    for (const [path, text] of Object.entries(after)) {
      if (before[path] === text) continue
      expect(stdout).toContain(`${path} (${path in before ? 'changed' : 'new'})\n`)
      const gone = before[path]?.split('\n') ?? []
      for (const line of text.split('\n').filter((each) => each !== '' && !gone.includes(each))) {
        expect(stdout).toContain(`+ ${line}\n`)
      }
    }
  })

  it('says that the document is out of date, if there is one', async () => {
    const project = new AddedTo({ ...PROJECT, 'openapi.json': '{}' })
    expect((await project.add('controller orders')).stdout).toContain('npx blazon openapi export')
    expect((await project.add('guard token')).stdout).not.toContain('openapi')
  })

  it('runs in any folder of the project', async () => {
    const project = new AddedTo(PROJECT)
    await project.add('controller orders', 'src')
    expect(existsSync(join(project.folder, 'src/orders-controller.ts'))).toBe(true)
    await project.add('guard token --dir auth', 'src')
    expect(existsSync(join(project.folder, 'src/auth/token-guard.ts'))).toBe(true)
  })
})

/** A project with a guard, tenants and a test of its own. */
const GUARDED = {
  'package.json': '{"dependencies":{"zod":"^4"},"devDependencies":{"vitest":"^4"}}',
  'src/app.ts': APP.replace(
    'controllers',
    'auth: { guard: TokenGuard },\n  tenant: {},\n  controllers',
  ),
}

const OWN_TEST = `import { TestApp } from 'blazon/testing'
import { it } from 'vitest'
import { options } from '../../src/app.js'
import { Env, type Other } from '../../src/env.js'

const TOKEN = 'token-of-the-test'

it('runs', async () => {
  await using app = await TestApp.create({
    ...options,
    // The environment of the test.
    testOverrides: [
      { token: Env, useValue: Env.read({ TOKEN }) },
    ],
  })
})
`

describe('a controller in a project with a guard and tenants', () => {
  it('needs a user and a tenant, validates its input, and is tested as the rest', async () => {
    const project = new AddedTo({ ...GUARDED, 'test/notes/notes.test.ts': OWN_TEST })
    const { stdout, stderr } = await project.add('controller orders')
    expect(stderr).toBe('')
    expect(stdout).toContain(
      'OrdersController has @Auth() and @Tenant(): its routes need a user and a tenant.',
    )
    const controller = project.read('src/orders-controller.ts')
    expect(controller).toContain("@Auth()\n@Tenant()\n@Controller('orders')")
    expect(controller).toContain("@Post('', { body: NewOrders })")
    const test = project.read('test/orders-controller.test.ts')
    expect(test).toContain(`import { options } from '../src/app.js'
import { Env } from '../src/env.js'

const TOKEN = 'token-of-the-test'
`)
    expect(test).toContain(`    app = await TestApp.create({
      ...options,
      testOverrides: [
        { token: Env, useValue: Env.read({ TOKEN }) },
      ],
      contract: 'throw',
    })
    caller = app.as({ id: 'test', tenants: ['acme'] }).asTenant('acme')
`)
    expect(test).toContain("await app.request().get('/orders/7').expect(401)")
  })

  it('is listed in its test where the application does not list it', async () => {
    const app = GUARDED['src/app.ts'].replace('[HelloController]', 'all')
    const project = new AddedTo({ ...GUARDED, 'src/app.ts': app, 'test/a.test.ts': OWN_TEST })
    await project.add('controller orders')
    const test = project.read('test/orders-controller.test.ts')
    expect(test).toContain("import { OrdersController } from '../src/orders-controller.js'")
    expect(test).toContain("      contract: 'throw',\n      controllers: [OrdersController],\n")
  })

  it.each([
    ['there is none', {}],
    [
      'the test needs more than imports',
      { 'test/a.test.ts': OWN_TEST.replace('{ TOKEN }', 'read()') },
    ],
    [
      'paths are different',
      {
        'test/a.test.ts': OWN_TEST,
        'src/b.ts': "import { App } from 'blazon'\nnew App({ prefix: 'api' })",
      },
    ],
  ])('is public where no test shows its options, and says so: %s', async (_, files) => {
    const project = new AddedTo({ ...GUARDED, ...files })
    const { stdout } = await project.add('controller orders')
    expect(stdout).toContain(
      'OrdersController is public: add @Auth() and @Tenant() before its class',
    )
    expect(project.read('src/orders-controller.ts')).not.toContain('@Auth')
    expect(project.read('test/orders-controller.test.ts')).toContain('[OrdersController]')
  })
})

describe('a file that exists with another text', () => {
  it.each(['src/orders-controller.ts', 'test/orders-controller.test.ts'])(
    'is kept, and nothing is written: %s',
    async (path) => {
      const project = new AddedTo({ ...PROJECT, [path]: '// mine\n' })
      const before = project.files()
      const { status, stderr } = await project.add('controller orders')
      expect(status).toBe(2)
      expect(stderr).toContain(`${path} exists. Nothing was written.`)
      expect(project.files()).toEqual(before)
    },
  )

  it('may be a folder', async () => {
    const project = new AddedTo({ ...PROJECT, 'src/orders-controller.ts/x': '' })
    expect(await project.add('controller orders')).toMatchObject({ status: 2 })
  })

  it('counts as equal with the line ends of another system', async () => {
    const project = new AddedTo(PROJECT)
    await project.add('controller orders')
    const path = 'src/orders-controller.ts'
    project.write({ [path]: project.read(path).replaceAll('\n', '\r\n') })
    expect((await project.add('controller orders')).stdout).toContain('Nothing to do.')
  })
})

describe('a name', () => {
  it.each([
    '',
    '.',
    '..',
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
    'a;b',
    "a'b",
    '$a',
    '`a`',
    'a\0b',
    'x'.repeat(61),
  ])('%j is refused', async (name) => {
    const project = new AddedTo(PROJECT)
    const before = project.files()
    const { status, stderr } = await project.add(['controller', '--', name])
    expect(status).toBe(2)
    expect(stderr).toContain('cannot be the name of a controller')
    expect(project.files()).toEqual(before)
  })

  it.each([
    ['orders/items', 'blazon add controller items --dir src/orders'],
    ['src/orders/items', 'blazon add controller items --dir src/orders'],
    ['order items', 'blazon add controller order-items. A folder is given by --dir src/orders.'],
  ])('that is refused has an example: %s', async (name, remedy) => {
    const { stderr } = await new AddedTo(PROJECT).add(['controller', name])
    expect(stderr).toContain(`Choose another name: ${remedy}\n`)
  })

  it.each(['class', 'new', 'constructor', 'toString', 'default'])(
    'that is a word of the language becomes a name that is none: %s',
    async (name) => {
      for (const kind of CODE) {
        expect(await new AddedTo(PROJECT).add([kind, name])).toMatchObject({ status: 0 })
      }
    },
  )

  it.each([
    ['guard', 'auth', 'AuthGuard is a name of the package blazon.'],
    ['plugin', 'plugin', 'Plugin is a name of the package blazon.'],
    ['controller', 'hello', 'exists'],
    ['controller', 'greetings', 'src/other.ts has the routes of /greetings.'],
    ['module', 'greetings', 'src/other.ts has the routes of /greetings.'],
    ['controller', 'people', 'src/other.ts declares PeopleController.'],
  ])('that is taken is refused: %s %s', async (kind, name, cause) => {
    const other = `import { Controller } from 'blazon'
// @Controller('in-a-comment')
@Controller('/Greetings/')
export class PeopleController {}
`
    const project = new AddedTo({ ...PROJECT, 'src/other.ts': other })
    const before = project.files()
    const { status, stderr } = await project.add([kind, name])
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(cause) })
    expect(project.files()).toEqual(before)
    expect(await project.add('controller in-a-comment')).toMatchObject({ status: 0 })
  })

  it('and a kind are needed', async () => {
    const project = new AddedTo(PROJECT)
    for (const words of ['controller', 'service orders', 'controller a b']) {
      expect(await project.add(words)).toMatchObject({ status: 2 })
    }
  })
})

describe('--dir', () => {
  it('stays in the project, also through links', async () => {
    const project = new AddedTo(PROJECT)
    const outside = mkdtempSync(join(tmpdir(), 'blazon-outside-'))
    onTestFinished(() => rmSync(outside, { recursive: true }))
    symlinkSync(outside, join(project.folder, 'link'))
    for (const dir of ['..', '../x', 'link', 'link/x', outside, 'src/app.ts']) {
      const { status, stderr } = await project.add(['guard', 'token', '--dir', dir])
      expect(status).toBe(2)
      expect(stderr).toMatch(/is outside the project|is a file/)
    }
    rmSync(join(project.folder, 'link'))
    mkdirSync(join(project.folder, 'other'))
    symlinkSync(outside, join(project.folder, 'test'))
    expect(await project.add('guard token --dir other')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('test/token-guard.test.ts is outside the project'),
    })
    expect(readdirSync(outside)).toEqual([])
    expect(readdirSync(join(project.folder, 'other'))).toEqual([])
  })
})

describe('a folder that is no project', () => {
  it.each([
    { 'package.json': '{' },
    { 'package.json': '[]', 'README.md': '' },
    {
      'src/app.js': '',
      'types.d.ts': '',
      'node_modules/x/a.ts': '',
      'nested/package.json': '{}',
      'nested/a.ts': '',
    },
  ])('is refused: %j', async (files) => {
    const project = new AddedTo(files)
    const { status, stderr } = await project.add('controller orders')
    expect(status).toBe(2)
    expect(stderr).toContain('is not a project to which something can be added')
  })
})

describe('blazon add migration', () => {
  it('has the next number, once', async () => {
    const project = new AddedTo({ ...PROJECT, 'migrations/0009_create_notes.sql': 'select 1' })
    const first = await project.add('migration AddNotes')
    expect(first.status).toBe(0)
    expect(first.stdout).toBe(`migrations/0010_add_notes.sql (new)

Write its statements before you save another file: \`blazon dev\` applies new migrations when it restarts, and a migration without a statement is refused.
`)
    const before = project.files()
    expect(await project.add('migration add_notes')).toMatchObject({
      status: 0,
      stdout: 'migrations/0010_add_notes.sql (unchanged)\nNothing to do.\n',
    })
    expect(await project.add('migration create_notes')).toMatchObject({ status: 0 })
    expect(await project.add('migration create_orders --dry-run')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('migrations/0011_create_orders.sql (new)'),
    })
    expect(project.files()).toEqual(before)
  })

  it('begins with 0001, in the folder of --dir', async () => {
    const project = new AddedTo(PROJECT)
    await project.add('migration create_orders --dir db/steps')
    expect(project.read('db/steps/0001_create_orders.sql')).toMatch(/^-- Write the statements here/)
  })

  it('has a date behind dates, and never a smaller number', async () => {
    const project = new AddedTo({ ...PROJECT, 'migrations/20200101000000_a.sql': '' })
    await project.add('migration b')
    const [, name = ''] = readdirSync(join(project.folder, 'migrations')).sort()
    expect(name).toMatch(/^2[1-9]\d{12}_b\.sql$|^20[2-9]\d{11}_b\.sql$/)
    project.write({ 'migrations/99990101000000_c.sql': '' })
    await project.add('migration d')
    expect(existsSync(join(project.folder, 'migrations/99990101000001_d.sql'))).toBe(true)
  })

  it('is refused behind the last number', async () => {
    const project = new AddedTo({ ...PROJECT, 'migrations/9999_last.sql': '' })
    expect(await project.add('migration more')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('No migration can follow the number 9999'),
    })
  })

  it('creates a table of tenants in a project with tenants', async () => {
    const tenant = APP.replace('controllers', 'tenant: { header: "x-shop" },\n  controllers')
    const project = new AddedTo({ ...PROJECT, 'src/app.ts': tenant })
    const { stdout } = await project.add('migration create_orders')
    expect(stdout).toContain('`blazon dev` applies new migrations when it restarts')
    expect(project.read('migrations/0001_create_orders.sql')).toMatch(
      /^create table orders \(\n {2}tenant_id text[\s\S]*force row level security/,
    )
    expect(await project.add(['migration', `create_${'x'.repeat(50)}y`])).toMatchObject({
      status: 0,
    })
  })
})
