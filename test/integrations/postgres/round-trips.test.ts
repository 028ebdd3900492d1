import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Controller, Get, inject, runWithTenant, Tenant } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ownServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

/** The delay of every reply of the server. A client that does not wait for the reply sends its message earlier. */
const UNDER_WAY_MS = 25

/** A proxy in front of a server. It counts how often a client waits for a reply. */
async function countTrips(host: string, port: number) {
  const sockets = new Set<Socket>()
  const counted = { trips: 0 }
  const relay = createServer((client) => {
    const server = connect(port, host)
    let hasAnswered = true
    client.on('data', (bytes) => {
      if (hasAnswered) counted.trips++
      hasAnswered = false
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      setTimeout(() => {
        hasAnswered = true
        client.write(bytes)
      }, UNDER_WAY_MS)
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on('close', () => other.destroy())
      socket.on('error', () => other.destroy())
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    relay.close()
    await once(relay, 'close')
  }
  const { port: own } = relay.address() as { port: number }
  return { counted, port: own, close }
}

@Tenant()
@Controller('notes')
class NotesController {
  private readonly db = inject(Database)

  @Get()
  one() {
    return this.db.sql`select current_setting('app.tenant_id') as tenant`
  }

  @Get('three')
  async three() {
    await this.db.sql`select 1`
    await this.db.sql`select 2`
    return this.db.sql`select 3`
  }

  @Get('at-once')
  atOnce() {
    return Promise.all([this.db.sql`select 1`, this.db.sql`select 2`, this.db.sql`select 3`])
  }

  @Get('none')
  none() {
    return 'nothing to ask'
  }
}

describeWithServer('the number of round trips to the server', () => {
  let database: Awaited<ReturnType<typeof ownServerDatabase>>
  let relay: Awaited<ReturnType<typeof countTrips>>
  let app: TestApp

  beforeAll(async () => {
    database = await ownServerDatabase()
    const url = new URL(database.options.url as string)
    relay = await countTrips(url.hostname, Number(url.port || 5432))
    url.hostname = '127.0.0.1'
    url.port = String(relay.port)
    const { tenantRole, allTenantsRole } = database
    for (const role of [tenantRole, allTenantsRole]) await database.run(`create role ${role}`)
    app = await TestApp.create({
      controllers: [NotesController],
      plugins: [postgres({ url: url.href, connections: 1, tenantRole, allTenantsRole })],
      tenant: {},
      logger: false,
    })
    app.withHeaders({ 'x-tenant-id': 'acme' })
    await app.request().get('/notes').expect(200)
  })
  beforeEach(() => {
    relay.counted.trips = 0
  })
  afterAll(async () => {
    await app?.close()
    await relay?.close()
    await database?.[Symbol.asyncDispose]()
  })

  it.each([
    ['/notes', 2, 'the query together with BEGIN, and the commit'],
    ['/notes/three', 4, 'one more for each query that is awaited'],
    ['/notes/at-once', 2, 'no more for concurrent queries'],
    ['/notes/none', 0, 'none without a query'],
  ])('for %s is %i: %s', async (path, trips) => {
    await app.request().get(path).expect(200)
    expect(relay.counted.trips).toBe(trips)
  })

  it('is 1 for a query outside a request and outside a transaction', async () => {
    const rows = await runWithTenant(
      'acme',
      () => app.get(Database).sql`select current_setting('app.tenant_id') as tenant`,
    )
    expect(rows).toEqual([{ tenant: 'acme' }])
    expect(relay.counted.trips).toBe(1)
  })
})
