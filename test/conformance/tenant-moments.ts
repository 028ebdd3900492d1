import { once } from 'node:events'
import {
  Controller,
  inject,
  Post,
  type Request,
  type Response,
  runWithTenant,
  Tenant,
} from 'blazon'
import { Database } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'
import { Barrier } from './tenant-orders.js'

const INSERT = "insert into orders (note) values ('late')"
const ROW = { tenant_id: 'a', note: 'late' }

/** Handlers whose first statement comes when nothing can wait for it any more. */
@Tenant()
@Controller('late')
class LateController {
  private readonly db = inject(Database)
  private readonly barrier = inject(Barrier)
  /** What became of the last handler. */
  outcome: Promise<unknown> = Promise.resolve()

  @Post('left')
  left(_req: Request, res: Response) {
    return this.#note(async () => {
      await this.barrier.wait()
      if (!res.closed) await once(res, 'close')
      await this.db.query(INSERT)
    })
  }

  @Post('answered')
  answered(_req: Request, res: Response) {
    return this.#note(async () => {
      res.json({})
      await this.db.query(INSERT)
    })
  }

  @Post('sent')
  sent(_req: Request, res: Response) {
    return this.#note(async () => {
      res.json({})
      await once(res, 'close')
      await this.db.query(INSERT)
    })
  }

  @Post('begun')
  begun(_req: Request, res: Response) {
    return this.#note(async () => {
      res.write('begun')
      await this.db.query(INSERT)
      res.end()
    })
  }

  #note(run: () => Promise<void>): Promise<void> {
    const outcome = run()
    this.outcome = outcome.catch((error: Error) => error.message)
    return outcome
  }
}

/** Statements that come at a moment when nobody expects them. */
export function describeMoments(databaseOf: () => TenantDatabase): void {
  describe('the first statement of a request', () => {
    let database: TenantDatabase
    let app: TestApp
    beforeAll(async () => {
      database = databaseOf()
      const controllers = [LateController]
      const options = { controllers, providers: [Barrier], tenant: {}, contract: 'off' } as const
      app = await database.start(options, { connections: 1 })
    })
    afterAll(() => app.close())
    beforeEach(async () => {
      app.get(Barrier).reset()
      await database.asOwner('truncate orders, items')
    })

    const outcome = () => app.get(LateController).outcome
    const saved = () => database.look('select tenant_id, note from orders')
    const isFree = () => runWithTenant('b', () => app.get(Database).query('select 1'))

    it('is refused behind the end of its client, and takes no connection', async () => {
      const socket = app.connect()
      socket.on('error', () => {})
      const lines = ['POST /late/left HTTP/1.1', 'Host: localhost', 'X-Tenant-Id: a']
      socket.write(`${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
      await app.get(Barrier).reached
      socket.destroy()
      app.get(Barrier).open()
      expect(await outcome()).toContain('rolled back')
      await isFree()
      expect(await saved()).toEqual([])
    })

    it.each(['answered', 'sent', 'begun'])('is saved on its own where it is %s', async (how) => {
      const answer = await app.asTenant('a').request().post(`/late/${how}`)
      expect(answer.status).toBe(200)
      expect(await outcome()).toBeUndefined()
      await isFree()
      expect(await saved()).toEqual([ROW])
    })
  })

  it('a transaction of nobody may be the first, on the last connection', async () => {
    await using app = await databaseOf().start({ tenant: {}, contract: 'off' }, { connections: 1 })
    const db = app.get(Database)
    const { rowCount } = await db.transaction(() => db.query('select name from plans'))
    expect(rowCount).toBe(2)
  })
}
