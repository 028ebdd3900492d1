import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { runWithTenant } from 'blazon'
import {
  Database,
  doctor,
  migrate,
  migrationStatus,
  type PostgresOptions,
  type PostgresTimeouts,
  postgres,
} from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { options } from '../../examples/orders/app.js'
import { isServerMissing, serverUrl } from '../../examples/orders/databases.js'
import { demoToken } from '../../examples/orders/demo-token.js'
import { blocksOf, read, root } from './markdown.js'

const PAGE = 'docs/postgres.md'
describe('docs/postgres.md', () => {
  it('lists exactly the options of postgres()', () => {
    const timeouts = { acquire: 1, statement: 1, idleInTransaction: 1 } satisfies Record<
      keyof PostgresTimeouts,
      1
    >
    const { timeouts: _, ...others } = {
      url: 1,
      embedded: 1,
      connections: 1,
      timeouts: 1,
      migrations: 1,
      requireMigrations: 1,
      doctor: 1,
      tenantRole: 1,
      allTenantsRole: 1,
      poolOptions: 1,
    } satisfies Record<keyof PostgresOptions, 1>
    const names = [
      ...Object.keys(others),
      ...Object.keys(timeouts).map((name) => `timeouts.${name}`),
    ]
    const documented = [...read(PAGE).matchAll(/^\| `([a-z][a-zA-Z.]+)` +\|/gm)].map(
      ([, name]) => name,
    )
    const types = ['boolean', 'bytea']
    expect(documented.filter((name) => !types.includes(String(name))).sort()).toEqual(names.sort())
  })
})

describe.skipIf(isServerMissing)('the logins and roles of docs/postgres.md', () => {
  const asAdministrator = async (statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: serverUrl.href })
    await client.connect()
    try {
      for (const text of statements) {
        await client.query(text).catch((error) => {
          // Roles are of the whole server: other tests make these two, too, and maybe right now.
          const isThere = ['42710', '23505'].includes(error.code)
          if (!isThere || !text.startsWith('create role app_')) throw error
        })
      }
    } finally {
      await client.end()
    }
  }

  it('allow the owner to migrate and the application to run, and pass doctor()', async () => {
    const name = `shop_${process.pid}_${randomUUID().slice(0, 8)}`
    const [block] = blocksOf(PAGE).filter(({ info }) => info === 'sql')
    const script = String(block?.text).replace(/\bshop(_owner)?\b/g, `${name}$1`)
    onTestFinished(() =>
      asAdministrator([
        `drop database if exists ${name} with (force)`,
        `drop role if exists ${name}, ${name}_owner`,
      ]),
    )
    await asAdministrator(script.split(/;\s*/).filter((text) => text !== ''))
    const passwords = [...script.matchAll(/password '([^']*)'/g)].map(([, word = '']) => word)
    const urlOf = (username: string, password = '') =>
      Object.assign(new URL(serverUrl), { username, password, pathname: name }).href
    const owner = {
      url: urlOf(`${name}_owner`, passwords[0]),
      migrations: join(root, 'examples/orders/migrations'),
    }
    const shop = { url: urlOf(name, passwords[1]) }

    expect(await migrate(owner, { login: name })).toHaveLength(4)
    expect((await migrationStatus(owner)).map(({ state }) => state)).toEqual(
      Array(4).fill('applied'),
    )
    expect(await doctor(shop)).toEqual([])

    await using app = await TestApp.create({
      ...options,
      plugins: [postgres({ ...shop, doctor: true })],
      rateLimit: false,
      contract: 'throw',
    })
    const clerk = app.with({ authorization: `Bearer ${demoToken('clerk')}` })
    const ada = { name: 'Ada', email: 'ada@example.com' }
    await clerk.request().post('/customers').send(ada).expect(201)
    const db = app.get(Database)
    const count = () => db.sql`select count(*)::integer as count from customers`
    expect(await runWithTenant('aurora', count)).toEqual([{ count: 1 }])
    expect(await runWithTenant('borealis', count)).toEqual([{ count: 0 }])
    expect(await db.withoutTenant('a test', count)).toEqual([{ count: 1 }])
    const drop = () => db.sql`drop policy customers_tenant on customers`
    await expect(runWithTenant('aurora', drop)).rejects.toMatchObject({ code: '42501' })
    // Who has logged in is nobody by itself.
    const getOut = () =>
      db.transaction(async () => {
        await db.sql`select set_config('role', 'none', true)`
        await count()
      })
    await expect(runWithTenant('aurora', getOut)).rejects.toMatchObject({ code: '42501' })
  })
})
