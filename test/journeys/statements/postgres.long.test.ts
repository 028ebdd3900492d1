import { Controller, Get, inject, type Plugin, Post, Tenant } from 'blazon'
import type { RanStatement } from 'blazon/plugin'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

@Controller('numbers')
class NumbersController {
  readonly #db = inject(Database)

  @Tenant() @Get() async list() {
    await this.#db.sql`select ${1}::int as n`
    return this.#db.transaction(() => this.#db.sql`select ${2}::int as n`)
  }

  @Tenant() @Get('all') all() {
    return this.#db.withoutTenant('a report', () => this.#db.sql`select 3 as n`)
  }

  @Tenant() @Post() broken() {
    return this.#db.sql`select nothing`
  }
}

let app: TestApp | undefined

afterEach(() => app?.close())

async function observed() {
  const seen: RanStatement[] = []
  const observer: Plugin = {
    name: 'observer',
    requests: () => ({ onStatement: (statement) => void seen.push(statement) }),
  }
  app = await TestApp.create({
    controllers: [NumbersController],
    tenant: { authorize: () => true },
    plugins: [observer, postgres({ embedded: 'memory' })],
    logger: false,
    contract: 'off',
  })
  seen.length = 0
  return { app, seen }
}

it('blazon/postgres reports the statements of a request, but no BEGIN and COMMIT', async () => {
  const { app, seen } = await observed()
  await app.request().get('/numbers').set('x-tenant-id', 'acme').expect(200)
  const common = { system: 'postgresql', tenant: 'acme', rowCount: 1, error: undefined }
  expect(seen).toMatchObject([
    { ...common, text: 'select $1::int as n', values: [1], rows: [{ n: 1 }] },
    { ...common, text: 'select $1::int as n', values: [2], rows: [{ n: 2 }] },
  ])
  expect(seen.every(({ req }) => req?.route?.path === '/numbers')).toBe(true)
})

it('blazon/postgres reports no tenant for the rows of all tenants', async () => {
  const { app, seen } = await observed()
  await app.request().get('/numbers/all').set('x-tenant-id', 'acme').expect(200)
  expect(seen).toMatchObject([{ text: 'select 3 as n', tenant: undefined }])
})

it('blazon/postgres reports a statement that PostgreSQL refuses', async () => {
  const { app, seen } = await observed()
  await app.request().post('/numbers').set('x-tenant-id', 'acme').expect(500)
  expect(seen).toMatchObject([{ text: 'select nothing', rows: null, rowCount: null }])
  expect(seen[0]?.error).toBeInstanceOf(Error)
})

it('blazon/postgres reports statements outside of requests', async () => {
  const { app, seen } = await observed()
  await app.get(Database).query('select 4 as n')
  expect(seen).toMatchObject([{ text: 'select 4 as n', req: undefined, tenant: undefined }])
})
