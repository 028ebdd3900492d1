import { type Request as ApiRequest, App, Auth, Controller, Get, inject, Post } from 'blazon'
import { apiKeys, generateApiKey } from 'blazon/keys'
import {
  apiKeysTable,
  Database,
  doctor,
  listApiKeys,
  migrate,
  type PostgresOptions,
  postgres,
  postgresKeys,
  revokeApiKey,
  saveApiKey,
  tenantTable,
} from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  describeWithServer,
  Folder,
  ownEmbeddedDatabase,
  ownName,
  ownServerDatabase,
} from './own-database.js'

@Auth()
@Controller('notes')
class NotesController {
  private readonly db = inject(Database)

  @Get()
  async list({ user }: ApiRequest) {
    const rows = await this.db.sql<{ text: string }>`select text from notes`
    return { by: user?.id, texts: rows.map(({ text }) => text) }
  }

  @Post('keys')
  async make({ user }: ApiRequest) {
    const { key, ...stored } = generateApiKey({ prefix: 'acme_live' })
    const tenant = String(user?.['tenant'])
    await this.db.withoutTenant('make a key', () => saveApiKey(this.db, { ...stored, tenant }))
    return { key }
  }
}

/** The options of an application with tenants, whose login owns nothing. */
async function shop(): Promise<{ owner: PostgresOptions; login: PostgresOptions }> {
  const database = await ownServerDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { tenantRole, allTenantsRole } = database
  const roles = { tenantRole, allTenantsRole }
  const folder = new Folder({
    '0001_create_notes.sql': tenantTable('notes', { columns: ['text text not null'], ...roles }),
    '0002_create_api_keys.sql': apiKeysTable(roles),
    '0003_fill.sql':
      "insert into notes (tenant_id, text) values ('acme', 'ours'), ('zeta', 'theirs')",
  })
  onTestFinished(() => folder[Symbol.dispose]())
  const login = await database.role('login', 'login nosuperuser nobypassrls noinherit')
  const owner = { ...database.options, ...roles, migrations: folder.path }
  await migrate(owner, { login })
  return { owner, login: { url: database.urlOf(login), ...roles } }
}

async function start(database: PostgresOptions, more = {}): Promise<TestApp> {
  const guard = apiKeys({ prefix: 'acme_live', ...postgresKeys(), ...more })
  const app = await TestApp.create({
    controllers: [NotesController],
    plugins: [postgres(database)],
    tenant: { authorize: (req, id) => guard.tenantOf?.(req) === id },
    auth: { guard },
    contract: 'off',
  })
  onTestFinished(() => app.close())
  return app
}

const get = (app: TestApp, key: string, tenant = 'acme') =>
  app.request().get('/notes').set({ 'x-api-key': key, 'x-tenant-id': tenant })

describeWithServer('API keys in PostgreSQL', () => {
  it('are found before the tenant is known, under row-level security, and are bound to their tenant', async () => {
    const { owner, login } = await shop()
    const app = await start(login)
    const { key, ...stored } = generateApiKey({ prefix: 'acme_live' })
    const saved = await saveApiKey(owner, { ...stored, name: 'CI', tenant: 'acme' })
    expect(saved).toMatchObject({
      tenant: 'acme',
      name: 'CI',
      start: stored.start,
      revokedAt: null,
    })
    const { status, body } = await get(app, key)
    expect([status, body.data]).toEqual([200, { by: saved.id, texts: ['ours'] }])
    expect((await get(app, key, 'zeta')).status).toBe(403)
    expect((await get(app, generateApiKey({ prefix: 'acme_live' }).key)).status).toBe(401)
    // The time of the last use is stored beside the request.
    await expect.poll(async () => (await listApiKeys(owner))[0]?.lastUsedAt).toBeInstanceOf(Date)
  })

  it('are refused after they are revoked or have expired', async () => {
    const { owner, login } = await shop()
    const app = await start(login, { cacheFor: 0 })
    const make = async (fields = {}) => {
      const { key, ...stored } = generateApiKey({ prefix: 'acme_live' })
      return { key, ...(await saveApiKey(owner, { ...stored, tenant: 'acme', ...fields })) }
    }
    const [live, expired] = [await make(), await make({ expiresAt: new Date(Date.now() - 1000) })]
    expect([(await get(app, live.key)).status, (await get(app, expired.key)).status]).toEqual([
      200, 401,
    ])
    expect(await revokeApiKey(owner, live.id, { tenant: 'zeta' })).toBeUndefined()
    expect((await get(app, live.key)).status).toBe(200)
    const revoked = await revokeApiKey(owner, live.id)
    expect(revoked?.revokedAt).toBeInstanceOf(Date)
    expect((await get(app, live.key)).status).toBe(401)
    expect((await revokeApiKey(owner, live.id))?.revokedAt).toEqual(revoked?.revokedAt)
    expect(await revokeApiKey(owner, 'key_unknown')).toBeUndefined()
    expect((await listApiKeys(owner)).map(({ id }) => id)).toEqual([expired.id, live.id])
    expect(await listApiKeys(owner, { tenant: 'zeta' })).toEqual([])
  })

  it('can be created by a handler with withoutTenant(), and used in the next request', async () => {
    const { owner, login } = await shop()
    const app = await start(login)
    const { key, ...stored } = generateApiKey({ prefix: 'acme_live' })
    await saveApiKey(owner, { ...stored, tenant: 'acme' })
    const made = await app
      .request()
      .post('/notes/keys')
      .set({ 'x-api-key': key, 'x-tenant-id': 'acme' })
    expect(made.status).toBe(200)
    expect((await get(app, made.body.data.key)).status).toBe(200)
    expect((await listApiKeys(owner)).map(({ tenant }) => tenant)).toEqual(['acme', 'acme'])
  })

  it('cannot be listed, created or changed with the rights of a tenant', async () => {
    const { owner, login } = await shop()
    const app = await start(login)
    const { key: _, ...stored } = generateApiKey({ prefix: 'acme_live' })
    await saveApiKey(owner, { ...stored, tenant: 'acme' })
    const db = app.get(Database)
    const attempts = [
      'select * from blazon.api_keys',
      'select count(*) from blazon.api_keys',
      `insert into blazon.api_keys (id, hash, start) values ('x', '${'a'.repeat(64)}', 'x')`,
      'update blazon.api_keys set revoked_at = null',
      'delete from blazon.api_keys',
    ]
    for (const text of attempts) {
      await expect(db.withTenantTransaction('acme', () => db.query(text))).rejects.toMatchObject({
        code: '42501',
      })
      await expect(db.query(text)).rejects.toMatchObject({ code: '42501' })
    }
    const other = await db.withTenantTransaction('zeta', () =>
      db.query('select * from blazon.find_api_key($1)', ['%']),
    )
    expect(other.rows).toEqual([])
    expect(await doctor(login)).toEqual([])
  })

  it('cause a 503 response if the table is missing, with the reason in the log', async () => {
    const database = await ownServerDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const guard = apiKeys({ prefix: 'acme_live', ...postgresKeys() })
    const app = await TestApp.create({
      controllers: [NotesController],
      plugins: [postgres(database.options)],
      auth: { guard },
    })
    onTestFinished(() => app.close())
    const { key } = generateApiKey({ prefix: 'acme_live' })
    const { status } = await app.request().get('/notes').set('x-api-key', key)
    expect(status).toBe(503)
    const [line] = app.logs.filter(({ level }) => level === 'error')
    expect(line?.facts['err']).toMatchObject({ cause: { code: '3F000' } })
  })

  it('work in an application without tenants whose login belongs to no other role', async () => {
    const database = await ownServerDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const login = await database.role('login', 'login nosuperuser nobypassrls')
    const folder = new Folder({
      '0001_create_api_keys.sql': apiKeysTable({ login }),
      '0002_create_notes.sql': `create table notes (text text); grant select on notes to ${login}`,
    })
    onTestFinished(() => folder[Symbol.dispose]())
    await migrate({ ...database.options, migrations: folder.path }, { roles: false })
    const own = { url: database.urlOf(login) }
    const { key, ...stored } = generateApiKey({ prefix: 'acme_live' })
    const saved = await saveApiKey(own, stored)
    const app = await App.create({
      controllers: [NotesController],
      plugins: [postgres(own)],
      auth: { guard: apiKeys({ prefix: 'acme_live', ...postgresKeys() }) },
      logger: false,
    })
    onTestFinished(() => app.close())
    const response = await app.fetch(
      new Request('http://a/notes', { headers: { 'x-api-key': key } }),
    )
    expect(await response.json()).toMatchObject({ data: { by: saved.id } })
    expect(await listApiKeys(app.get(Database))).toMatchObject([{ id: saved.id }])
  })
})

describe('the API key table on PGlite', () => {
  it('refuses a value that is not a hash, a duplicate hash, and an empty tenant', async () => {
    const database = await ownEmbeddedDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const [tenantRole, allTenantsRole] = [ownName('tenant'), ownName('all')]
    await database.run(`create role ${tenantRole}; create role ${allTenantsRole}`)
    await database.run(apiKeysTable({ tenantRole, allTenantsRole }))
    const insert = (hash: string, tenant: string | null) =>
      database.run(
        "insert into blazon.api_keys (id, hash, start, tenant_id) values (gen_random_uuid(), $1, 'a', $2)",
        [hash, tenant],
      )
    await insert('a'.repeat(64), null)
    await expect(insert('a'.repeat(64), null)).rejects.toMatchObject({ code: '23505' })
    await expect(insert(generateApiKey({ prefix: 'a' }).key, null)).rejects.toMatchObject({
      code: '23514',
    })
    await expect(insert('b'.repeat(64), '')).rejects.toMatchObject({ code: '23514' })
    expect(
      await database.as(
        tenantRole,
        'acme',
        `select hash from blazon.find_api_key('${'a'.repeat(64)}')`,
      ),
    ).toHaveLength(1)
    await expect(
      database.as(tenantRole, 'acme', 'select 1 from blazon.api_keys'),
    ).rejects.toMatchObject({ code: '42501' })
    expect(() => apiKeysTable({ login: '' })).toThrow('apiKeysTable(): login')
    expect(apiKeysTable({ login: 'a"; drop' })).toContain('"a""; drop"')
  })
})
