import { HttpError } from '../../../index.js'
import type { Connection } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { literal, TENANT_SETTING } from '../schema/names.js'
import {
  type CanaryColumn,
  canaryColumns,
  canaryTenant,
  type LookAlike,
  lookAlikesOf,
} from './canary-rows.js'
import {
  type Examination,
  type Finding,
  finding,
  type Relation,
  type TenantTable,
} from './examination.js'

/**
 * The timeouts are longer than an index lookup takes, but short enough that other sessions do not wait long for the
 * test's locks.
 */
const BEGIN = "begin; set local lock_timeout = '500ms'; set local statement_timeout = '5s'"

// Nothing is written to tables with triggers or rules, because a trigger or rule could have side effects.
const PRIVILEGES = `
select has_table_privilege($1::name, $2::oid, 'select') as select, has_table_privilege($1::name, $2::oid, 'insert') as insert,
  has_table_privilege($1::name, $2::oid, 'update') as update, has_table_privilege($1::name, $2::oid, 'delete') as delete,
  not exists (select from pg_catalog.pg_trigger t where t.tgrelid = $2 and not t.tgisinternal)
  and not exists (select from pg_catalog.pg_rewrite w where w.ev_class = $2) as quiet`

/** The SQLSTATEs of the lock timeout and the statement timeout. */
const TOO_LATE = ['55P03', '57014']

/** The error if the test cannot run, because the table is locked or a statement takes too long. */
class Interruption extends Error {}

/** The result of a statement: the number of rows, or the code of its error. */
type Outcome = { readonly rows: number } | { readonly code: string; readonly isOfTable: boolean }

/**
 * Tries forbidden access as the tenant role: one test tenant reads and writes the rows of another, and code without a
 * tenant reads and writes rows. Neither tenant exists. Each table is tested in a transaction that is rolled back.
 */
export async function releaseCanary(examination: Examination): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const table of examination.tables) {
    if (table.isReachable && table.kind !== 'f')
      findings.push(...(await tryTable(examination, table)))
  }
  return findings
}

async function tryTable(examination: Examination, table: TenantTable): Promise<Finding[]> {
  const { connection } = examination
  await connection.script(BEGIN)
  try {
    const trial = await Trial.prepare(examination, table)
    return trial === null ? [] : await trial.run()
  } catch (error) {
    if (error instanceof Interruption) return [interrupted(table)]
    throw error
  } finally {
    await connection.script('rollback')
  }
}

class Trial {
  readonly #connection: Connection
  readonly #role: string
  readonly #table: TenantTable
  readonly #columns: readonly CanaryColumn[]
  readonly #may: Readonly<Record<string, unknown>>
  readonly #a: string
  readonly #b: string
  readonly #findings: Finding[] = []

  private constructor(
    { connection, tenantRole }: Examination,
    table: TenantTable,
    facts: {
      columns: readonly CanaryColumn[]
      may: Record<string, unknown>
      ids: readonly [string, string]
    },
  ) {
    this.#connection = connection
    this.#role = tenantRole
    this.#table = table
    this.#columns = facts.columns
    this.#may = facts.may
    ;[this.#a, this.#b] = facts.ids
  }

  /** Prepares the test of a table; `null` if the column cannot hold the IDs of test tenants. */
  static async prepare(examination: Examination, table: TenantTable): Promise<Trial | null> {
    const { connection, tenantRole } = examination
    const [a, b] = [canaryTenant(table.column), canaryTenant(table.column)]
    if (a === null || b === null) return null
    const columns = await canaryColumns(connection, table)
    const values = [tenantRole, table.oid]
    const { rows } = await connection.query({ text: PRIVILEGES, values })
    return new Trial(examination, table, { columns, may: rows[0] ?? {}, ids: [a, b] })
  }

  async run(): Promise<Finding[]> {
    if (this.#may['select'] === true) await this.#tryReading()
    if (this.#may['insert'] === true && this.#may['quiet'] === true) await this.#tryWriting()
    return this.#findings
  }

  async #tryReading(): Promise<void> {
    const sql = `select 1 from ${this.#table.fullName} limit 1`
    if (rowsOf(await this.#as(this.#a, sql)) > 0)
      this.#report('a tenant that does not exist sees rows')
    if (rowsOf(await this.#as('', sql)) > 0) this.#report('code without a tenant sees rows')
  }

  async #tryWriting(): Promise<void> {
    const own = await this.#as(this.#b, this.#insert(this.#b))
    // An error with a different cause proves nothing about policies. If even the tenant's own row is refused, further
    // tests are useless.
    if (!passesPolicy(own, this.#table)) return
    if ('rows' in own) await this.#tryReaching()
    const foreign = this.#insert(this.#b)
    if (passesPolicy(await this.#as(this.#a, foreign), this.#table)) {
      this.#report('one tenant writes rows of another')
    }
    if (passesPolicy(await this.#as('', foreign), this.#table)) {
      this.#report('code without a tenant writes rows of a tenant')
    }
  }

  /**
   * Tries to reach the second tenant's row, which now exists. If that succeeds, the test with similar IDs is not
   * needed.
   */
  async #tryReaching(): Promise<void> {
    const before = this.#findings.length
    await this.#tryForeignRows()
    if (this.#findings.length === before) await this.#tryLookAlikes()
  }

  async #tryForeignRows(): Promise<void> {
    const { fullName } = this.#table
    const theirs = `where tenant_id = ${literal(this.#b)}`
    const attempts = [
      ['select', `select 1 from ${fullName} ${theirs}`, 'sees'],
      ['update', `update ${fullName} set tenant_id = tenant_id ${theirs}`, 'changes'],
      ['delete', `delete from ${fullName} ${theirs}`, 'deletes'],
    ] as const
    for (const [privilege, sql, verb] of attempts) {
      if (this.#may[privilege] !== true) continue
      for (const tenant of [this.#a, '']) {
        const who = tenant === '' ? 'code without a tenant' : 'one tenant'
        const whose = tenant === '' ? 'a tenant' : 'another'
        if (rowsOf(await this.#as(tenant, sql)) > 0) this.#report(`${who} ${verb} rows of ${whose}`)
      }
    }
  }

  async #tryLookAlikes(): Promise<void> {
    const lookAlikes = lookAlikesOf(this.#b, this.#table.column)
    if (this.#may['select'] !== true || (await this.#seeNothing(lookAlikes))) return
    const sql = `select 1 from ${this.#table.fullName} limit 1`
    const seen: string[] = []
    for (const { id, difference } of lookAlikes) {
      if (rowsOf(await this.#as(id, sql)) > 0) seen.push(difference)
    }
    if (seen.length === 0) return
    this.#report(
      `one tenant sees the rows of another tenant whose ID differs only in ${seen.join(', or ')}`,
    )
  }

  /**
   * Returns `true` if no similar ID can read a row. All queries run in one script, in which a statement that reads a
   * row fails with a division by zero.
   */
  async #seeNothing(lookAlikes: readonly LookAlike[]): Promise<boolean> {
    const look = `select 1 / (1 - count(*)) from (select 1 from ${this.#table.fullName} limit 1) seen`
    const script = lookAlikes.map(({ id }) => `${this.#enter(id)}; ${look}`).join('; ')
    const refusal = await this.#attempt(() => this.#connection.script(`savepoint trial; ${script}`))
    return refusal === undefined
  }

  #insert(tenant: string): string {
    const names = ['tenant_id', ...this.#columns.map(({ name }) => name)].join(', ')
    const values = [literal(tenant), ...this.#columns.map(({ value }) => value)].join(', ')
    // An identity column gets an explicit value. Otherwise, its sequence would advance, which a rollback does not undo.
    return `insert into ${this.#table.fullName} (${names}) overriding system value values (${values})`
  }

  /**
   * Runs a statement as a tenant, after its own savepoint, so that an error affects only this statement. An inserted
   * row exists until the end of the test.
   */
  async #as(tenant: string, text: string): Promise<Outcome> {
    let rows = 0
    const refusal = await this.#attempt(async () => {
      await this.#connection.script(`savepoint trial; ${this.#enter(tenant)}`)
      rows = (await this.#connection.query({ text })).rowCount
    })
    if (refusal === undefined) return { rows }
    return { code: refusal.code, isOfTable: isAbout(refusal, this.#table) }
  }

  #enter(tenant: string): string {
    return `select set_config('role', ${literal(this.#role)}, true), set_config('${TENANT_SETTING}', ${literal(tenant)}, true)`
  }

  /**
   * Returns the error if the server refused a statement in `fn`. The changes since the savepoint are then rolled back.
   */
  async #attempt(fn: () => Promise<void>): Promise<PostgresError | undefined> {
    try {
      await fn()
      return undefined
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === undefined) throw error
      await this.#connection.script('rollback to savepoint trial')
      if (TOO_LATE.includes(refusal.code)) throw new Interruption()
      return refusal
    }
  }

  #report(what: string): void {
    const subject = `table ${this.#table.fullName}`
    const cause = `The doctor tested this table: as the role ${this.#role}, ${what}.`
    const remedy =
      'Correct the other problems of this table. If there are none, check its policies, triggers and defaults.'
    this.#findings.push(finding('E_DATABASE_CANARY', { subject, cause, remedy }))
  }
}

/** Creates the finding for a table that could not be tested. */
export function interrupted({ fullName }: Relation): Finding {
  const cause = 'It is locked or slow, so the doctor could not test whether it isolates tenants.'
  const facts = { subject: `table ${fullName}`, cause, remedy: 'Run the doctor again later.' }
  return finding('W_DATABASE_CANARY', facts)
}

function rowsOf(outcome: Outcome): number {
  return 'rows' in outcome ? outcome.rows : 0
}

/**
 * Whether a policy allowed the row: either the row was inserted, or a constraint of the table refused it. PostgreSQL
 * checks constraints after policies (`ExecInsert`). For a partitioned table, a constraint error proves nothing, because
 * PostgreSQL selects the partition before it checks the policies.
 */
function passesPolicy(outcome: Outcome, { kind }: TenantTable): boolean {
  if ('rows' in outcome) return true
  return outcome.code.startsWith('23') && outcome.isOfTable && kind !== 'p'
}

// A column default may write to another table, and that table may refuse the write.
function isAbout(refusal: PostgresError, { schema, name }: TenantTable): boolean {
  return refusal.schema === schema && refusal.table === name
}

/** Returns the server's error; `undefined` if the error is not from the server. */
function refusalIn(error: unknown): PostgresError | undefined {
  if (error instanceof PostgresError) return error
  const cause = HttpError.is(error) ? error.cause : undefined
  return cause instanceof PostgresError ? cause : undefined
}
