import { Clock, Controller, IdempotencyStore, Idempotent, Post, type SessionStore } from 'blazon'
import { Database, postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeIdempotencyStore } from '../../conformance/idempotency-store.js'
import { describeSessionStore } from '../../conformance/session-store.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'
import { Folder, ownServerDatabase, type ServerDatabase } from './own-database.js'
import { describeWithServer, SUPERUSER } from './server.js'

@Controller('used')
class Used {
  @Idempotent() @Post() write() {}
}

const warned: [facts: object, message: string][] = []
const logger = {
  info() {},
  warn: (...line: (typeof warned)[number]) => void warned.push(line),
  error() {},
}

// One database for all tests: they use new ids, users and keys.
describeWithServer('the stores in a database', () => {
  const folder = new Folder({
    '0001_sessions.sql': sessionTable({ role: SUPERUSER }),
    '0002_purged.sql': sessionTable({ table: 'purged', role: SUPERUSER }),
  })
  let database: ServerDatabase
  let app: TestApp
  let sessions: SessionStore

  beforeAll(async () => {
    database = await ownServerDatabase()
    const plugins = [postgres({ ...database.options, migrations: folder.path })]
    app = await TestApp.create({ controllers: [Used], plugins })
    sessions = await openSessions({})
  })
  afterAll(async () => {
    await sessions?.close?.()
    await app?.close()
    await database?.[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  async function openSessions(options: { table?: string; schema?: string }): Promise<SessionStore> {
    const store = postgresSessions(options).forApplication?.() as SessionStore
    const get = app.get.bind(app)
    await store.open?.({ get, clock: get(Clock), logger, usesTenants: false })
    return store
  }
  const idempotency = () => app.get(IdempotencyStore) as IdempotencyStore
  const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64url')
  const transaction = <T>(work: () => Promise<T>) => app.get(Database).transaction(work)
  const rowsOf = async (text: string) => (await app.get(Database).query(text)).rows

  describeSessionStore('postgresSessions()', async () => ({
    store: sessions,
    end: async () => {},
  }))
  describeIdempotencyStore('postgres()', async () => ({
    store: idempotency(),
    request: transaction,
    end: async () => {},
  }))

  it('deletes expired sessions and records every hour, until the store is closed', async () => {
    const clock = app.get(Clock)
    const store = idempotency()
    const keep = (byte: number, ttlMs: number) =>
      transaction(async () => {
        const claim = await store.claim(keyOf(byte), ttlMs)
        if (claim.state === 'claimed') await claim.keep('{}')
        return claim.state
      })
    await app.clock.advance(0)
    await rowsOf('delete from blazon_idempotency')
    const sessions = await openSessions({ table: 'purged' })
    const now = clock.now()
    const session = (id: string, idleAt: number) =>
      sessions.create({
        ...{ id, fields: {}, userKey: null, user: null, tenant: null },
        ...{ createdAt: now, usedAt: now, idleAt, endsAt: now + 9e9 },
      })
    await session('soon', now + 3_600_000)
    await session('later', now + 3_600_001)
    expect([await keep(1, 999.5), await keep(2, 9e6), await keep(2, 9e6)]).toEqual([
      ...['claimed', 'claimed', 'kept'],
    ])
    await app.clock.advance('1s')
    // An expired record is not returned, and its key can be used again before it is deleted.
    expect(await keep(1, 1000)).toBe('claimed')
    await app.clock.advance(3598)
    expect(await rowsOf('select id from purged')).toHaveLength(2)
    await app.clock.advance(1)
    await expect.poll(() => rowsOf('select id from purged')).toEqual([{ id: 'later' }])
    await expect
      .poll(() => rowsOf('select key from blazon_idempotency'))
      .toEqual([{ key: keyOf(2) }])
    expect(warned).toEqual([])
    await rowsOf('alter table purged rename to moved')
    await app.clock.advance('1h')
    await expect
      .poll(() => warned)
      .toEqual([[{ err: expect.any(Error) }, 'Expired sessions could not be deleted']])
    await rowsOf('alter table moved rename to purged')
    await session('last', now + 4 * 3_600_000)
    // The table is locked, so the deletion is still waiting when the store is closed.
    const [locked, free] = [gate(), gate()]
    const locking = transaction(async () => {
      await rowsOf('lock table purged')
      locked.open()
      await free.opened
    })
    await locked.opened
    await app.clock.advance('1h')
    let isClosed = false
    const closing = Promise.resolve(sessions.close?.()).then(() => {
      isClosed = true
    })
    await turns()
    expect(isClosed).toBe(false)
    free.open()
    await Promise.all([locking, closing])
    await app.clock.advance('2h')
    expect(await rowsOf('select id from purged')).toEqual([{ id: 'last' }])
    expect(warned).toHaveLength(1)
    await expect(sessions.read('later')).rejects.toThrow('is not open')
  })

  it('refuses a record if there is another one in the meantime, unless that has expired', async () => {
    const store = idempotency()
    const insert = `insert into blazon_idempotency (key, record, ends_at) values ($1, '{"own":1}', $2)`
    const keepAfter = (byte: number, endsAt: number) =>
      transaction(async () => {
        const key = keyOf(byte)
        const claim = await store.claim(key, 60_000)
        await database.run(insert, [key, endsAt])
        if (claim.state === 'claimed') await claim.keep('{}')
        return (await store.claim(key, 60_000)) as { record?: string }
      })
    await expect(keepAfter(8, 9e15)).rejects.toMatchObject({
      ...{ status: 409, code: 'IDEMPOTENCY_RUNNING', headers: { 'Retry-After': '1' } },
      message: 'A request with this Idempotency-Key has just run',
    })
    expect(await keepAfter(9, 1)).toEqual({ state: 'kept', record: '{}' })
  })

  it('fails at boot if its table can be neither read nor created', async () => {
    const login = await database.role('poor', 'login')
    await database.run('revoke all on blazon_idempotency from public')
    const start = TestApp.create({
      controllers: [Used],
      plugins: [postgres({ url: database.urlOf(login) })],
    })
    await expect(start).rejects.toMatchObject({
      problems: [
        {
          code: 'E_IDEMPOTENCY_TABLE',
          subject: '@Idempotent(): table blazon_idempotency',
          cause: expect.stringMatching(/^It can be neither read nor created: permission denied/),
          remedy:
            'Call idempotencyTable() from blazon/postgres with the role that the application uses, and put the returned SQL into a migration.',
        },
      ],
    })
  })

  it('fails at boot without the table of the sessions', async () => {
    await expect(openSessions({ table: 'Lost', schema: 'shop' })).rejects.toMatchObject({
      problems: [
        {
          code: 'E_SESSIONS_TABLE',
          subject: 'postgresSessions(): table shop."Lost"',
          cause: 'It cannot be read: relation "shop.Lost" does not exist',
          remedy:
            'Call sessionTable() from blazon/postgres with the role that the application uses, and put the returned SQL into a migration.',
        },
      ],
    })
  })
})
