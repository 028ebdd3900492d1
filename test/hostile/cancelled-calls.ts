import { Controller, inject, Post, type Request, runWithTenant, Tenant } from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'

/** Says whose it is: it would be saved outside of a transaction, too, by who may do everything. */
const INSERT = "insert into orders (tenant_id, note) values ('a', $1)"

/** What became of a call, or of a part of one: `unknown` where whoever called was told that nobody knows. */
export type Outcome = 'saved' | 'undone' | 'unknown'

/** What a call was told of each row that it has added, by its note. */
export type Told = Map<string, Outcome>

/** One kind of call, in the name of the tenant `a`. Its rows have notes that begin with the name. */
export type Call = (app: TestApp, name: string) => Promise<Told>

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
  'a query of its own': (app, name) => told(name, () => asA(app, (db) => db.query(INSERT, [name]))),
  'a change of rows that others have as well': (app, name) =>
    told(name, () =>
      asA(app, async (db) => {
        const { rowCount } = await db.query(
          "with changed as (update orders set amount = amount + 1 where note = 'shared' returning 1) insert into orders (tenant_id, note) select 'a', $1 from changed",
          [name],
        )
        if (rowCount !== 1) throw new Error(`${rowCount} rows were changed`)
      }),
    ),
  'a transaction': (app, name) =>
    told(name, () =>
      app.get(Database).withTenantTransaction('a', async () => {
        await app.get(Database).query(INSERT, [name])
        await app.get(Database).query(INSERT, [name])
      }),
    ),
  'a transaction whose statements go at once': (app, name) =>
    told(name, () =>
      app.get(Database).withTenantTransaction('a', async () => {
        const inserts = [1, 2, 3].map(() => app.get(Database).query(INSERT, [name]))
        await Promise.all(inserts)
      }),
    ),
  'a transaction that does not wait': (app, name) =>
    told(name, () =>
      app.get(Database).withTenantTransaction('a', async () => {
        const [first, second] = [1, 2].map(() => app.get(Database).query(INSERT, [name]))
        // Between the beginning and its answer.
        await new Promise((resolve) => setImmediate(resolve))
        await Promise.all([first, second, app.get(Database).query(INSERT, [name])])
      }),
    ),
  'a transaction with parts': parts,
  'all tenants at once': (app, name) =>
    told(name, () =>
      app.get(Database).withoutTenant('the test', async () => {
        const insert = 'insert into orders (tenant_id, note) values ($1, $2)'
        await app.get(Database).query(insert, ['a', name])
        await app.get(Database).query(insert, ['z', name])
      }),
    ),
  'a request': (app, name) => told(name, () => post(app, `pair/${name}`)),
  'a request that leaves its tenant': (app, name) => told(name, () => post(app, `beyond/${name}`)),
}

/** How many rows a call adds by its own name, where that is not one. */
export const ROWS: Readonly<Record<string, number>> = {
  'a transaction': 2,
  'a transaction whose statements go at once': 3,
  'a transaction that does not wait': 3,
  'all tenants at once': 2,
  'a request': 2,
  'a request that leaves its tenant': 3,
}

/** Each part is caught: what it did has to be undone alone, or everything. */
async function parts(app: TestApp, name: string): Promise<Told> {
  const db = app.get(Database)
  const all: Told = new Map()
  const part = async (note: string, more: () => Promise<unknown>) => {
    try {
      await db.transaction(async () => {
        await db.query(INSERT, [note])
        await more()
      })
      all.set(note, 'saved')
    } catch {
      // What is undone takes along what stands within it.
      for (const inner of all.keys()) if (inner.startsWith(note)) all.set(inner, 'undone')
      all.set(note, 'undone')
    }
  }
  const whole = await told(name, () =>
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
  for (const [note, known] of all) if (known === 'saved') whole.set(note, outcome)
  for (const [note, known] of all) if (known === 'undone') whole.set(note, 'undone')
  return whole
}

async function told(name: string, run: () => Promise<unknown>): Promise<Told> {
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
