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

/** What never ends: the connection is there again for the next one, and whoever waits is told. */
export function describeStandstill(databaseOf: () => TenantDatabase): void {
  describe('what never ends', () => {
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

    it('is not waited for: a part that nobody awaits', async () => {
      const { status, body } = await post('/standstill/part')
      expect([status, body.code]).toEqual([503, 'DATABASE_TIMEOUT'])
      await isFree()
      expect(await saved()).toBe(0)
    })

    it('is not waited for: what is to be done behind a commit', async () => {
      expect((await post('/standstill/task')).status).toBe(200)
      expect(await saved()).toBe(1)
      const failed = app.logs.filter(({ message }) =>
        message?.includes('given to afterCommit() failed'),
      )
      expect(failed).toHaveLength(1)
    })

    it('is undone: a part that waits for who waits for it', async () => {
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

    it('is ended: a transaction in which nothing happens', async () => {
      void db.withTenantTransaction('a', () => db.query(INSERT).then(never))
      await isFree()
      expect(await saved()).toBe(0)
    })
  })
}
