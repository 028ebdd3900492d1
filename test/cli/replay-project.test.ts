import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWithServer, ownServerDatabase } from '../integrations/postgres/own-database.js'
import { DevRun } from './dev-run.js'
import { madeProject, runTests } from './made-with-node-modules.js'
import type { Project } from './project.js'

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

describe.each(['vitest', 'node'] as const)('a failed request of blazon dev, with %s', (runner) => {
  it('is run again, and becomes a test that fails until the code is repaired', async () => {
    const project = await madeProject(['--test', runner])
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
      stderr: expect.stringContaining('The server fails again.'),
    })
    expect(again.stdout).toMatch(/^now +500 TypeError: .* at src\/hello-controller\.ts:8:/m)

    const written = await project.run(['replay', 'last', '--write'])
    const file = `test/replay-get-hello-name-${id.slice(-6)}.test.ts`
    expect(written).toMatchObject({ status: 0, stdout: expect.stringContaining(`${file} (new)`) })
    const failing = await runTests(project, runner, file)
    expect(failing).toMatchObject({ status: 1 })
    expect(failing.output).toContain('TypeError')
    expect(failing.output).toContain('GET /hello/A')

    project.write({ 'src/hello-controller.ts': REPAIRED })
    const passing = await runTests(project, runner, file)
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
})

describeWithServer('a request that fails for a row of PostgreSQL', () => {
  it('is run again, and tested, without the database', async () => {
    await using database = await ownServerDatabase()
    await database.run(
      `create table orders (id int primary key, total timestamptz, customer text, password_hash text);
       insert into orders values (7, null, 'Ada', 'canary-hash-1'), (8, '2026-01-01', 'Bob', 'canary-hash-2')`,
    )
    const project = await madeProject(['--test', 'node'])
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
    expect(again.stderr).toContain('Hidden as secrets, and so not as they were: password_hash.')

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
      stderr: expect.stringContaining('The server fails again.'),
    })
    await database.run(`update orders set total = '2026-01-01' where id = 7`)
    expect(await run()).toMatchObject({ status: 0 })
    expect((await project.run(['replay', id])).status).toBe(1)
  })
})
