import { postgres, postgresSessions, sessionTable } from 'blazon/postgres'
import { sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { Folder } from './own-database.js'

it('does not start without the table of sessions', async () => {
  const web = sessions({ store: postgresSessions() })
  const started = TestApp.create({ plugins: [postgres({ embedded: 'memory' }), web] })
  await expect(started).rejects.toThrow(/E_SESSIONS_TABLE/)
})

it('starts with a table of another name', async () => {
  using folder = new Folder({ '0001_sessions.sql': sessionTable({ table: 'logins' }) })
  const web = sessions({ store: postgresSessions({ table: 'logins' }) })
  const plugins = [web, postgres({ embedded: 'memory', migrations: folder.path })]
  const app = await TestApp.create({ plugins })
  expect(await app.get(web.manager).list(7)).toEqual([])
  await app.close()
})
