import { expect } from 'vitest'
import type { Finding } from '../../../src/integrations/postgres/doctor/finding.js'
import { examine } from '../../../src/integrations/postgres/doctor/inspect-database.js'
import { ensureRoles } from '../../../src/integrations/postgres/migrations/ensure-roles.js'
import type { OwnDatabase } from './own-database.js'

export const SETTING = "current_setting('app.tenant_id', true)"
/** What policies compare with, as `tenantTable` writes it. */
export const CURRENT = `(select nullif(${SETTING}, ''))`

/** A way in which a tenant gets at what is another's. */
export interface Wound {
  readonly what: string
  /** SQL; `$t` is a name that nobody else has, `$one` the role of tenants, `$all` that of all tenants, `$me` who runs it. */
  readonly plant: string
  /** Who looks. Default `'acme'`. */
  readonly tenant?: string
  /** What the tenant asks, the last one for what is not its own. */
  readonly see: string | readonly string[]
  /** Codes and subjects of what the doctor is to say, warnings among it; what it has tried is not. */
  readonly told: readonly string[]
  /** Taken away again, where it is not of a table that is called `$t…`. */
  readonly heal?: string
}

/** A database that things are planted in, and that the doctor is asked about. */
export class Patient implements AsyncDisposable {
  readonly database: OwnDatabase
  readonly roles: { readonly tenantRole: string; readonly allTenantsRole: string }
  #made = 0
  #superuser = ''

  constructor(database: OwnDatabase) {
    this.database = database
    this.roles = { tenantRole: database.tenantRole, allTenantsRole: database.allTenantsRole }
  }

  /** One in which the roles are, and nothing else. */
  static async admit(open: () => Promise<OwnDatabase>, login?: string): Promise<Patient> {
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

  /** A name that nothing else here has. */
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

  /** What the doctor says of everything, but for the login: the tests' own is a superuser. */
  async findings(): Promise<Finding[]> {
    const all = await examine(this.database.driver, this.roles)
    return all.filter(({ subject }) => !subject.startsWith('login '))
  }

  /** Plants a wound, sees that it is one, that the doctor names it, and that nothing is left of it. */
  async suffer({ plant, tenant = 'acme', see, told, heal = '' }: Wound): Promise<void> {
    const name = this.newName()
    const statements = [see].flat().map((each) => this.fill(each, name))
    let seen: unknown[]
    let findings: Finding[]
    try {
      await this.run(plant, name)
      seen = await this.database.as(this.roles.tenantRole, tenant, ...statements)
      findings = await this.findings()
    } finally {
      await this.run(`rollback; ${heal}; drop table if exists $t, $t_copy cascade`, name)
    }
    expect(seen, 'what a tenant sees of another').not.toEqual([])
    const read = findings.filter(({ code }) => !code.endsWith('_CANARY'))
    const lines = read.map(({ code, subject }) => `${code} ${subject}`)
    expect(new Set(lines)).toEqual(new Set(told.map((each) => this.fill(each, name))))
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
