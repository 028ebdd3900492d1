import { InjectionToken, inject } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import type { GeneratedAlways, Kysely } from 'kysely'
import { expect, it, vi } from 'vitest'
import { startPgliteFromTemplate } from '../../../pglite-template.js'
import { DatabaseKysely } from './kysely.js'
import { describeRecipe, Orders } from './recipe-suite.js'

startPgliteFromTemplate()

interface Tables {
  orders: { tenant_id: GeneratedAlways<string>; id: GeneratedAlways<string>; item: string }
}

const Queries = new InjectionToken('Kysely', {
  useFactory: () => new DatabaseKysely<Tables>(inject(Database)),
})

class KyselyOrders implements Orders {
  readonly #root: Kysely<Tables>
  readonly #kysely: Kysely<Tables>

  /** @param kysely A transaction, or the root. */
  constructor(root: Kysely<Tables> = inject(Queries), kysely: Kysely<Tables> = root) {
    this.#root = root
    this.#kysely = kysely
  }

  add(item: string) {
    const insert = this.#kysely.insertInto('orders').values({ item })
    return insert.returning(['id', 'item']).executeTakeFirstOrThrow()
  }

  async list() {
    const rows = await this.#kysely.selectFrom('orders').select('item').orderBy('item').execute()
    return rows.map(({ item }) => item)
  }

  async find(id: string) {
    const query = this.#kysely.selectFrom('orders').select('item').where('id', '=', id)
    return (await query.executeTakeFirst())?.item
  }

  async rename(from: string, to: string) {
    const update = this.#kysely.updateTable('orders').set({ item: to }).where('item', '=', from)
    return Number((await update.executeTakeFirst()).numUpdatedRows)
  }

  transaction<T>(fn: (orders: Orders) => Promise<T>): Promise<T> {
    return this.#root.transaction().execute((trx) => fn(new KyselyOrders(this.#root, trx)))
  }
}

describeRecipe('Kysely', { token: Orders, useClass: KyselyOrders })

it('Kysely sends no BEGIN or COMMIT itself, and refuses calls that would send them', async () => {
  await using app = await TestApp.create({ plugins: [postgres({ embedded: 'memory' })] })
  const db = app.get(Database)
  await db.sql`create table orders (tenant_id text, id text, item text)`
  const kysely = app.get(Queries)
  const query = vi.spyOn(db, 'query')
  await kysely.transaction().execute(async (trx) => {
    await trx.insertInto('orders').values({ item: 'tea' }).execute()
    const [{ numDeletedRows } = { numDeletedRows: 0n }] = await kysely
      .deleteFrom('orders')
      .execute()
    expect(numDeletedRows).toBe(1n)
    await expect(trx.connection).toThrow()
  })
  expect(query.mock.calls.map(([text]) => text)).toEqual([
    'insert into "orders" ("item") values ($1)',
    'delete from "orders"',
  ])
  for (const begun of [
    () => kysely.startTransaction().execute(),
    () => kysely.transaction().execute(() => kysely.startTransaction().execute()),
    () =>
      kysely
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async () => {}),
    () =>
      kysely
        .withSchema('public')
        .transaction()
        .execute(async () => {}),
    () => kysely.selectFrom('orders').selectAll().stream().next(),
  ]) {
    await expect(begun()).rejects.toThrow(/^(Begin a transaction with|Cursors are not supported)/)
  }
})
