import { Clock, type SessionStore } from 'blazon'
import { postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import pg from 'pg'
import { expect, it } from 'vitest'
import { describeSessionStore } from '../../conformance/session-store.js'
import { describeWithServer, Folder, ownServerDatabase } from './own-database.js'

describeWithServer('postgresSessions() on a server', () => {
  const start = async () => {
    const database = await ownServerDatabase()
    const script = sessionTable({ role: 'current_user' }).replace('"current_user"', 'current_user')
    const folder = new Folder({ '0001_sessions.sql': script })
    const app = await TestApp.create({
      plugins: [postgres({ ...database.options, migrations: folder.path })],
    })
    const store = postgresSessions().forApplication?.() as SessionStore
    const get = app.get.bind(app)
    const warned: [facts: object, message: string][] = []
    const warn = (...line: (typeof warned)[number]) => void warned.push(line)
    const logger = { info() {}, warn, error() {} }
    await store.open?.({
      get,
      clock: get(Clock),
      logger,
      usesTenants: false,
    })
    const end = async () => {
      await store.close?.()
      await app.close()
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    }
    return { store, app, warned, end, database }
  }

  describeSessionStore('postgresSessions()', start)

  it('reports a conflict with a change in a transaction for which it had to wait', async () => {
    const { store, database, end } = await start()
    const times = { usedAt: 1, idleAt: 9e12 }
    const more = { user: null, tenant: null, userKey: null, createdAt: 1, endsAt: 9e12 }
    await store.create({ id: 'one', fields: { a: '0' }, ...times, ...more })
    const other = new pg.Client(database.options.url)
    await other.connect()
    await other.query(`begin; update blazon_sessions set fields = '{"a": 5}' where id = 'one'`)
    const written = store.write('one', { set: { a: '1' }, expected: { a: '0' }, ...times })
    const blocked = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(async () => (await other.query(blocked)).rowCount).toBe(1)
    await other.query('commit')
    expect(await written).toBe('conflict')
    await other.end()
    await end()
  })

  it('logs a failure to delete expired sessions', async () => {
    const { store, app, warned, end } = await start()
    await app.clock.advance(0)
    await app.close()
    await app.clock.advance('1h')
    await store.close?.()
    expect(warned).toEqual([[{ err: expect.any(Error) }, 'Expired sessions could not be deleted']])
    await end()
  })
})
