import { Clock, type SessionStore } from 'blazon'
import { postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSessionStore } from '../../conformance/session-store.js'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { Folder } from './own-database.js'

startPgliteFromTemplate()

// One database for all tests: they use new ids and users.
describe('sessions in the embedded database', () => {
  const folder = new Folder({ '0001_sessions.sql': sessionTable({ role: 'app_all_tenants' }) })
  let app: TestApp
  let store: SessionStore

  beforeAll(async () => {
    const plugins = [postgres({ embedded: 'memory', migrations: folder.path })]
    app = await TestApp.create({ plugins })
    store = postgresSessions().forApplication?.() as SessionStore
    const logger = { info() {}, warn() {}, error() {} }
    await store.open?.({
      get: app.get.bind(app),
      clock: app.get(Clock),
      logger,
      usesTenants: false,
    })
  })
  afterAll(async () => {
    await store?.close?.()
    await app?.close()
    folder[Symbol.dispose]()
  })

  describeSessionStore('postgresSessions()', async () => ({ store, end: async () => {} }))

  it('are not counted when they are removed after their end', async () => {
    const now = app.get(Clock).now()
    const session = { userKey: 'u', user: '1', tenant: null, fields: {}, createdAt: 0, usedAt: 0 }
    for (const [id, idleAt] of [['ended', now] as const, ['live', now + 60_000] as const])
      await store.create({ ...session, id, idleAt, endsAt: idleAt })
    expect(await store.removeAll('u')).toBe(1)
    expect(await store.list('u')).toEqual([])
  })
})
