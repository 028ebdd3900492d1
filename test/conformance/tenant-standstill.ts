import { Controller, inject, Post, runWithTenant, Tenant } from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'

const INSERT = "insert into orders (note) values ('x')"
const never = () => new Promise<never>(() => {})

@Tenant()
@Controller('standstill')
class StandstillController {
  private readonly db = inject(Database)

  @Post('part')
  async part() {
    await this.db.query(INSERT)
    void this.db.transaction(never)
    return {}
  }

  @Post('task')
  async task() {
    await this.db.query(INSERT)
    await this.db.afterCommit(never)
    return {}
  }
}

/** Work that never ends: the next caller gets the connection, and the caller that waits gets an error. */
export function describeStandstill(databaseOf: () => TenantDatabase): void {
  describe('work that never ends', () => {
    let database: TenantDatabase
    let app: TestApp
    let db: Database
    beforeAll(async () => {
      database = databaseOf()
      const options = { controllers: [StandstillController], tenant: {}, contract: 'off' } as const
      const timeouts = { acquire: '20s', idleInTransaction: '500ms', statement: '2s' } as const
      app = await database.start(options, { connections: 1, timeouts })
      db = app.get(Database)
    })
    afterAll(() => app.close())
    beforeEach(() => database.asOwner('truncate orders, items'))

    const saved = async () => (await database.look('select 1 from orders')).length
    const isFree = () => runWithTenant('b', () => db.query('select 1'))
    const post = (path: string) => app.asTenant('a').request().post(path)

    it('causes a 503 response if it is a nested transaction that is not awaited', async () => {
      const { status, body } = await post('/standstill/part')
      expect([status, body.code]).toEqual([503, 'DATABASE_TIMEOUT'])
      await isFree()
      expect(await saved()).toBe(0)
    })

    it('does not make the request fail if it was passed to afterCommit()', async () => {
      expect((await post('/standstill/task')).status).toBe(200)
      expect(await saved()).toBe(1)
      const failed = app.logs.filter(({ message }) =>
        message?.includes('given to afterCommit() failed'),
      )
      expect(failed).toHaveLength(1)
    })

    it('is rolled back if a nested transaction waits for a query of the outer transaction', async () => {
      const whole = db.withTenantTransaction('a', async () => {
        await db.query(INSERT)
        let open = () => {}
        const opened = new Promise<void>((resolve) => {
          open = resolve
        })
        const outer = opened.then(() => db.query('select 1'))
        outer.catch(() => {})
        await db.transaction(async () => {
          await db.query('select 1')
          open()
          await outer
        })
      })
      await expect(whole).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' })
      await isFree()
      expect(await saved()).toBe(0)
    })

    it('is rolled back if it is a transaction that sends no more statements', async () => {
      void db.withTenantTransaction('a', () => db.query(INSERT).then(never))
      await isFree()
      expect(await saved()).toBe(0)
    })
  })
}
