import { Clock, type SessionStore } from 'blazon'
import { postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe } from 'vitest'
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
})
