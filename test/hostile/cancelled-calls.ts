import { Controller, inject, Post, type Request, runWithTenant, Tenant } from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'

/** Names the tenant itself, so that a superuser could save the row outside of a transaction, too. */
const INSERT = "insert into orders (tenant_id, note) values ('a', $1)"

/** The outcome of a call, or of a part of it, as its caller sees it: `unknown` after the error COMMIT_UNKNOWN. */
export type Outcome = 'saved' | 'undone' | 'unknown'

/** The outcome of each row of a call, by the note of the row. */
export type Outcomes = Map<string, Outcome>

/** One kind of call, in the name of the tenant `a`. Its rows have notes that begin with the name. */
export type Call = (app: TestApp, name: string) => Promise<Outcomes>

/** A request of two statements, and one that leaves its tenant for a while. */
@Tenant()
@Controller('cancelled')
export class CancelledController {
  private readonly db = inject(Database)

  @Post('pair/:name')
  async pair({ params: { name } }: Request) {
    await this.db.query(INSERT, [name])
    await this.db.query(INSERT, [name])
    return {}
  }

  @Post('beyond/:name')
  async beyond({ params: { name } }: Request) {
    await this.db.query(INSERT, [name])
    await this.db.withoutTenant('the test', () =>
      this.db.query("insert into orders (tenant_id, note) values ('z', $1)", [name]),
    )
    await this.db.query(INSERT, [name])
    return {}
  }
}

/** The calls that are cancelled at each of their steps. */
export const CALLS: Readonly<Record<string, Call>> = {
  'a single query': (app, name) =>
    outcomeOf(name, () => asA(app, (db) => db.query(INSERT, [name]))),
  'a change of shared rows': (app, name) =>
    outcomeOf(name, () =>
      asA(app, async (db) => {
        const { rowCount } = await db.query(
          "with changed as (update orders set amount = amount + 1 where note = 'shared' returning 1) insert into orders (tenant_id, note) select 'a', $1 from changed",
          [name],
        )
        if (rowCount !== 1) throw new Error(`${rowCount} rows were changed`)
      }),
    ),
  'a transaction': (app, name) =>
    outcomeOf(name, () =>
      app.get(Database).withTenantTransaction('a', async () => {
        await app.get(Database).query(INSERT, [name])
        await app.get(Database).query(INSERT, [name])
      }),
    ),
  'a transaction that sends its statements at once': (app, name) =>
    outcomeOf(name, () =>
      app.get(Database).withTenantTransaction('a', async () => {
        const inserts = [1, 2, 3].map(() => app.get(Database).query(INSERT, [name]))
        await Promise.all(inserts)
      }),
    ),
  'a transaction that does not wait': (app, name) =>
    outcomeOf(name, () =>
      app.get(Database).withTenantTransaction('a', async () => {
        const [first, second] = [1, 2].map(() => app.get(Database).query(INSERT, [name]))
        // After BEGIN was sent, and before its reply.
        await new Promise((resolve) => setImmediate(resolve))
        await Promise.all([first, second, app.get(Database).query(INSERT, [name])])
      }),
    ),
  'a transaction with nested transactions': parts,
  'all tenants at once': (app, name) =>
    outcomeOf(name, () =>
      app.get(Database).withoutTenant('the test', async () => {
        const insert = 'insert into orders (tenant_id, note) values ($1, $2)'
        await app.get(Database).query(insert, ['a', name])
        await app.get(Database).query(insert, ['z', name])
      }),
    ),
  'a request': (app, name) => outcomeOf(name, () => post(app, `pair/${name}`)),
  'a request that leaves its tenant': (app, name) =>
    outcomeOf(name, () => post(app, `beyond/${name}`)),
}

/** The number of rows that a call adds with its own name, if it is not 1. */
export const ROWS: Readonly<Record<string, number>> = {
  'a transaction': 2,
  'a transaction that sends its statements at once': 3,
  'a transaction that does not wait': 3,
  'all tenants at once': 2,
  'a request': 2,
  'a request that leaves its tenant': 3,
}

/** The error of each part is caught, so that a part is undone alone, or with the whole transaction. */
async function parts(app: TestApp, name: string): Promise<Outcomes> {
  const db = app.get(Database)
  const all: Outcomes = new Map()
  const part = async (note: string, more: () => Promise<unknown>) => {
    try {
      await db.transaction(async () => {
        await db.query(INSERT, [note])
        await more()
      })
      all.set(note, 'saved')
    } catch {
      // The parts inside a part are undone with it.
      for (const inner of all.keys()) if (inner.startsWith(note)) all.set(inner, 'undone')
      all.set(note, 'undone')
    }
  }
  const whole = await outcomeOf(name, () =>
    db.withTenantTransaction('a', async () => {
      await db.query(INSERT, [name])
      await part(`${name}/1`, async () => {
        await part(`${name}/1/1`, async () => {
          await part(`${name}/1/1/1`, () => Promise.reject(new Error('Undone')))
        })
        await db.query('select 1')
      })
      await part(`${name}/2`, async () => {})
    }),
  )
  const outcome = whole.get(name) as Outcome
  for (const [note, state] of all) if (state === 'saved') whole.set(note, outcome)
  for (const [note, state] of all) if (state === 'undone') whole.set(note, 'undone')
  return whole
}

async function outcomeOf(name: string, run: () => Promise<unknown>): Promise<Outcomes> {
  try {
    await run()
    return new Map([[name, 'saved']])
  } catch (error) {
    const isUnknown = (error as { code?: unknown }).code === 'COMMIT_UNKNOWN'
    return new Map([[name, isUnknown ? 'unknown' : 'undone']])
  }
}

function asA<T>(app: TestApp, run: (db: Database) => Promise<T>): Promise<T> {
  return runWithTenant('a', () => run(app.get(Database)))
}

async function post(app: TestApp, path: string): Promise<void> {
  const { status, body } = await app.asTenant('a').request().post(`/cancelled/${path}`)
  if (status >= 400) throw Object.assign(new Error(String(status)), { code: body.code })
}
