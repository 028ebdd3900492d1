import { Controller, Get, inject } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { QueryBudgetError, TestApp } from 'blazon/testing'
import { repositoryOf, typeorm } from 'blazon/typeorm'
import { EntitySchema } from 'typeorm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { KINDS, ownServerDatabase } from '../../integrations/postgres/own-database.js'
import { describeWithServer } from '../../integrations/postgres/server.js'

const ids = Array.from({ length: 10 }, (_, id) => id + 1)

@Controller('items')
class ItemsController {
  readonly #db = inject(Database)

  @Get('loop') async loop() {
    const found = []
    for (const id of ids) found.push(...(await this.#db.sql`select ${id}::int as id`))
    return found
  }

  @Get('all') all() {
    return Promise.all(ids.map((id) => this.#db.sql`select ${id}::int as id`))
  }

  @Get('list') list() {
    return this.#db.sql`select n as id from generate_series(1, 20) n where n = any(${ids}::int[])`
  }

  @Get('lists') async lists() {
    for (const id of ids) {
      const places = ids.slice(0, id).map((each) => `${each}`)
      await this.#db.query(`select ${id} as id where 1 in (${places})`)
    }
    return 'done'
  }
}

async function failureOf(app: TestApp, path: string): Promise<QueryBudgetError> {
  const failure: unknown = await app
    .request()
    .get(path)
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  expect(failure).toBeInstanceOf(QueryBudgetError)
  return failure as QueryBudgetError
}

describe.each(KINDS)('the package blazon/postgres on %s', (_, open) => {
  it('detects statements in a loop and in Promise.all, but accepts a list of ids', async () => {
    await using database = await open()
    const app = await TestApp.create({
      controllers: [ItemsController],
      plugins: [postgres(database.options)],
      contract: 'off',
      logger: false,
    })
    onTestFinished(() => app.close())
    for (const path of ['/items/loop', '/items/all']) {
      const { message } = await failureOf(app, path)
      expect(message).toContain('It ran the same statement 10 times:\n  select $1::int as id\n')
      expect(message).toMatch(/at test\/journeys\/queries\/postgres\.long\.test\.ts:\d+:\d+\n/)
    }
    await app.request().get('/items/lists').expect(200)
    const response = await app.request().get('/items/list').expect(200)
    const { statements, statementCount } = app.explain(response)
    expect(statementCount).toBe(1)
    expect(statements).toMatchObject([
      { system: 'postgresql', rowCount: 10, valueCount: 1, error: null },
    ])
    expect(statements[0]?.place).toMatch(
      /^test\/journeys\/queries\/postgres\.long\.test\.ts:\d+:\d+$/,
    )
    const report = app.queryReport().map(({ path, max }) => [path, max])
    expect(report).toEqual([
      ['/items/loop', 10],
      ['/items/all', 10],
      ['/items/list', 1],
      ['/items/lists', 10],
    ])
  })
})

interface Item {
  id: number
  name: string
}

const ItemEntity = new EntitySchema<Item>({
  name: 'item',
  columns: { id: { type: Number, primary: true }, name: { type: String } },
})

@Controller('entities')
class EntitiesController {
  readonly #items = inject(repositoryOf(ItemEntity))

  @Get('loop') async loop() {
    for (const id of ids) await this.#items.findOneBy({ id })
  }

  @Get('all') async all() {
    await Promise.all(ids.map((id) => this.#items.findOneBy({ id })))
  }

  @Get('batch') async batch() {
    await this.#items.insert(ids.map((id) => ({ id, name: `item ${id}` })))
    return this.#items.findBy(ids.map((id) => ({ id })))
  }
}

describeWithServer('the package blazon/typeorm on a server', () => {
  it('detects statements in a loop and in Promise.all, but accepts a batch', async () => {
    await using database = await ownServerDatabase()
    const { url } = database.options
    const app = await TestApp.create({
      controllers: [EntitiesController],
      plugins: [typeorm({ type: 'postgres', url, entities: [ItemEntity], synchronize: true })],
      contract: 'off',
      logger: false,
    })
    onTestFinished(() => app.close())
    for (const path of ['/entities/loop', '/entities/all']) {
      const { message } = await failureOf(app, path)
      expect(message).toContain('It ran the same statement 10 times:\n  SELECT "item"')
      expect(message).toMatch(/at test\/journeys\/queries\/postgres\.long\.test\.ts:\d+:\d+\n/)
    }
    const { body } = await app.request().get('/entities/batch').expect(200)
    expect(body.data).toHaveLength(10)
  })
})
