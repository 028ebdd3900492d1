import { Controller } from 'blazon'
import { migrate, postgres } from 'blazon/postgres'
import { beforeAll, expect, it } from 'vitest'
import {
  describeWithServer,
  Folder,
  ownServerDatabase,
  type ServerDatabase,
} from '../../integrations/postgres/own-database.js'
import { AccountController, accountTables, web } from './accounts.js'
import { startAccounts } from './support.js'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

/** Lets the users of all tenants in, by its own rules. */
class Checking {
  static readonly checksTenant = true
  canActivate = () => false
}

/** As the page says it: accounts are of no tenant. */
@Controller('account')
class TenantAccountController extends AccountController {
  protected override withAccounts<T>(work: () => Promise<T>): Promise<T> {
    return this.db.withoutTenant('accounts', work)
  }
}

describeWithServer('the code in docs/passwords.md with separate database logins', () => {
  let database: ServerDatabase
  let shop: string
  beforeAll(async () => {
    database = await ownServerDatabase()
    shop = await database.role('shop', 'login noinherit')
    return () => database[Symbol.asyncDispose]()
  })

  /** Migrates as the owner, and gives an application the other login. */
  async function migrated(role: string, hasTenants: boolean) {
    await database.run('drop schema if exists blazon cascade; drop schema public cascade')
    await database.run('create schema public; grant usage on schema public to public')
    using folder = new Folder({ '0001_accounts.sql': accountTables(role) })
    const { tenantRole, allTenantsRole } = database
    const roles = { tenantRole, allTenantsRole }
    await migrate(
      { url: database.options.url, migrations: folder.path, ...roles },
      { login: shop, roles: hasTenants },
    )
    return { url: database.urlOf(shop), ...(hasTenants && roles) }
  }

  it.each([
    ['without tenants', false],
    ['with tenants', true],
  ] as const)('supports registration, login and password reset %s', async (_, hasTenants) => {
    const role = hasTenants ? database.allTenantsRole : shop
    const options = await migrated(role, hasTenants)
    const more = hasTenants ? { controllers: [TenantAccountController], tenant: {} } : {}
    const { app, send, register, links } = await startAccounts(database, undefined, {
      ...more,
      plugins: [postgres(options), web],
    })
    await register(EMAIL, PASSWORD)
    expect((await send('login', { email: EMAIL, password: 'wrong' })).code).toBe('LOGIN_FAILED')
    const { status, cookie } = await send('login', { email: EMAIL, password: PASSWORD })
    expect([status, cookie]).toEqual([204, expect.stringMatching(/^session=/)])
    await send('link', { email: EMAIL })
    const body = { token: links.at(-1)?.token, password: 'another long password' }
    expect((await send('password', body)).status).toBe(204)
    expect((await send('login', { email: EMAIL, password: PASSWORD })).status).toBe(401)
    await app.close()
  })

  it.each([
    ['a session that has its tenant', {}],
    ['a guard that checks the tenant itself', { auth: { guard: Checking } }],
  ])('counts failed logins of a client that specifies a tenant, with %s', async (_, more) => {
    const options = await migrated(database.allTenantsRole, true)
    const controllers = [TenantAccountController]
    const { app } = await startAccounts(database, undefined, {
      controllers,
      tenant: {},
      plugins: [postgres(options), web],
      ...more,
    })
    const login = () =>
      app
        .request()
        .post('/account/login')
        .set({ 'sec-fetch-site': 'same-origin', 'x-tenant-id': 'acme' })
        .send({ email: EMAIL, password: 'wrong' })
    const statuses: number[] = []
    for (let attempt = 1; attempt <= 12; attempt++) statuses.push((await login()).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    await app.close()
  })

  it('gives the tenant role no access to the accounts', async () => {
    await migrated(database.allTenantsRole, true)
    for (const table of ['accounts', 'password_links', 'login_attempts', 'blazon_sessions']) {
      const read = database.as(database.tenantRole, 'acme', `select from ${table}`)
      await expect(read).rejects.toThrow(`permission denied for table ${table}`)
    }
  })
})
