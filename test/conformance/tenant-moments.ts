import { once } from 'node:events'
import {
  ConflictError,
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

/** The application that handlers send requests to. */
let asked: TestApp

/** Handlers whose first statement comes after the response was sent or begun, or after the client has disconnected. */
@Tenant()
@Controller('late')
class LateController {
  private readonly db = inject(Database)
  private readonly barrier = inject(Barrier)
  /** The outcome of the last handler. */
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

  /** Sends a request to its own application in the middle of a transaction. */
  @Post('asking')
  asking(req: Request) {
    const { by } = req.query as Record<string, string>
    return this.#note(async () => {
      await this.db.transaction(async () => {
        const headers = { 'x-tenant-id': String(by) }
        const { status } = await asked.fetch('/late/first', { method: 'POST', headers })
        throw new ConflictError(`It has answered ${status}`)
      })
    })
  }

  @Post('first')
  first() {
    return this.#note(async () => void (await this.db.query(INSERT)))
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

/** Statements that come at unusual moments of a request. */
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

    it('is refused without using a connection after the client has disconnected', async () => {
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

    it.each(['answered', 'sent', 'begun'])(
      'is saved in a separate transaction if it comes after the start of the response: %s',
      async (how) => {
        const answer = await app.asTenant('a').request().post(`/late/${how}`)
        expect(answer.status).toBe(200)
        expect(await outcome()).toBeUndefined()
        await isFree()
        expect(await saved()).toEqual([ROW])
      },
    )
  })

  it.each(['a', 'b'])(
    'a request made within a transaction of tenant a has its own transaction: tenant %s',
    async (by) => {
      const database = databaseOf()
      const controllers = [LateController]
      const options = { controllers, providers: [Barrier], tenant: {}, contract: 'off' } as const
      await using app = await database.start(options, { connections: 2 })
      await database.asOwner('truncate orders, items')
      asked = app
      const { body } = await app.asTenant('a').request().post('/late/asking').query({ by })
      // An embedded database has no second connection.
      expect(body.message).toBe(`It has answered ${database.isEmbedded ? 503 : 204}`)
      const saved = await database.look('select tenant_id from orders')
      expect(saved).toEqual(database.isEmbedded ? [] : [{ tenant_id: by }])
    },
  )

  it('a transaction refuses an async generator function, which runWithTenant() accepts', async () => {
    await using app = await databaseOf().start({ tenant: {} }, { connections: 1 })
    const db = app.get(Database)
    const generate = async function* () {
      yield await db.query('select 1')
    }
    const whole = db.withTenantTransaction('a', generate as never)
    await expect(whole).rejects.toThrow('async generator')
    const read: unknown[] = []
    await runWithTenant('b', async () => {
      const text = "select current_setting('app.tenant_id', true) as tenant"
      const ofA = runWithTenant('a', async function* () {
        yield (await db.query(text)).rows[0]
      })
      for await (const each of ofA) read.push(each, (await db.query(text)).rows[0])
    })
    expect(read).toEqual([{ tenant: 'a' }, { tenant: 'b' }])
  })

  it('a transaction without a tenant can be the first one on the only connection', async () => {
    await using app = await databaseOf().start({ tenant: {}, contract: 'off' }, { connections: 1 })
    const db = app.get(Database)
    const { rowCount } = await db.transaction(() => db.query('select name from plans'))
    expect(rowCount).toBe(2)
  })
}
