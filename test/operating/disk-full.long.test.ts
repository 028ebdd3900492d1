import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Barrier } from '../conformance/tenant-orders.js'
import { HALVES, PairsController } from '../integrations/postgres/pairs.js'
import { isServerMissing, runAt, Server } from '../integrations/postgres/server.js'
import { createShop, LOGIN, shopUrl } from '../integrations/postgres/support.js'
import { until } from '../integrations/until.js'
import { SmallDisk } from './small-disk.js'

const SAVED = '201'
const UNAVAILABLE = '503 DATABASE_UNAVAILABLE'
/** The connection was lost during the commit. */
const UNKNOWN = '503 COMMIT_UNKNOWN'

const mounted = isServerMissing ? 'PostgreSQL is not installed.' : SmallDisk.mount(160)
if (typeof mounted === 'string') console.warn(`Skipped: no disk to fill. ${mounted}`)

describe.skipIf(typeof mounted === 'string')('a database with a full disk', () => {
  const disk = mounted as SmallDisk
  let server: Server
  let app: TestApp
  let failures: unknown[]
  /** The pairs whose requests were answered with success. */
  const acknowledged = new Set<string>()

  beforeAll(async () => {
    server = await Server.start({ parent: disk.path })
    await createShop(server)
    const error = ({ err }: { err?: unknown }) => failures.push(err)
    app = await TestApp.create({
      controllers: [PairsController],
      providers: [Barrier],
      plugins: [postgres({ url: shopUrl(server, LOGIN), connections: 1 })],
      tenant: {},
      health: true,
      logger: { info() {}, warn() {}, error },
      contract: 'throw',
    })
  })
  afterAll(async () => {
    await app?.close()
    await server?.[Symbol.asyncDispose]()
    await disk[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    failures = []
  })

  let count = 0
  /** Saves a pair that is long enough to need a new page of the table soon. */
  async function add(): Promise<string> {
    const name = `${count++}`.padEnd(500, '-')
    const { status, body } = await app.asTenant('a').request().post(`/pairs/${name}`)
    if (status === 201) acknowledged.add(name)
    return body.code === undefined ? `${status}` : `${status} ${body.code}`
  }
  const list = async () => (await app.asTenant('a').request().get('/pairs')).status
  // A report is used for one second.
  const ready = async () => {
    await app.clock.advance('2s')
    return (await app.request().get('/readyz')).status
  }
  const pid = async () => (await app.get(Database).sql`select pg_backend_pid() as pid`)[0]?.['pid']

  /** Every pair that was acknowledged is there, and no pair is there by half. */
  async function expectWhole(): Promise<void> {
    expect(await runAt(shopUrl(server), HALVES)).toEqual([])
    const rows = await runAt<{ note: string }>(shopUrl(server), 'select note from orders')
    expect([...acknowledged].filter((name) => !rows.some(({ note }) => note === name))).toEqual([])
  }

  it('refuses writes, serves reads on the same connection, and recovers when there is space', async () => {
    expect(await add()).toBe(SAVED)
    const connection = await pid()
    disk.fill()
    let answer = SAVED
    await until(async () => {
      answer = await add()
      return answer !== SAVED
    })
    expect(answer).toBe(UNAVAILABLE)
    expect(failures).toEqual([
      expect.objectContaining({ cause: expect.objectContaining({ code: '53100' }) }),
    ])
    expect([await list(), await ready()]).toEqual([200, 200])
    await expectWhole()
    disk.free()
    expect([await add(), await list(), await ready()]).toEqual([SAVED, 200, 200])
    expect(await pid()).toBe(connection)
    await expectWhole()
  })

  it('loses no confirmed write if the server ends because its log has no space', async () => {
    expect(await add()).toBe(SAVED)
    disk.fill()
    const answers = new Set<string>()
    // The next change needs a new file of the log.
    await until(async () => {
      await server.run('select pg_switch_wal()').catch(() => {})
      answers.add(await add())
      return !server.isRunning
    })
    expect(await add()).toBe(UNAVAILABLE)
    expect(await ready()).toBe(503)
    expect([...answers].filter((each) => ![SAVED, UNAVAILABLE, UNKNOWN].includes(each))).toEqual([])
    disk.free()
    await server.mend()
    await until(async () => (await add()) === SAVED)
    expect([await list(), await ready()]).toEqual([200, 200])
    await expectWhole()
  })
})
