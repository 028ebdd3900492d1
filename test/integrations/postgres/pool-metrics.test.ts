import { Controller, Get, inject } from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { gate } from '../../journeys/gate.js'
import { ownServerDatabase } from './own-database.js'
import { describeWithServer } from './server.js'

describeWithServer('the pool metrics', () => {
  it('count used connections, their maximum, and waiting callers', async () => {
    const entered = gate()
    const leave = gate()

    @Controller('work')
    class WorkController {
      private readonly db = inject(Database)

      @Get()
      async work() {
        await this.db.transaction(async () => {
          await this.db.sql`select 1`
          entered.open()
          await leave.opened
        })
      }

      @Get('next')
      async next() {
        await this.db.sql`select 1`
      }
    }
    await using database = await ownServerDatabase()
    const app = await TestApp.create({
      controllers: [WorkController],
      plugins: [postgres({ ...database.options, connections: 1 })],
      metrics: true,
      logger: false,
      contract: 'off',
    })
    onTestFinished(() => app.close())
    const pool = async () => {
      const { text } = await app.request().get('/metrics').expect(200)
      return Object.fromEntries(
        [...text.matchAll(/^db_client_connections_(\w+) (\d+)$/gm)].map(([, name, n]) => [name, n]),
      )
    }
    expect(await pool()).toEqual({ used: '0', max: '1', waiting: '0' })
    const work = app.request().get('/work').then()
    await entered.opened
    const next = app.request().get('/work/next').then()
    await expect.poll(pool).toEqual({ used: '1', max: '1', waiting: '1' })
    leave.open()
    await Promise.all([work, next])
    await expect.poll(pool).toEqual({ used: '0', max: '1', waiting: '0' })
  })
})
