import { Controller, Get, inject, type Lifecycle, Post, Tenant } from 'blazon'
import { Database, isUniqueViolation, postgres } from 'blazon/postgres'
import { type AnsweredStatement, TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'

/** Nothing listens there. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none'

@Controller('orders')
class OrdersController implements Lifecycle {
  readonly #db = inject(Database)

  async onInit() {
    await this.#db.sql`select count(*) from orders`
  }

  @Get() async list() {
    const [first, second] = await Promise.all([this.#find(1), this.#find(2)])
    return [first, second]
  }

  #find(id: number) {
    return this.#db.sql<{ name: string }>`select name
      from orders where id = ${id}`
  }

  @Tenant() @Post() async add() {
    try {
      await this.#db.transaction(() => this.#db.sql`insert into orders (id) values (${7})`)
    } catch (error) {
      if (!isUniqueViolation(error, 'orders_pkey')) throw error
    }
    return this.#db.transaction(() => this.#db.sql`select 1 as one`)
  }

  @Tenant() @Post('careless') async careless() {
    await this.#db.sql`insert into orders (id) values (${7})`.catch(() => undefined)
    return this.#db.sql`select 1 as one`
  }
}

let app: TestApp | undefined

afterEach(() => app?.close())

async function answering(statements: readonly AnsweredStatement[]) {
  app = await TestApp.create({
    controllers: [OrdersController],
    plugins: [postgres({ url: NOWHERE })],
    tenant: { authorize: () => true },
    contract: 'off',
    statements,
  })
  return app
}

const DUPLICATE = {
  text: 'insert into orders (id) values ($1)',
  error: { message: 'duplicate key', code: '23505', constraint: 'orders_pkey' },
}

it('a statement returns the rows listed for its text and values, without a database', async () => {
  const test = await answering([
    { text: 'select name from orders where id = $1', values: [2], rows: [{ name: 'two' }] },
    { text: 'select name from orders where id = $1', values: [1], rows: [{ name: 'one' }] },
  ])
  const { body } = await test.request().get('/orders').expect(200)
  expect(body.data).toEqual([[{ name: 'one' }], [{ name: 'two' }]])
})

it('a statement fails with its listed error, which isUniqueViolation() recognizes', async () => {
  const test = await answering([DUPLICATE, { text: 'select 1 as one', rows: [{ one: 1 }] }])
  const { body } = await test.asTenant('acme').request().post('/orders').expect(200)
  expect(body.data).toEqual([{ one: 1 }])
})

it('a transaction saves nothing if a statement has failed, even if the handler catches the error', async () => {
  const test = await answering([DUPLICATE, { text: 'select 1 as one', rows: [{ one: 1 }] }])
  const response = await test.asTenant('acme').request().post('/orders/careless').expect(500)
  expect(test.explain(response).error?.message).toContain('Nothing was saved')
})

it('a statement fails if the list contains no unused result for it', async () => {
  const test = await answering([{ text: 'select name from orders where id = $1' }])
  const response = await test.request().get('/orders').expect(500)
  expect(test.explain(response).error).toMatchObject({
    name: 'UnansweredStatementError',
    message: expect.stringContaining('select name from orders where id = $1'),
  })
})

it('the statements option must be a list of statements', async () => {
  const wrong = { statements: [{ rows: [] }] as never }
  await expect(TestApp.create(wrong)).rejects.toThrow('a list of { text, values, rows')
})
