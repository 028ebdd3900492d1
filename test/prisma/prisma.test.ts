import { InjectionToken, inject } from 'blazon'
import { Database, postgres, tenantTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Folder } from '../integrations/postgres/own-database.js'
import { describeRecipe, Orders } from '../integrations/postgres/recipes/recipe-suite.js'
import { Prisma } from './generated/client.js'
import { type DatabasePrisma, prismaOf } from './prisma.js'

const Client = new InjectionToken('Prisma', { useFactory: () => prismaOf(inject(Database)) })

class PrismaOrders implements Orders {
  readonly #root: DatabasePrisma
  readonly #prisma: Pick<DatabasePrisma, 'order'>

  /** @param prisma A transaction, or the root. */
  constructor(root: DatabasePrisma = inject(Client), prisma: Pick<DatabasePrisma, 'order'> = root) {
    this.#root = root
    this.#prisma = prisma
  }

  add(item: string) {
    return this.#prisma.order.create({ data: { item }, select: { id: true, item: true } })
  }

  async list() {
    const orders = await this.#prisma.order.findMany({ orderBy: { item: 'asc' } })
    return orders.map(({ item }) => item)
  }

  async find(id: string) {
    return (await this.#prisma.order.findUnique({ where: { id } }))?.item
  }

  async rename(from: string, to: string) {
    const where = { item: from }
    return (await this.#prisma.order.updateMany({ where, data: { item: to } })).count
  }

  transaction<T>(fn: (orders: Orders) => Promise<T>): Promise<T> {
    return this.#root.$transaction((tx) => fn(new PrismaOrders(this.#root, tx)))
  }
}

describeRecipe('Prisma', { token: Orders, useClass: PrismaOrders })

describe('Prisma in a transaction of the Database', () => {
  const folder = new Folder({
    '0001_orders.sql': tenantTable('orders', {
      id: 'uuid',
      columns: ['item text not null'],
      unique: [['item']],
    }),
    '0002_notes.sql': tenantTable('notes', {
      columns: [
        'order_id uuid not null',
        'text text not null',
        'is_done boolean not null default false',
        'price numeric(12, 2)',
        'weight double precision',
        'count integer',
        'at timestamptz(3)',
        'day date',
        'data jsonb',
        'bytes bytea',
        "tags text[] not null default '{}'",
      ],
      references: { order_id: 'orders' },
    }),
  })
  let app: TestApp
  let prisma: DatabasePrisma

  beforeAll(async () => {
    app = await TestApp.create({
      plugins: [postgres({ embedded: 'memory', migrations: folder.path })],
      tenant: { authorize: () => true },
    })
    prisma = app.get(Client)
  })

  afterAll(async () => {
    await app?.close()
    folder[Symbol.dispose]()
  })

  /** Runs as a tenant, in a transaction that is committed. */
  const as = <T>(tenant: string, fn: () => Promise<T>) =>
    app.get(Database).withTenantTransaction(tenant, fn)

  const note = {
    text: `it's "quoted"`,
    isDone: true,
    price: new Prisma.Decimal('1234567890.12'),
    weight: 0.1,
    count: -7,
    at: new Date('2026-01-02T03:04:05.678Z'),
    day: new Date('2026-01-02T00:00:00.000Z'),
    data: { list: [1, 'two', null], 'a "key"': true },
    bytes: Uint8Array.from([0, 1, 254, 255]),
    tags: ['a', 'b, "c"', ''],
  }

  it('returns the written value of every column type unchanged', async () => {
    const order = await as('kinds', async () =>
      prisma.order.create({
        data: { item: 'tea', notes: { create: [note, { text: 'nothing else' }] } },
        include: { notes: { orderBy: { id: 'asc' } } },
      }),
    )
    expect(order.notes).toMatchObject([
      { ...note, tenantId: 'kinds', id: 1n, orderId: order.id },
      { text: 'nothing else', isDone: false, price: null, at: null, data: null, tags: [] },
    ])
    const found = await as('kinds', async () =>
      prisma.note.findMany({
        where: { at: note.at, data: { path: ['list', '1'], equals: 'two' } },
      }),
    )
    expect(found).toEqual([order.notes[0]])
  })

  it('sends values of raw queries as parameters and reads results with their types', async () => {
    const text = `'); drop table orders; --`
    const rows = await as('raw', async () => {
      const count = await prisma.$executeRaw`insert into orders (item) values (${text})`
      expect(count).toBe(1)
      return await prisma.$queryRaw`
        select item, 1::int as int, 2::int8 as big, true as yes, ${'{"a":1}'}::jsonb as data, now() as at, null as nothing
        from orders where item = ${text}`
    })
    const kinds = {
      int: 1,
      big: 2n,
      yes: true,
      data: { a: 1 },
      at: expect.any(Date),
      nothing: null,
    }
    expect(rows).toEqual([{ item: text, ...kinds }])
    const unsafe = as('raw', async () => prisma.$queryRawUnsafe('select $1::int + 1 as sum', 1))
    expect(await unsafe).toEqual([{ sum: 2 }])
  })

  it('rolls back all rows of a failed operation and continues the transaction', async () => {
    await as('writes', async () => {
      const refused = prisma.order.create({
        data: {
          item: 'tea',
          notes: { create: [{ text: 'kept?' }, { text: 'too much', price: 1e15 }] },
        },
      })
      await expect(refused).rejects.toThrow(/numeric field overflow/)
      expect([await prisma.order.count(), await prisma.note.count()]).toEqual([0, 0])
      await prisma.order.create({ data: { item: 'tea' } })
      const twice = prisma.order.create({ data: { item: 'tea' } })
      await expect(twice).rejects.toMatchObject({ code: 'P2002' })
      const nowhere = prisma.note.create({ data: { text: 'x', orderId: crypto.randomUUID() } })
      await expect(nowhere).rejects.toMatchObject({ code: 'P2003' })
    })
    expect(await as('writes', async () => prisma.order.count())).toBe(1)
  })

  it('runs concurrent operations, and rolls back only a failed nested transaction', async () => {
    await as('parts', async () => {
      await prisma.$transaction(async (tx) => {
        const create = (item: string) => tx.order.create({ data: { item } })
        await Promise.all(['a', 'b', 'c'].map(create))
        const inner = tx.$transaction(async (part) => {
          await part.order.create({ data: { item: 'undone' } })
          await prisma.order.create({ data: { item: 'undone, too' } })
          throw new Error('only this')
        })
        await expect(inner).rejects.toThrow('only this')
        await prisma.$executeRaw`insert into orders (item) values ('d')`
        expect(await tx.order.count()).toBe(4)
      })
    })
    expect(await as('parts', async () => prisma.order.count())).toBe(4)
  })

  it('refuses an operation without a tenant, and a transaction that is a list of operations', async () => {
    await as('none', async () => {
      // @ts-expect-error: Prisma would begin it as the tenant of the first caller
      const several = prisma.$transaction([prisma.order.count()])
      await expect(several).rejects.toThrow(TypeError)
      const inside = prisma.$transaction(async (tx) =>
        tx.$transaction([tx.order.count(), tx.note.count()]),
      )
      await expect(inside).rejects.toThrow('Begin a transaction with')
    })
    await expect(prisma.order.count()).rejects.toMatchObject({ code: 'TENANT_REQUIRED' })
    await expect(prisma.order.create({ data: { item: 'x' } })).rejects.toMatchObject({
      status: 400,
    })
  })
})
