import { HttpError } from '../../../index.js'
import type { Connection } from '../driver.js'
import { TENANT_SETTING } from '../names.js'
import { PostgresError } from '../postgres-error.js'
import { literal } from '../schema/identifier.js'
import { type CanaryColumn, canaryColumns } from './canary-columns.js'
import { canaryTenant, type LookAlike, lookAlikesOf } from './canary-tenants.js'
import type { Examination, Relation, TenantTable } from './examination.js'
import { type Finding, finding } from './finding.js'

/** Longer than a look into an index takes, and shorter than anybody minds to wait for a lock. */
const BEGIN = "begin; set local lock_timeout = '500ms'; set local statement_timeout = '5s'"

// Triggers and rules may do anything, and it is not for a check to make them do it.
const PRIVILEGES = `
select has_table_privilege($1::name, $2::oid, 'select') as select, has_table_privilege($1::name, $2::oid, 'insert') as insert,
  has_table_privilege($1::name, $2::oid, 'update') as update, has_table_privilege($1::name, $2::oid, 'delete') as delete,
  not exists (select from pg_catalog.pg_trigger t where t.tgrelid = $2 and not t.tgisinternal)
  and not exists (select from pg_catalog.pg_rewrite w where w.ev_class = $2) as quiet`

/** SQLSTATEs of what was given up: a lock, a statement. */
const TOO_LATE = ['55P03', '57014']

/** Somebody else works on a table, so that nothing can be tried. */
class Interruption extends Error {}

/** What became of a statement: how many rows, or the code of its error. */
type Outcome = { readonly rows: number } | { readonly code: string; readonly isOfTable: boolean }

/**
 * Tries, as the role of tenants, what must not work: one tenant that there is not reads and writes what belongs to another one that there is not,
 * and nobody reads anything. Each table in a transaction that is rolled back.
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

  /** `null` where there can be no ids of tenants. */
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
    // What fails for other reasons tells nothing of policies; neither does it where the own row is refused, too.
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

  /** There is a row of the second tenant now. Where anybody gets at it, it need not be asked who is taken for that tenant. */
  async #tryReaching(): Promise<void> {
    const before = this.#findings.length
    await this.#tryStealing()
    if (this.#findings.length === before) await this.#tryLookAlikes()
  }

  async #tryStealing(): Promise<void> {
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
    if (this.#may['select'] !== true || (await this.#areBlind(lookAlikes))) return
    const sql = `select 1 from ${this.#table.fullName} limit 1`
    const seen: string[] = []
    for (const { id, difference } of lookAlikes) {
      if (rowsOf(await this.#as(id, sql)) > 0) seen.push(difference)
    }
    if (seen.length === 0) return
    this.#report(`one tenant sees the rows of a tenant whose id differs in ${seen.join(', or ')}`)
  }

  /** Whether none of them sees anything. In one message: who sees something divides by zero. */
  async #areBlind(lookAlikes: readonly LookAlike[]): Promise<boolean> {
    const look = `select 1 / (1 - count(*)) from (select 1 from ${this.#table.fullName} limit 1) seen`
    const script = lookAlikes.map(({ id }) => `${this.#enter(id)}; ${look}`).join('; ')
    const refusal = await this.#attempt(() => this.#connection.script(`savepoint trial; ${script}`))
    return refusal === undefined
  }

  #insert(tenant: string): string {
    const names = ['tenant_id', ...this.#columns.map(({ name }) => name)].join(', ')
    const values = [literal(tenant), ...this.#columns.map(({ value }) => value)].join(', ')
    // The number of an identity column is given, or its sequence would be a number further for good.
    return `insert into ${this.#table.fullName} (${names}) overriding system value values (${values})`
  }

  /** Runs a statement in a tenant's name, so that its failure is its own. A row that it leaves stays until the end of the trial. */
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

  /** Answers with what the server has refused it for; what was done since the savepoint that it begins with is undone then. */
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
    const cause = `It was tried: as the role ${this.#role}, ${what}.`
    const remedy =
      'Correct the other problems of this table. If there are none, look at its policies, triggers and defaults.'
    this.#findings.push(finding('E_DATABASE_CANARY', { subject, cause, remedy }))
  }
}

/** Says that a table could not be looked at. */
export function interrupted({ fullName }: Relation): Finding {
  const cause = 'It is locked or slow, so the doctor could not test whether it keeps tenants apart.'
  const facts = { subject: `table ${fullName}`, cause, remedy: 'Run the doctor again later.' }
  return finding('W_DATABASE_CANARY', facts)
}

function rowsOf(outcome: Outcome): number {
  return 'rows' in outcome ? outcome.rows : 0
}

/**
 * Whether a policy has let a row through: it was written, or refused by a constraint of the table, which PostgreSQL asks after the policies (`ExecInsert`). A
 * partitioned table looks for the partition even before them.
 */
function passesPolicy(outcome: Outcome, { kind }: TenantTable): boolean {
  if ('rows' in outcome) return true
  return outcome.code.startsWith('23') && outcome.isOfTable && kind !== 'p'
}

// Defaults may write to other tables, and be refused there.
function isAbout(refusal: PostgresError, { schema, name }: TenantTable): boolean {
  return refusal.schema === schema && refusal.table === name
}

/** What the server has said; `undefined` where it was not the server. */
function refusalIn(error: unknown): PostgresError | undefined {
  if (error instanceof PostgresError) return error
  const cause = HttpError.is(error) ? error.cause : undefined
  return cause instanceof PostgresError ? cause : undefined
}
