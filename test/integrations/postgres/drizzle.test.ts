import { InjectionToken, runWithTenant } from 'blazon'
import {
  Database,
  isForeignKeyViolation,
  isUniqueViolation,
  postgres,
  provideDrizzle,
} from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { eq, relations, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

const orders = pg.pgTable('orders', {
  tenantId: pg
    .text('tenant_id')
    .notNull()
    .default(sql`nullif(current_setting('app.tenant_id', true), '')`),
  id: pg.bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
  what: pg.text().notNull(),
  isPaid: pg.boolean('is_paid').notNull().default(false),
  price: pg.numeric({ precision: 10, scale: 2 }),
  total: pg.bigint({ mode: 'bigint' }),
  tags: pg.text().array(),
  facts: pg.jsonb().$type<{ colour: string }>(),
  placedAt: pg.timestamp('placed_at', { withTimezone: true, precision: 3 }),
  shippedAt: pg.timestamp('shipped_at', { mode: 'string' }),
  due: pg.date(),
})
const items = pg.pgTable('items', {
  tenantId: pg
    .text('tenant_id')
    .notNull()
    .default(sql`nullif(current_setting('app.tenant_id', true), '')`),
  id: pg.integer().notNull(),
  orderId: pg.bigint('order_id', { mode: 'number' }).notNull(),
})
const ordersRelations = relations(orders, ({ many }) => ({ items: many(items) }))
const itemsRelations = relations(items, ({ one }) => ({
  order: one(orders, { fields: [items.orderId], references: [orders.id] }),
}))
const schema = { orders, items, ordersRelations, itemsRelations }

const Orm = new InjectionToken<PgRemoteDatabase<typeof schema>>('Orm')

const whole = {
  what: 'tea',
  isPaid: true,
  price: '4.50',
  total: 12_345_678_901_234_567n,
  tags: ['hot', 'a "quoted" one'],
  facts: { colour: 'green' },
  placedAt: new Date('2030-01-02T03:04:05.678Z'),
  shippedAt: '2030-01-03 04:05:06.789012',
  due: '2030-01-04',
}

describe('Drizzle', () => {
  let app: TestApp
  let orm: PgRemoteDatabase<typeof schema>

  beforeAll(async () => {
    app = await TestApp.create({
      plugins: [postgres({ embedded: 'memory' })],
      providers: [provideDrizzle(Orm, { schema })],
      logger: false,
    })
    orm = app.get(Orm)
    for (const [table, columns] of [
      [
        'orders',
        `id bigint generated always as identity, what text not null, is_paid boolean not null default false,
        price numeric(10, 2), total bigint, tags text[], facts jsonb, placed_at timestamptz, shipped_at timestamp, due date`,
      ],
      ['items', 'id integer not null, order_id bigint not null'],
    ]) {
      const mine = "tenant_id = (select nullif(current_setting('app.tenant_id', true), ''))"
      for (const text of [
        `create table ${table} (tenant_id text not null default nullif(current_setting('app.tenant_id', true), ''), ${columns}, primary key (tenant_id, id))`,
        `alter table ${table} enable row level security, force row level security`,
        `create policy p on ${table} to app_tenant using (${mine}) with check (${mine})`,
        `grant select, insert, update, delete on ${table} to app_tenant`,
      ]) {
        await app.get(Database).query(text)
      }
    }
  })
  afterAll(() => app.close())

  it('writes and reads values of every type unchanged', async () => {
    await runWithTenant('types', async () => {
      const [written] = await orm.insert(orders).values(whole).returning()
      expect(written).toEqual({ tenantId: 'types', id: expect.any(Number), ...whole })
      expect(await orm.select().from(orders)).toEqual([written])
    })
  })

  it('reads and writes rows of the tenant passed to runWithTenant()', async () => {
    const add = (what: string) => orm.insert(orders).values({ what })
    await Promise.all(['a', 'b'].map((id) => runWithTenant(id, () => add(`of ${id}`))))
    for (const id of ['a', 'b']) {
      const rows = await runWithTenant(id, () => orm.select({ what: orders.what }).from(orders))
      expect(rows).toEqual([{ what: `of ${id}` }])
    }
  })

  it('reads related rows', async () => {
    await runWithTenant('relations', async () => {
      const [order] = await orm.insert(orders).values({ what: 'both' }).returning()
      const orderId = order?.id as number
      await orm.insert(items).values([
        { id: 1, orderId },
        { id: 2, orderId },
      ])
      const found = await orm.query.orders.findMany({ with: { items: { columns: { id: true } } } })
      expect(found).toMatchObject([{ what: 'both', items: [{ id: 1 }, { id: 2 }] }])
    })
  })

  it('runs in the surrounding transaction of the Database', async () => {
    const undone = runWithTenant('undone', () =>
      app.get(Database).transaction(async () => {
        await orm.insert(orders).values({ what: 'lost' })
        throw new Error('no')
      }),
    )
    await expect(undone).rejects.toThrow('no')
    expect(await runWithTenant('undone', () => orm.select().from(orders))).toEqual([])
  })

  it('rejects a duplicate with an error that isUniqueViolation() recognizes', async () => {
    const item = { id: 7, orderId: 1 }
    await runWithTenant('twice', () => orm.insert(items).values(item))
    const error = await runWithTenant('twice', () => orm.insert(items).values(item)).catch((e) => e)
    expect(isUniqueViolation(error, 'items_pkey')).toBe(true)
    expect(isUniqueViolation(error, 'orders_pkey')).toBe(false)
    expect(isForeignKeyViolation(error)).toBe(false)
  })

  it('returns rows of raw statements', async () => {
    await runWithTenant('raw', async () => {
      await orm.insert(orders).values({ what: 'raw' })
      const rows = await orm.execute(
        sql`select what from ${orders} where ${eq(orders.what, 'raw')}`,
      )
      expect(rows).toEqual([{ what: 'raw' }])
    })
  })
})
