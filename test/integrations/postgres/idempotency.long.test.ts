import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Controller, Get, IdempotencyStore, Idempotent, inject, Post, type Request } from 'blazon'
import { Database, idempotencyTable, postgres, Transactional } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeIdempotencyStore } from '../../conformance/idempotency-store.js'
import { rounds } from '../../rounds.js'
import { compiledProgram } from '../compiled-program.js'
import { until } from '../until.js'
import { IdempotentOrders } from './idempotent-orders.js'
import { ownEmbeddedDatabase, ownServerDatabase } from './own-database.js'
import { describeWithServer, runAt, Server } from './server.js'
import { createShop, LOGIN, shopUrl } from './support.js'

const FILE = fileURLToPath(new URL('./idempotent-app.ts', import.meta.url))
const LIMIT = 900_000
/** Of a kill: before or after one of ten packets. */
const POINTS = rounds(20, 10)

describeWithServer('the idempotency store of postgres()', () => {
  describeIdempotencyStore('postgres()', async () => {
    const database = await ownServerDatabase()
    @Controller('used')
    class Used {
      @Idempotent() @Post() write() {}
    }
    const app = await TestApp.create({
      controllers: [Used],
      plugins: [postgres(database.options)],
    })
    const store = app.get(IdempotencyStore) as IdempotencyStore
    const end = async () => {
      await app.close()
      await database[Symbol.asyncDispose]()
    }
    return { store, request: (work) => app.get(Database).transaction(work), end }
  })
})

describe('an application without tenants', () => {
  it("stores the idempotency record in the handler's transaction, and deletes it when it expires", async () => {
    await using database = await ownEmbeddedDatabase()
    let isFailing = true
    @Controller('notes')
    class Notes {
      private readonly db = inject(Database)
      @Idempotent()
      @Post()
      async add(req: Request) {
        await this.db.sql`insert into notes values (${req.get('x-text')})`
        // A part that fails is taken back alone.
        await this.db
          .transaction(async () => {
            await this.db.sql`insert into notes values ('part')`
            throw new Error('taken back')
          })
          .catch(() => {})
        if (isFailing) throw new Error('fails')
        return { ok: true }
      }
      @Get() async list() {
        return await this.db.sql`select * from notes`
      }
    }
    const app = await TestApp.create({
      controllers: [Notes],
      plugins: [postgres(database.options)],
      contract: 'off',
    })
    const db = app.get(Database)
    await db.sql`create table notes (text text)`
    const add = () => app.request().post('/notes').set({ 'idempotency-key': 'k', 'x-text': 'a' })
    expect((await add()).status).toBe(500)
    expect(await db.sql`select from blazon_idempotency`).toHaveLength(0)
    isFailing = false
    expect((await add()).status).toBe(200)
    expect((await add()).headers['idempotency-replayed']).toBe('true')
    expect(await db.sql`select * from notes`).toEqual([{ text: 'a' }])
    expect(await db.sql`select from blazon_idempotency`).toHaveLength(1)
    await app.clock.advance('25h')
    await expect.poll(async () => (await db.sql`select from blazon_idempotency`).length).toBe(0)
    await app.close()
  })

  it('refuses an idempotent handler whose transaction may be retried', async () => {
    @Controller('notes')
    class Notes {
      @Idempotent() @Post() @Transactional({ retries: 2 }) async add() {}
    }
    const started = TestApp.create({
      controllers: [Notes],
      plugins: [postgres({ embedded: 'memory' })],
    })
    await expect(started).rejects.toThrow(/E_IDEMPOTENT_ROUTE[\s\S]*`retries`/)
  })
})

describeWithServer('the idempotency store on a server', () => {
  let server: Server
  const look = (text: string) => runAt(shopUrl(server), text)
  const start = () =>
    TestApp.create({
      controllers: [IdempotentOrders],
      // However busy the machine is, every request gets a connection.
      plugins: [
        postgres({ url: shopUrl(server, LOGIN), connections: 8, timeouts: { acquire: '5m' } }),
      ],
      timeouts: { handler: '10m' },
      tenant: {},
      contract: 'off',
    })
  beforeAll(async () => {
    server = await Server.start()
    await createShop(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('is refused if its login cannot create the table, and works if a migration has created it', async () => {
    await look('drop table if exists blazon_idempotency')
    await expect(start()).rejects.toThrow(/E_IDEMPOTENCY_TABLE[\s\S]*idempotencyTable\(\)/)
    await look(idempotencyTable())
    await (await start()).close()
  })

  it('runs only one of 100 identical concurrent writes, and replays its response', async () => {
    await look(idempotencyTable())
    const app = await start()
    const key = 'hundred'
    const send = (body: object = { note: 'hundred' }, more = {}) =>
      app.fetch('/orders', {
        method: 'POST',
        headers: {
          'idempotency-key': key,
          'x-tenant-id': 'a',
          'content-type': 'application/json',
          ...more,
        },
        body: JSON.stringify(body),
      })
    const all = await Promise.all(Array.from({ length: 100 }, () => send()))
    const texts = await Promise.all(
      all.filter(({ status }) => status === 201).map((each) => each.text()),
    )
    expect(all.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
    expect(
      all.filter(({ status, headers }) => status === 409 && headers.get('retry-after') !== '1'),
    ).toEqual([])
    const again = await send()
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect(new Set([...texts, await again.text()]).size).toBe(1)
    expect(
      all.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')),
    ).toHaveLength(1)
    expect(await look("select 1 from orders where note = 'hundred'")).toHaveLength(2)
    expect((await send({ note: 'other' })).status).toBe(422)
    // The key of another tenant is another key.
    expect(
      (await send(undefined, { 'x-tenant-id': 'b' })).headers.has('idempotency-replayed'),
    ).toBe(false)
    expect(await look("select 1 from orders where note = 'hundred'")).toHaveLength(4)
    await app.close()
  })

  it('saves neither the effect nor the record of a failed request', async () => {
    await look(idempotencyTable())
    const app = await start()
    const send = () =>
      app
        .request()
        .post('/orders')
        .set({ 'idempotency-key': 'bad', 'x-tenant-id': 'a' })
        .send({ note: 'bad' })
    const before = await look('select 1 from blazon_idempotency')
    for (let i = 0; i < 2; i++) expect((await send()).status).toBe(500)
    expect(await look("select 1 from orders where note = 'bad'")).toHaveLength(0)
    expect(await look('select 1 from blazon_idempotency')).toHaveLength(before.length)
    await app.close()
  })

  it('saves effect and record, or neither, if its process is killed at one of the last packets', {
    timeout: LIMIT,
  }, async () => {
    await look(idempotencyTable())
    const program = await compiledProgram(FILE)
    let running: { child: ChildProcess; port: number } | undefined
    const startApp = async () => {
      const child = spawn(process.execPath, [program], {
        env: { ...process.env, CRASH_URL: shopUrl(server, LOGIN), NODE_OPTIONS: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (data) => {
          output += data
        })
      await until(() => {
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${output}`)
        return /^\d+\n/.test(output)
      })
      return { child, port: Number.parseInt(output, 10) }
    }
    const post = async (note: string, kill = '') => {
      running ??= await startApp()
      const response = await fetch(`http://127.0.0.1:${running.port}/orders`, {
        method: 'POST',
        headers: {
          'x-tenant-id': 'k',
          'idempotency-key': note,
          'content-type': 'application/json',
          'x-kill': kill,
        },
        body: JSON.stringify({ note }),
      })
      return {
        status: response.status,
        isReplay: response.headers.has('idempotency-replayed'),
        text: await response.text(),
      }
    }
    const seen = { kept: 0, lost: 0, whole: 0 }
    try {
      expect((await post('whole')).status).toBe(201)
      const { port } = running as unknown as { port: number }
      const packets = (await (await fetch(`http://127.0.0.1:${port}/packets`)).json()) as number
      for (let point = 0; point < POINTS; point++) {
        const note = `point-${point}`
        // The last ten packets, which save the effect and the record.
        const packet = packets - Math.floor((point * 10) / POINTS)
        const kill = `${point % 2 === 0 ? 'after' : 'before'} ${packet}`
        const first = await post(note, kill).catch(() => null)
        if (first === null) {
          const { child } = running as { child: ChildProcess }
          if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
          running = undefined
          // The server notices the end of the process, and ends its transactions.
          const open = `select 1 from pg_stat_activity where usename = '${LOGIN}' and state <> 'idle'`
          await until(async () => (await look(open)).length === 0)
        }
        const rows = (await look(`select 1 from orders where note = '${note}'`)).length
        expect([0, 2]).toContain(rows)
        const again = await post(note)
        expect([note, again.status, again.isReplay]).toEqual([note, 201, rows === 2])
        expect(await look(`select 1 from orders where note = '${note}'`)).toHaveLength(2)
        if (first !== null) expect(again.text).toBe(first.text)
        seen[first !== null ? 'whole' : rows === 2 ? 'kept' : 'lost']++
      }
    } finally {
      running?.child.kill('SIGKILL')
    }
    expect(seen.whole).toBe(0)
    expect(seen.kept).toBeGreaterThan(0)
    expect(seen.lost).toBeGreaterThan(0)
    expect(seen.kept + seen.lost).toBe(POINTS)
  })
})
