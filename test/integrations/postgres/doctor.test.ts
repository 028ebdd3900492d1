import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../../../src/errors/config-error.js'
import {
  assertIsolation,
  examine,
} from '../../../src/integrations/postgres/doctor/inspect-database.js'
import { ensureRoles } from '../../../src/integrations/postgres/migrations/ensure-roles.js'
import { protectTable, tenantTable } from '../../../src/integrations/postgres/tenant-table.js'
import { KINDS, type OwnDatabase } from './own-database.js'

describe.each(KINDS)('the doctor on %s', (_, open) => {
  let database: OwnDatabase
  let roles: { tenantRole: string; allTenantsRole: string }

  beforeEach(async () => {
    database = await open()
    const { tenantRole, allTenantsRole } = database
    roles = { tenantRole, allTenantsRole }
    const connection = await database.driver.connect()
    await connection.script('begin')
    await ensureRoles(connection, roles)
    await connection.script('commit')
    connection.release()
    await database.run(
      tenantTable('customers', { ...roles, columns: ['email text not null'], unique: [['email']] }),
    )
    await database.run(
      tenantTable('orders', {
        ...roles,
        columns: ['customer_id bigint not null', "state text not null default 'new'", 'paid_at date not null'],
        references: { customer_id: 'customers' },
      }),
    )
  })
  afterEach(() => database[Symbol.asyncDispose]())

  /** What is found, but for the login of these tests, which is a superuser. */
  const findings = async () => {
    const all = await examine(database.driver, roles)
    return all.filter(({ subject }) => !subject.startsWith('login '))
  }
  const codes = async () => (await findings()).map(({ code, subject }) => `${code} ${subject}`)

  it('finds nothing where tables are as tenantTable makes them', async () => {
    expect(await findings()).toEqual([])
  })
})
