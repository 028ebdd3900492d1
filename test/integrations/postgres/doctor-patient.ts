import { expect } from 'vitest'
import type { Finding } from '../../../src/integrations/postgres/doctor/examination.js'
import { examine } from '../../../src/integrations/postgres/doctor/inspect-database.js'
import { ensureRoles } from '../../../src/integrations/postgres/roles.js'
import type { OwnDatabase } from './own-database.js'

export const SETTING = "current_setting('app.tenant_id', true)"
/** The expression with which policies compare, as `tenantTable` writes it. */
export const CURRENT = `(select nullif(${SETTING}, ''))`

/** A mistake in a database by which a tenant sees rows of another tenant. */
export interface Leak {
  readonly what: string
  /** SQL. `$t` is a unique name, `$one` the role of tenants, `$all` the role of all tenants, `$me` the superuser. */
  readonly plant: string
  /** The tenant that reads. Default `'acme'`. */
  readonly tenant?: string
  /** The statements of the tenant. The last one reads data of another tenant. */
  readonly see: string | readonly string[]
  /** Codes and subjects of the expected findings, with warnings, without `_CANARY`. */
  readonly expected: readonly string[]
  /** SQL that removes what `plant` has made, except for tables that are called `$t…`. */
  readonly cleanUp?: string
}

/** Rows for `it.each`, whose titles show the whole of `what`. Vitest would cut off the value of `$what`. */
export function named(leaks: readonly Leak[]): [what: string, leak: Leak][] {
  return leaks.map((leak) => [leak.what, leak])
}

/** A database that the doctor examines. Tests plant mistakes in it. */
export class Patient implements AsyncDisposable {
  readonly database: OwnDatabase
  readonly roles: { readonly tenantRole: string; readonly allTenantsRole: string }
  #made = 0
  #superuser = ''

  constructor(database: OwnDatabase) {
    this.database = database
    this.roles = { tenantRole: database.tenantRole, allTenantsRole: database.allTenantsRole }
  }

  /** Opens a database with the roles and nothing else. */
  static async open(open: () => Promise<OwnDatabase>, login?: string): Promise<Patient> {
    const patient = new Patient(await open())
    const connection = await patient.database.driver.connect()
    await connection.script('begin')
    await ensureRoles(connection, { ...patient.roles, login })
    await connection.script('commit')
    connection.release()
    const [row] = await patient.run('select session_user::text as me')
    patient.#superuser = String(row?.['me'])
    return patient
  }

  /** A unique name in this database. */
  newName(): string {
    this.#made++
    return `t${this.#made}_x`
  }

  fill(sql: string, name: string): string {
    return sql
      .replaceAll('$t', name)
      .replaceAll('$one', this.roles.tenantRole)
      .replaceAll('$all', this.roles.allTenantsRole)
      .replaceAll('$me', this.#superuser)
  }

  async run(sql: string, name = ''): Promise<Record<string, unknown>[]> {
    return await this.database.run(this.fill(sql, name))
  }

  /** All findings of the doctor, except those about the login: the tests log in as a superuser. */
  async findings(): Promise<Finding[]> {
    const all = await examine(this.database.driver, this.roles)
    return all.filter(({ subject }) => !subject.startsWith('login '))
  }

  /** Plants a leak. Expects that a tenant sees it, that the doctor finds it, and that `cleanUp` removes it. */
  async expectFound({ plant, tenant = 'acme', see, expected, cleanUp = '' }: Leak): Promise<void> {
    const name = this.newName()
    const statements = [see].flat().map((each) => this.fill(each, name))
    let seen: unknown[]
    let findings: Finding[]
    try {
      await this.run(plant, name)
      seen = await this.database.as(this.roles.tenantRole, tenant, ...statements)
      findings = await this.findings()
    } finally {
      await this.run(`rollback; ${cleanUp}; drop table if exists $t, $t_copy cascade`, name)
    }
    expect(seen, 'what a tenant sees of another').not.toEqual([])
    const read = findings.filter(({ code }) => !code.endsWith('_CANARY'))
    const lines = read.map(({ code, subject }) => `${code} ${subject}`)
    expect(new Set(lines)).toEqual(new Set(expected.map((each) => this.fill(each, name))))
    for (const { severity, code, cause, remedy } of findings) {
      expect(severity).toBe(code.startsWith('E_') ? 'error' : 'warning')
      expect(`${cause} ${remedy}`).not.toMatch(/undefined|\[object|\$\w/)
    }
    expect(await this.findings(), 'what is left').toMatchObject([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.database[Symbol.asyncDispose]()
  }
}
