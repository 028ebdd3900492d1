import type { SessionStore } from 'blazon'
import { postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { Folder } from './own-database.js'

it('an application does not start without the session table', async () => {
  const web = sessions({ store: postgresSessions() })
  const started = TestApp.create({ plugins: [postgres({ embedded: 'memory' }), web] })
  await expect(started).rejects.toThrow(/E_SESSIONS_TABLE/)
})

it('an application starts with a session table that has another name', async () => {
  using folder = new Folder({ '0001_sessions.sql': sessionTable({ table: 'logins' }) })
  const web = sessions({ store: postgresSessions({ table: 'logins' }) })
  const plugins = [web, postgres({ embedded: 'memory', migrations: folder.path })]
  const app = await TestApp.create({ plugins })
  expect(await app.get(web.manager).list(7)).toEqual([])
  await app.close()
})

it('an application deletes expired sessions every hour, keeps used sessions, and stops when it closes', async () => {
  using folder = new Folder({ '0001_sessions.sql': sessionTable() })
  const app = await TestApp.create({
    plugins: [postgres({ embedded: 'memory', migrations: folder.path })],
  })
  const { clock } = app
  const store = postgresSessions().forApplication?.() as SessionStore
  const lines: string[] = []
  const warn = (_: object, text: string) => void lines.push(text)
  const logger = { info() {}, error() {}, warn }
  await clock.advance(0)
  await store.open?.({ get: app.get.bind(app), clock, logger, usesTenants: false })
  const now = clock.now()
  const after = (minutes: number) => now + minutes * 60_000
  const session = { fields: {}, userKey: 'u', user: '7', tenant: null, createdAt: now }
  for (const id of ['idle', 'used', 'late']) {
    await store.create({ id, ...session, usedAt: now, idleAt: after(30), endsAt: after(600) })
  }
  await store.touch('used', { usedAt: now, idleAt: after(150) })
  await store.touch('late', { usedAt: now, idleAt: after(90) })
  const ids = async () => (await store.list('u')).map(({ id }) => id).sort()
  for (const left of [['late', 'used'], ['used'], []]) {
    await clock.advance('1h')
    await expect.poll(ids).toEqual(left)
  }
  await store.close?.()
  await clock.advance('2h')
  expect(lines).toEqual([])
  await app.close()
})
