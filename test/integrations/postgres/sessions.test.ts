import { Clock, type SessionStore } from 'blazon'
import { postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { describe } from 'vitest'
import { describeSessionStore } from '../../conformance/session-store.js'
import { Folder, KINDS } from './own-database.js'

describe.each(KINDS)('postgresSessions() on %s', (_, open) => {
  describeSessionStore('it', async () => {
    const database = await open()
    const role = database.options.embedded === undefined ? 'current_user' : 'app_all_tenants'
    const script = sessionTable({ role }).replace('"current_user"', 'current_user')
    const folder = new Folder({ '0001_sessions.sql': script })
    const app = await TestApp.create({
      plugins: [postgres({ ...database.options, migrations: folder.path })],
    })
    const store = postgresSessions().forApplication?.() as SessionStore
    const get = app.get.bind(app)
    const logger = { info() {}, warn() {}, error() {} }
    await store.open?.({ get, clock: get(Clock), logger, usesTenants: false })
    const end = async () => {
      await store.close?.()
      await app.close()
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    }
    return { store, end }
  })
})
