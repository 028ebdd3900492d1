import { runWithTenant } from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'
import { OrdersController } from './tenant-orders.js'

/** Names of tenants that try to act as SQL or as another tenant. */
export const HOSTILE_NAMES: readonly string[] = [
  "'; drop table orders; --",
  "' or '1'='1",
  "a' or tenant_id = 'b",
  "'); select set_config('app.tenant_id', 'b', true); --",
  '"; drop table orders; --',
  '$1',
  '$$',
  '$tag$ or true $tag$',
  '%00',
  '%s',
  '\\',
  "\\'",
  "\\'; drop table orders; --",
  '\\x62',
  'U&"\\0062"',
  "E'\\142'",
  "''",
  '""',
  'NULL',
  'default',
  'current_user',
  'app_all_tenants',
  'app_tenant',
  'app.tenant_id',
  'none',
  '*',
  '%',
  '_',
  '{b}',
  '(b)',
  'b,b',
  'b ',
  ' b',
  ' ',
  'B',
  '0',
  'true',
  '__proto',
  '/* b */',
  '-- b',
  '\u0430',
  'e\u0301',
  '\u00e9',
  '\uff42',
  'b\u200d',
  'b\u202e',
  '\u{1f600}',
  'x'.repeat(256),
  `${'x'.repeat(255)}y`,
  "'".repeat(256),
  '\u{1f600}'.repeat(128),
]

/** Names that are refused. */
const IMPOSSIBLE = [
  '',
  'x'.repeat(257),
  'a\0b',
  'a\nb',
  'a\u007f',
  // Half a surrogate pair has no encoding in UTF-8: two such names would become equal.
  '\ud800',
  'a\udc00',
  'null',
  'undefined',
  '__proto__',
  undefined,
  null,
  1,
]

/** Names of tenants, and values, that contain SQL. */
export function describeHostileTenants(databaseOf: () => TenantDatabase): void {
  describe('SQL in tenant names and in values', () => {
    let database: TenantDatabase
    let app: TestApp
    let db: Database
    beforeAll(async () => {
      database = databaseOf()
      const options = { controllers: [OrdersController], tenant: {}, contract: 'off' } as const
      app = await database.start(options, { connections: 1 })
      db = app.get(Database)
    })
    afterAll(() => app.close())
    beforeEach(() => database.asOwner('truncate orders, items'))

    const add = (note: string) => db.query('insert into orders (note) values ($1)', [note])
    const everything = 'select tenant_id, note from orders order by id'

    it('is stored and read as a tenant name', async () => {
      await runWithTenant('b', () => add('of b'))
      for (const name of HOSTILE_NAMES) await runWithTenant(name, () => add(`of ${name}`))
      for (const name of HOSTILE_NAMES) {
        const { rows } = await runWithTenant(name, () => db.query(everything))
        expect(rows).toEqual([{ tenant_id: name, note: `of ${name}` }])
        const inTransaction = await db.withTenantTransaction(name, () => db.query(everything))
        expect(inTransaction.rows).toEqual(rows)
      }
      expect((await runWithTenant('b', () => db.query(everything))).rows).toEqual([
        { tenant_id: 'b', note: 'of b' },
      ])
      expect(await database.look('select 1 from orders')).toHaveLength(HOSTILE_NAMES.length + 1)
    })

    it('causes a TypeError if the tenant name is invalid', async () => {
      await runWithTenant('b', () => add('of b'))
      for (const name of IMPOSSIBLE) {
        const ask = async () => runWithTenant(name as string, () => db.query(everything))
        await expect(ask(), String(name)).rejects.toThrow(TypeError)
        const transact = async () =>
          db.withTenantTransaction(name as string, () => db.query(everything))
        await expect(transact(), String(name)).rejects.toThrow(TypeError)
      }
    })

    it('is stored and compared as a value', async () => {
      await runWithTenant('b', () => add('of b'))
      for (const value of HOSTILE_NAMES) {
        const rows = await runWithTenant('a', async () => {
          await add(value)
          return db.sql`delete from orders where note = ${value} and ${value} <> '' returning note`
        })
        expect(rows).toEqual([{ note: value }])
      }
      expect(await database.look(everything)).toEqual([{ tenant_id: 'b', note: 'of b' }])
    })

    it('causes a 400 response if the tenant id in the header does not match the pattern', async () => {
      for (const name of HOSTILE_NAMES) {
        if (!/^[\x20-\x7e]+$/.test(name)) continue
        const headers = { 'x-tenant-id': name }
        const answer = await app.fetch('/orders', { headers })
        const isName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name.trim())
        expect(answer.status, name).toBe(isName ? 200 : 400)
      }
    })

    it('does not affect other rows if it is in the URL, a header or the body', async () => {
      await runWithTenant('b', () => add('of b'))
      const caller = app.asTenant('a')
      const before = await database.look(everything)
      for (const value of HOSTILE_NAMES) {
        const inUrl = encodeURIComponent(value)
        const byQuery = await caller.request().get('/orders').query({ note: value })
        expect([byQuery.status, byQuery.body.data], value).toEqual([200, []])
        const byPath = await caller.request().get(`/orders/noted/${inUrl}`)
        expect([byPath.status, byPath.body.data], value).toEqual([200, []])
        const byHeader = await caller.request().get('/orders').set('x-note', inUrl)
        expect([byHeader.status, byHeader.body.data], value).toEqual([200, []])
        const sorted = await caller.request().get('/orders').query({ sort: value })
        expect([200, 400], value).toContain(sorted.status)
        const posted = await caller.request().post('/orders').send({ note: value })
        expect([posted.status, posted.body.data?.note], value).toEqual([201, value])
        const found = await caller.request().get('/orders').query({ note: value })
        expect(found.body.data, value).toEqual([{ note: value, tenant_id: 'a' }])
        await runWithTenant('a', () => db.query('delete from orders'))
      }
      expect(await database.look(everything)).toEqual(before)
    })

    it('causes an error response if it contains a NUL character', async () => {
      const caller = app.asTenant('a')
      for (const note of ['\0', 'a\0b', "\0'; drop table orders; --"]) {
        const posted = await caller.request().post('/orders').send({ note })
        expect(posted.status).toBeGreaterThanOrEqual(400)
        const asked = await caller.request().get('/orders').query({ note })
        expect(asked.status).toBeGreaterThanOrEqual(400)
        const inPath = await caller.request().get(`/orders/noted/${encodeURIComponent(note)}`)
        expect(inPath.status).toBeGreaterThanOrEqual(400)
      }
      expect(await database.look(everything)).toEqual([])
    })

    it('is missing from the response to a refused statement, like the database error', async () => {
      await runWithTenant('a', () => db.query("insert into orders (code) values ('K')"))
      const caller = app.asTenant('a')
      const { status, body, text } = await caller.request().post('/orders').send({ code: 'K' })
      expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
      expect(text).not.toMatch(/duplicate|constraint|orders|Key|postgres|23505/i)
      const mapped = await caller.request().post('/orders/mapped').send({ code: 'K' })
      expect([mapped.status, mapped.body.message]).toEqual([409, 'The code is taken'])
      expect(mapped.text).not.toMatch(/duplicate|constraint|Key \(/i)
    })
  })
}
