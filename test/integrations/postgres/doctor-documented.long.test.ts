import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  protectTable,
  tenantTable,
} from '../../../src/integrations/postgres/schema/tenant-table.js'
import { SCHEMA } from '../../conformance/tenant-schema.js'
import { blocksOf } from '../../docs/markdown.js'
import { Patient } from './doctor-patient.js'
import { describeWithServer, ownServerDatabase } from './own-database.js'

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(root(path), 'utf8')

const MIGRATIONS = readdirSync(root('examples/orders/migrations'))
  .sort()
  .map((name) => read(`examples/orders/migrations/${name}`))

describeWithServer('the doctor on a server', () => {
  let patient: Patient
  beforeEach(async () => {
    patient = await Patient.open(ownServerDatabase)
  })
  afterEach(() => patient[Symbol.asyncDispose]())

  const withRoles = (sql: string) =>
    sql.replaceAll('app_tenant', '$one').replaceAll('app_all_tenants', '$all')

  it('accepts the migrations of the orders example', async () => {
    for (const migration of MIGRATIONS) await patient.run(withRoles(migration))
    expect(await patient.findings()).toEqual([])
  })

  it('accepts the schema of the conformance suite', async () => {
    // The two roles exist already.
    await patient.run(withRoles(SCHEMA.slice(SCHEMA.indexOf('create table orders'))))
    expect(await patient.findings()).toEqual([])
  })

  it.each([
    [
      'the recipe for Kysely',
      { id: 'uuid' as const, columns: ['item text not null'], unique: [['item']] },
    ],
    [
      'the recipe for Prisma',
      { columns: ['order_id uuid not null', 'text text not null', 'tags text[]'] },
    ],
    ['a separate schema', { schema: 'shop', columns: ['note text'] }],
  ])('accepts a table of %s', async (_, options) => {
    await patient.run('create schema shop')
    await patient.run(tenantTable('orders', { ...patient.roles, ...options }))
    expect(await patient.findings()).toEqual([])
  })

  it('accepts a table that protectTable() changed, and the shared table in the documentation', async () => {
    await patient.run('create table invoices (id serial primary key, tenant_id text)')
    await patient.run(protectTable('invoices', patient.roles))
    const shared = blocksOf('docs/migrations.md').find(({ text }) => text.includes('countries'))
    await patient.run(withRoles(String(shared?.text)))
    expect(await patient.findings()).toEqual([])
  })
})
