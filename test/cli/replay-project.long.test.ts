import { readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWithServer, ownServerDatabase } from '../integrations/postgres/own-database.js'
import { DevRun } from './dev-run.js'
import { madeProject, runTests } from './made-with-node-modules.js'
import { installPglite } from './pglite-stand-in.js'
import type { Project } from './project.js'
import { useFastTsx } from './use-fast-tsx.js'

/** Fails for a name without a second letter. */
const BROKEN = `import { Controller, Get, type Request } from 'blazon'

@Controller('hello')
export class HelloController {
  @Get(':name')
  greet(req: Request) {
    const second = req.params['name']?.[1]
    return { greeting: \`Hello \${second!.toUpperCase()}\` }
  }
}
`
const REPAIRED = BROKEN.replace('second!.toUpperCase()', "second?.toUpperCase() ?? ''")

/** Fails for an order without a total. */
const ORDERS = `import { Controller, Get, inject, type Request } from 'blazon'
import { Database } from 'blazon/postgres'

interface Order {
  readonly id: string
  readonly total: Date | null
  readonly customer: string
  readonly password_hash: string
}

@Controller('orders')
export class OrdersController {
  readonly #db = inject(Database)

  @Get(':id')
  async show(req: Request) {
    const id = Number(req.params['id'])
    const [order] = await this.#db.sql<Order>\`select * from orders where id = \${id}\`
    await this.#db.transaction(() => this.#db.sql\`update orders set customer = customer where id = \${id}\`)
    return { id, total: order!.total!.getTime() }
  }
}
`
const REPAIRED_ORDERS = ORDERS.replace('order!.total!.getTime()', 'order?.total?.getTime() ?? null')

const OPTIONS = `import { defineAppOptions } from 'blazon'
import { postgres } from 'blazon/postgres'
import { OrdersController } from './orders-controller.js'

export const options = defineAppOptions({
  controllers: [OrdersController],
  plugins: [postgres({ url: process.env['DATABASE_URL'] ?? 'postgres://nobody@127.0.0.1:1/none' })],
})
`

/** The ids of the capsules, once there are as many. */
async function capsules(project: Project, count: number): Promise<string[]> {
  const ids = () =>
    project.has('.blazon/capsules')
      ? readdirSync(project.path('.blazon/capsules')).filter((name) => name.endsWith('.json'))
      : []
  await expect.poll(() => ids().length, { timeout: 10_000 }).toBe(count)
  return ids().map((name) => name.replace('.json', ''))
}

// The other tests of this file use Node's test runner.
it('a failed request of blazon dev can be replayed, and saved as a test that fails until the code is repaired', async () => {
  const project = useFastTsx(await madeProject(['--test', 'vitest']))
  project.write({ 'src/hello-controller.ts': BROKEN })
  const dev = await DevRun.start(project, { args: ['--entry', 'src/main.ts'] })
  await dev.until('Listening on')
  expect(await dev.ask('/hello/A')).toMatchObject({ status: 500 })
  expect(await dev.ask('/hello/Ada')).toMatchObject({ status: 200 })
  const [id = ''] = await capsules(project, 1)
  await dev.end('SIGTERM')

  expect(await project.run(['replay'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(new RegExp(`^${id} +500 +GET +/hello/A +TypeError`)),
  })
  const again = await project.run(['replay', id])
  expect(again).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The request still fails.'),
  })
  expect(again.stdout).toMatch(/^now +500 TypeError: .* at src\/hello-controller\.ts:8:/m)

  const written = await project.run(['replay', 'last', '--write'])
  const file = `test/replay-get-hello-name-${id.slice(-6)}.test.ts`
  expect(written, written.stderr).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${file} (new)\n${file.replace('.test.ts', '.json')} (new)\n`),
  })
  expect(project.read(file.replace('.test.ts', '.json'))).toBe(
    project.read(`.blazon/capsules/${id}.json`),
  )
  const failing = await runTests(project, 'vitest', file)
  expect(failing).toMatchObject({ status: 1 })
  expect(failing.output).toContain('TypeError')
  expect(failing.output).toContain('GET /hello/A')

  project.write({ 'src/hello-controller.ts': REPAIRED })
  const passing = await runTests(project, 'vitest', file)
  expect(passing, passing.output).toMatchObject({ status: 0 })
  expect(await project.run(['replay', id])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^then +500 .*\nnow +200$/m),
  })
  const refused = await project.run(['replay', id, '--write'])
  expect(refused).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('the test would pass'),
  })
})

/** Charges a bank by a function that capsules know, and then fails. */
const CHARGES = `import { Controller, inject, Outgoing, Post } from 'blazon'

@Controller('charges')
export class ChargesController {
  readonly #outgoing = inject(Outgoing)

  @Post() async create() {
    const response = await this.#outgoing(\`\${process.env['BANK']}/charge\`, { method: 'POST' })
    const { id } = await response.json() as { id: number }
    throw new Error('Charge ' + id + ' was lost')
  }
}
`
const CHARGE_OPTIONS = `import { defineAppOptions } from 'blazon'
import { ChargesController } from './charges-controller.js'

export const options = defineAppOptions({ controllers: [ChargesController] })
`

describe('a request that has called another host', () => {
  it('is replayed with the recorded response, so that the other host is called only once', async () => {
    let charges = 0
    const bank = createServer((_, res) => res.end(`{"id":${++charges}}`))
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void bank.close())
    const BANK = `http://127.0.0.1:${(bank.address() as { port: number }).port}`
    const project = useFastTsx(await madeProject(['--test', 'node']))
    project.write({ 'src/charges-controller.ts': CHARGES, 'src/app.ts': CHARGE_OPTIONS })
    const dev = await DevRun.start(project, { args: ['--entry', 'src/main.ts'], env: { BANK } })
    await dev.until('Listening on')
    const url = `http://127.0.0.1:${dev.port}/charges`
    expect(await fetch(url, { method: 'POST' })).toMatchObject({ status: 500 })
    const [id = ''] = await capsules(project, 1)
    await dev.end('SIGTERM')

    vi.stubEnv('BANK', BANK)
    onTestFinished(() => void vi.unstubAllEnvs())
    const again = await project.run(['replay', id])
    expect(again).toMatchObject({ status: 1, stdout: expect.stringContaining('Charge 1 was lost') })
    expect(await project.run(['replay', id, '--write'])).toMatchObject({ status: 0 })
    const repaired = CHARGES.replace(
      "throw new Error('Charge ' + id + ' was lost')",
      'return { id }',
    )
    project.write({ 'src/charges-controller.ts': repaired })
    expect(await project.run(['replay', id])).toMatchObject({ status: 0 })
    // Code that calls something else cannot be judged.
    project.write({ 'src/charges-controller.ts': repaired.replace('/charge', '/other') })
    expect(await project.run(['replay', id])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(`${BANK}/other`),
    })
    expect(charges).toBe(1)
  })
})

/** Calls a bank, and reads a body that later code refuses. */
const PAYMENTS = `import { Body, Controller, Post, type Request } from 'blazon'
import { z } from 'zod'

@Controller('payments')
export class PaymentsController {
  @Body(z.object({ amount: z.number().transform((cents) => String(cents)), password: z.string().optional() }))
  @Post()
  async pay(req: Request) {
    const bank = process.env['BANK']
    if (bank !== undefined) await fetch(\`\${bank}/charge\`, { method: 'POST' })
    throw new Error('No receipt')
  }
}
`
const PAYMENT_OPTIONS = `import { defineAppOptions } from 'blazon'
import { PaymentsController } from './payments-controller.js'

export const options = defineAppOptions({ controllers: [PaymentsController] })
`

describe('a request whose replay would change data, or prove nothing', () => {
  it('is replayed without another call, and is not reported as corrected', async () => {
    let charges = 0
    const bank = createServer((_, res) => res.end(String(++charges)))
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void bank.close())
    const { port } = bank.address() as { port: number }
    const BANK = `http://127.0.0.1:${port}`
    const project = useFastTsx(await madeProject(['--test', 'node']))
    project.write({ 'src/payments-controller.ts': PAYMENTS, 'src/app.ts': PAYMENT_OPTIONS })
    const dev = await DevRun.start(project, { args: ['--entry', 'src/main.ts'], env: { BANK } })
    await dev.until('Listening on')
    const headers = { 'content-type': 'application/json' }
    const pay = (body: object) =>
      fetch(`http://127.0.0.1:${dev.port}/payments`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
    expect(await pay({ amount: 7 })).toMatchObject({ status: 500 })
    const [id = ''] = await capsules(project, 1)
    expect(await pay({ amount: 7, password: 'canary' })).toMatchObject({ status: 500 })
    const secret = (await capsules(project, 2)).find((each) => each !== id) ?? ''
    await dev.end('SIGTERM')
    expect(charges).toBe(2)

    // With the bank, nothing is sent to it.
    vi.stubEnv('BANK', BANK)
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const args of [
      [id, '--database'],
      [id, '--write'],
    ]) {
      expect(await project.run(['replay', ...args])).toMatchObject({
        status: 3,
        stderr: expect.stringContaining(`${BANK}/charge`),
      })
    }
    expect(charges).toBe(2)

    // Without it, the handler runs with the bytes that were sent, and fails as it did.
    vi.stubEnv('BANK', undefined)
    expect(await project.run(['replay', id])).toMatchObject({ status: 1 })
    // The body is refused now: whether the handler would fail is not known.
    const stricter = PAYMENTS.replace('z.number()', 'z.number().min(10)')
    project.write({ 'src/payments-controller.ts': stricter })
    expect(await project.run(['replay', id])).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^now +400/m),
      stderr: expect.stringContaining("the step 'validate' responds with 400"),
    })
    // It is repaired: but the password was another one.
    project.write({
      'src/payments-controller.ts': PAYMENTS.replace("throw new Error('No receipt')", 'return {}'),
    })
    expect(await project.run(['replay', id])).toMatchObject({ status: 0 })
    expect(await project.run(['replay', secret])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('were replaced as secrets (body)'),
    })
  })
})

const CLINIC = `import { Controller, Get, inject } from 'blazon'
import { Database } from 'blazon/postgres'

@Controller('visits')
export class VisitsController {
  readonly #db = inject(Database)

  @Get() list() {
    return this.#db.sql\`select id, dokter from visits\`
  }
}
`
const CLINIC_OPTIONS = `import { defineAppOptions } from 'blazon'
import { postgres } from 'blazon/postgres'
import { VisitsController } from './visits-controller.js'

export const clinic = (embedded: string) =>
  defineAppOptions({
    controllers: [VisitsController],
    plugins: [postgres({ embedded, migrations: 'migrations' })],
  })
export default clinic('data')
`
const HELPER = `import { TestApp, type TestOptions } from 'blazon/testing'
import { clinic } from '../../src/app.js'

export async function startClinic(given: TestOptions = {}) {
  const app = await TestApp.create({ ...clinic('memory'), ...given })
  return { app, admin: app.as({ id: 'admin' }) }
}
`
const CLINIC_TEST = `import { it } from 'node:test'
import { startClinic } from './support/start-clinic.js'

it('lists', async () => {
  const { app, admin } = await startClinic()
  await admin.request().get('/visits')
  await app.close()
})
`

it('the generated test for a wrong SQL statement starts like other tests, and passes after the repair', async () => {
  const project = useFastTsx(await madeProject(['--test', 'node']))
  await installPglite(project)
  rmSync(project.path('test'), { recursive: true })
  project.write({
    'src/app.ts': CLINIC_OPTIONS,
    'src/main.ts':
      "import { App } from 'blazon'\nimport options from './app.js'\nawait new App(options).listen(Number(process.env['PORT'] ?? 3000))\n",
    'src/visits-controller.ts': CLINIC,
    'test/support/start-clinic.ts': HELPER,
    'test/visits.test.ts': CLINIC_TEST,
    'migrations/0001_create_visits.sql': 'create table visits (id int primary key, doctor text);',
  })
  const dev = await DevRun.start(project, { args: ['--entry', 'src/main.ts'] })
  await dev.until('Listening on')
  expect(await dev.ask('/visits')).toMatchObject({ status: 500 })
  const [id = ''] = await capsules(project, 1)
  await dev.end('SIGTERM')
  const written = await project.run(['replay', id, '--write'])
  expect(written, written.stderr).toMatchObject({ status: 0 })
  const file = `test/replay-get-visits-${id.slice(-6)}.test.ts`
  expect(project.read(file)).toContain(`.json', { database: 'embedded' })
  await using app = (await startClinic({ ...capsule.options })).app
`)
  expect((await runTests(project, 'node', file)).status).toBe(1)
  project.write({ 'src/visits-controller.ts': CLINIC.replace('dokter', 'doctor') })
  const passing = await runTests(project, 'node', file)
  expect(passing, passing.output).toMatchObject({ status: 0 })
})

describeWithServer('a request that fails because of a row in PostgreSQL', () => {
  it('can be replayed and tested without the database', async () => {
    await using database = await ownServerDatabase()
    await database.run(
      `create table orders (id int primary key, total timestamptz, customer text, password_hash text);
       insert into orders values (7, null, 'Ada', 'canary-hash-1'), (8, '2026-01-01', 'Bob', 'canary-hash-2')`,
    )
    const project = useFastTsx(await madeProject(['--test', 'node']))
    project.write({ 'src/orders-controller.ts': ORDERS, 'src/app.ts': OPTIONS })
    const { url } = database.options
    const dev = await DevRun.start(project, {
      args: ['--entry', 'src/main.ts'],
      env: { DATABASE_URL: String(url) },
    })
    await dev.until('Listening on')
    expect(await dev.ask('/orders/8')).toMatchObject({ status: 200 })
    expect(await dev.ask('/orders/7')).toMatchObject({ status: 500 })
    const [id = ''] = await capsules(project, 1)
    await dev.end('SIGTERM')
    expect(project.read(`.blazon/capsules/${id}.json`)).not.toContain('canary')

    // Nothing listens at the address that the application has without the variable.
    const again = await project.run(['replay', id])
    expect(again, again.stderr).toMatchObject({ status: 1 })
    expect(again.stdout).toMatch(/^now +500 TypeError/m)
    expect(again.stderr).toContain('These secrets were replaced: password_hash.')

    const written = await project.run(['replay', id, '--write', 'test/total.test.ts'])
    expect(written, written.stderr).toMatchObject({ status: 0 })
    const failing = await runTests(project, 'node', 'test/total.test.ts')
    expect(failing.status).toBe(1)
    expect(failing.output).toContain('TypeError')

    project.write({ 'src/orders-controller.ts': REPAIRED_ORDERS })
    const passing = await runTests(project, 'node', 'test/total.test.ts')
    expect(passing, passing.output).toMatchObject({ status: 0 })
    expect(await project.run(['replay', id])).toMatchObject({ status: 0 })

    // A statement that the capsule has no answer for.
    const more = REPAIRED_ORDERS.replace(
      'return {',
      'await this.#db.sql`select 1 as one from orders`\n    return {',
    )
    project.write({ 'src/orders-controller.ts': more })
    const undecided = await project.run(['replay', id])
    expect(undecided).toMatchObject({ status: 3, stderr: expect.stringContaining('--database') })

    // With the database, the code decides about the row that it has now.
    vi.stubEnv('DATABASE_URL', String(url))
    onTestFinished(() => void vi.unstubAllEnvs())
    const run = () => project.run(['replay', id, '--database'])
    const answered = await run()
    expect(answered, answered.stderr).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('The statements ran in the database of the application.'),
    })
    project.write({ 'src/orders-controller.ts': ORDERS })
    expect(await run()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The request still fails.'),
    })
    await database.run(`update orders set total = '2026-01-01' where id = 7`)
    expect(await run()).toMatchObject({ status: 0 })
    expect((await project.run(['replay', id])).status).toBe(1)
  })
})
