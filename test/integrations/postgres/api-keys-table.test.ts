import { ConfigError } from 'blazon'
import {
  apiKeysTable,
  Database,
  listApiKeys,
  postgres,
  postgresKeys,
  revokeApiKey,
  saveApiKey,
} from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { Folder } from './own-database.js'

startPgliteFromTemplate()

const hashOf = (digit: string) => digit.repeat(64)

describe('API keys in a database', () => {
  const folder = new Folder({ '0001_keys.sql': apiKeysTable() })
  let app: TestApp
  let db: Database
  beforeAll(async () => {
    app = await TestApp.create({
      plugins: [postgres({ embedded: 'memory', migrations: folder.path })],
      tenant: {},
    })
    db = app.get(Database)
  })
  afterAll(async () => {
    await app?.close()
    folder[Symbol.dispose]()
  })

  const asKeeper = <T>(run: () => Promise<T>) => db.withoutTenant('the test', run)
  const keys = postgresKeys()
  const setup = { get: (token: never) => app.get(token) } as never

  beforeEach(async () => {
    await asKeeper(() => db.query('delete from blazon.api_keys'))
  })

  it('are saved with defaults, found by their hash, and listed newest first', async () => {
    const bare = await asKeeper(() => saveApiKey(db, { start: 'a', hash: hashOf('a') }))
    expect(bare).toEqual({
      ...{ id: expect.stringMatching(/^key_[\da-f-]{36}$/), start: 'a', name: null, tenant: null },
      ...{ permissions: [], roles: [], createdAt: expect.any(Date) },
      ...{ expiresAt: null, revokedAt: null, lastUsedAt: null },
    })
    const expiresAt = new Date('2031-01-01T00:00:00Z')
    const more = { name: 'Bot', tenant: 'acme', permissions: ['read'], roles: ['admin'], expiresAt }
    const whole = await asKeeper(() => saveApiKey(db, { start: 'b', hash: hashOf('b'), ...more }))
    expect(whole).toMatchObject(more)
    expect(await keys.find(hashOf('b'), setup)).toEqual({
      ...{ id: whole.id, hash: hashOf('b'), ...more, revokedAt: null },
    })
    expect(await keys.find(hashOf('c'), setup)).toBeUndefined()
    expect(await asKeeper(() => listApiKeys(db))).toEqual([whole, bare])
    expect(await asKeeper(() => listApiKeys(db, { tenant: 'acme' }))).toEqual([whole])
    expect(await asKeeper(() => listApiKeys(db, { tenant: 'globex' }))).toEqual([])
  })

  it('record their use, and are revoked once, only for their tenant', async () => {
    const stored = await asKeeper(() =>
      saveApiKey(db, { start: 'd', hash: hashOf('d'), tenant: 'initech' }),
    )
    await keys.onUse({ hash: hashOf('d') }, {} as never, setup)
    const revoke = (id: string, filter?: { tenant: string }) =>
      asKeeper(() => revokeApiKey(db, id, filter))
    expect(await revoke(stored.id, { tenant: 'acme' })).toBeUndefined()
    expect(await revoke('key_none')).toBeUndefined()
    const [unrevoked] = await asKeeper(() => listApiKeys(db, { tenant: 'initech' }))
    expect(unrevoked).toMatchObject({ revokedAt: null, lastUsedAt: expect.any(Date) })
    const revoked = await revoke(stored.id, { tenant: 'initech' })
    expect(revoked?.revokedAt).toBeInstanceOf(Date)
    expect(await revoke(stored.id)).toEqual(revoked)
    expect(await keys.find(hashOf('d'), setup)).toMatchObject({ revokedAt: revoked?.revokedAt })
  })

  it('cannot be read by the role of tenants', async () => {
    const { rows } = await app.get(Database).withoutTenant('look', () =>
      db.query(`select has_table_privilege('app_tenant', 'blazon.api_keys', 'select') as reads,
        has_function_privilege('app_tenant', 'blazon.find_api_key(text)', 'execute') as finds,
        has_function_privilege('public', 'blazon.find_api_key(text)', 'execute') as all_find,
        has_table_privilege('app_all_tenants', 'blazon.api_keys', 'delete') as keeps`),
    )
    expect(rows).toEqual([{ reads: false, finds: true, all_find: false, keeps: true }])
  })
})

it('the table of API keys gives its privileges to the two roles, or to one login', () => {
  const grants = (options = {}) =>
    apiKeysTable(options)
      .split('\n')
      .filter((line) => line.startsWith('grant'))
      .map((line) => line.replace(/^grant (\w+).* to /, '$1: '))
  expect(grants()).toEqual([
    'usage: app_tenant, app_all_tenants;',
    'execute: app_tenant, app_all_tenants;',
    'select: app_all_tenants;',
  ])
  expect(grants({ tenantRole: 'One', allTenantsRole: 'all' })).toEqual([
    'usage: "One", "all";',
    'execute: "One", "all";',
    'select: "all";',
  ])
  expect(grants({ login: 'service' })).toEqual([
    'usage: service;',
    'execute: service;',
    'select: service;',
  ])
})

it.each(['login', 'tenantRole', 'allTenantsRole'])('apiKeysTable() refuses an empty %s', (name) => {
  const run = () => apiKeysTable({ [name]: '' })
  expect(run).toThrow(ConfigError)
  expect(run).toThrow(`apiKeysTable(): ${name}`)
  expect(() => apiKeysTable({ logins: 'x' } as never)).toThrow('logins')
})
