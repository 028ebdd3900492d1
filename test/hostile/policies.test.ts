import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boundColumn } from '../../src/integrations/postgres/doctor/bound-column.js'
import { Random } from '../conformance/random.js'
import { type OwnDatabase, ownEmbeddedDatabase } from '../integrations/postgres/own-database.js'
import { rounds, seed } from './rounds.js'

const SETTING = "current_setting('app.tenant_id', true)"
const B63 = 'b'.repeat(63)
/** Some comparisons take one of these for another. */
const IDS = ['acme', 'ACME', 'acme ', 'acme-2', 'acm_', 'acm', 'a', `${B63}1`, `${B63}2`, 'zeta']
const TYPES = ['text', 'varchar', 'varchar(80)', 'char(70)', 'name', 'text collate "C"'] as const

/** Generates conditions of policies: safe ones and unsafe ones. */
class Conditions {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  condition(depth = 0): string {
    const kind = this.#random.weighted({ compare: 6, and: 3, or: 1, not: 1, case: 1, other: 1 })
    if (depth > 2 || kind === 'compare') return this.#comparison()
    const part = () => this.condition(depth + 1)
    if (kind === 'and' || kind === 'or') return `(${part()} ${kind} ${part()})`
    if (kind === 'not') return `(not ${part()})`
    if (kind === 'case') return `(case when ${part()} then ${part()} else ${part()} end)`
    return this.#random.pick([
      'true',
      'note is null',
      "note <> ') and (tenant_id = '",
      'note between tenant_id and tenant_id',
      `exists (select 1 where ${part()})`,
    ])
  }

  #comparison(): string {
    const operator = this.#random.weighted({
      '=': 12,
      '<>': 1,
      '>=': 1,
      '~': 1,
      like: 1,
      ilike: 1,
      'is not distinct from': 1,
    })
    const sides = [this.#column(), this.#setting()]
    if (this.#random.below(4) === 0) sides.reverse()
    return `(${sides.join(` ${operator} `)})`
  }

  #column(): string {
    const pick = this.#random.below(3)
    return pick > 0 ? 'tenant_id' : this.#changed('tenant_id')
  }

  #setting(): string {
    const bare = this.#random.pick([
      SETTING,
      `nullif(${SETTING}, '')`,
      `nullif(${SETTING}, '')`,
      `nullif(${SETTING}, 'acme')`,
      `coalesce(nullif(${SETTING}, ''), 'zeta')`,
      "current_setting('app.other', true)",
      "'zeta'",
    ])
    const inner = this.#random.below(4) === 0 ? this.#changed(bare) : bare
    const query = this.#random.pick([
      inner,
      `(select ${inner})`,
      `(select ${inner} as "a) and (b")`,
      `(select ${inner} from (values (1)) v)`,
    ])
    return this.#random.below(4) === 0 ? this.#changed(query) : query
  }

  #changed(value: string): string {
    const types = ['text', 'varchar', 'varchar(4)', 'char(4)', 'bpchar', 'name', '"char"']
    const functions = ['lower', 'upper', 'trim', 'concat', 'btrim']
    return this.#random.below(2) === 0
      ? `(${value})::${this.#random.pick(types)}`
      : `${this.#random.pick(functions)}(${value})`
  }
}

describe('the condition of a policy', () => {
  let database: OwnDatabase
  beforeAll(async () => {
    database = await ownEmbeddedDatabase()
    await database.run('create role looker')
  })
  afterAll(() => database[Symbol.asyncDispose]())

  it(`shows only rows of the current tenant if the doctor accepts the condition (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const conditions = new Conditions(random)
    let accepted = 0
    let leaking = 0
    for (let round = 0; round < rounds(300); round++) {
      const type = random.pick(TYPES)
      const condition = conditions.condition()
      const column = {
        name: 'tenant_id',
        type: type.startsWith('varchar') ? 'character varying' : (type.split(' ')[0] as string),
        isDeterministic: true,
      }
      if (!(await plant(type, condition))) continue
      const written = await expression()
      const isAccepted = boundColumn(written, [column]) !== undefined
      const leak = await leakOf()
      if (isAccepted) accepted++
      if (leak !== undefined) leaking++
      const what = `SEED=${seed} round ${round}: ${type}, ${condition}, written ${written}`
      if (isAccepted) expect(leak, what).toBeUndefined()
    }
    // Otherwise the test would have compared nothing.
    expect(accepted, `SEED=${seed}`).toBeGreaterThan(0)
    expect(leaking, `SEED=${seed}`).toBeGreaterThan(0)
  })

  /** Creates the table and the policy; `false` if the types do not fit. */
  async function plant(type: string, condition: string): Promise<boolean> {
    const values = IDS.map((id) => `('${id}', null)`).join()
    try {
      await database.run(`begin; drop table if exists probe;
        create table probe (tenant_id ${type}, note text); insert into probe values ${values};
        alter table probe enable row level security; grant select on probe to looker;
        create policy p on probe to looker using (${condition}); commit`)
      return true
    } catch {
      await database.run('rollback')
      return false
    }
  }

  async function expression(): Promise<string> {
    await database.run('set search_path = pg_catalog, pg_temp')
    const [row] = await database.run(
      'select pg_get_expr(polqual, polrelid) as written from pg_policy',
    )
    await database.run('reset search_path')
    return String(row?.['written'])
  }

  /** A tenant that sees rows of another one, as text. */
  async function leakOf(): Promise<string | undefined> {
    for (const tenant of IDS) {
      const rows = await database
        .as('looker', tenant, 'select tenant_id from public.probe')
        .catch(() => [])
      const ids = (rows as { tenant_id: string }[]).map((row) => row.tenant_id)
      const other = ids.find((id) => id !== tenant)
      if (other !== undefined) return `${tenant} sees ${other}`
    }
    return undefined
  }
})
