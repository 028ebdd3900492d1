import { EventEmitter, once } from 'node:events'
import {
  ConflictError,
  Controller,
  Get,
  Idempotent,
  inject,
  JsonLines,
  type Middleware,
  Post,
  type Request,
  type Response,
  runWithTenant,
  Tenant,
} from 'blazon'
import { Database, PostgresError, postgres, Transactional, tenantTable } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'
import { Folder } from './own-database.js'

startPgliteFromTemplate()

const CONFLICT = () => new PostgresError('conflict', { code: '40001' })
let attempts = 0
const after: string[] = []

class Notes {
  readonly db = inject(Database)

  add(text: string) {
    return this.db.sql`insert into notes (text) values (${text})`
  }

  async texts() {
    const rows = await this.db.sql<{ text: string }>`select text from notes order by text`
    return rows.map(({ text }) => text)
  }

  @Transactional()
  async addBoth(first: string, second: string | null) {
    await this.add(first)
    await this.add(second as string)
    return [this.constructor.name, first, second]
  }

  @Transactional({ retries: 2, isolation: 'serializable' })
  async addAgain(failures: number) {
    attempts++
    await this.add(`again ${attempts}`)
    if (attempts <= failures) throw CONFLICT()
    const [row] = await this.db.sql<{
      level: string
    }>`select current_setting('transaction_isolation') as level`
    return row?.level
  }

  @Transactional()
  async *all() {
    yield* await this.texts()
    await this.add('read')
  }
}

@Controller('notes')
class NotesController {
  readonly notes = inject(Notes)
  readonly db = inject(Database)

  @Transactional()
  @Post('status/:status')
  async status({ params }: Request<{ status: string }>, res: Response) {
    await this.notes.add(params.status)
    await this.db.afterCommit(() => after.push(params.status))
    res.status(Number(params.status)).json({ sent: true })
  }

  @Transactional()
  @Post('throws')
  async throws() {
    await this.notes.add('throws')
    throw new Error('after the fact')
  }

  @Transactional({ retries: 1 })
  @Post('sent')
  async sent(_req: Request, res: Response) {
    await this.notes.add(`sent ${++attempts}`)
    res.json({ attempts })
  }

  @Transactional({ retries: 1 })
  @Post('retried')
  async retried(_req: Request, res: Response) {
    res.setHeader('x-attempt', ++attempts)
    await this.notes.add(`retried ${attempts}`)
    if (attempts === 1) throw CONFLICT()
    return { attempts }
  }

  @Transactional()
  @Post('streamed')
  async streamed(_req: Request, res: Response) {
    await this.notes.add('streamed')
    res.write('begun, ')
    await new Promise((resolve) => res.once('drain', resolve))
    res.end((await this.notes.texts()).join())
  }

  @Transactional()
  @Post('slow')
  async slow() {
    await this.notes.add('slow')
    signals.emit('written')
    await once(signals, 'go')
    return 'slow'
  }

  @Post('plain')
  async plain() {
    await this.notes.add('plain')
    throw new Error('after the fact')
  }

  @JsonLines(z.string())
  @Get('stream')
  stream() {
    return this.notes.all()
  }

  @Get('refused/:text')
  async refused({ params }: Request<{ text: string }>) {
    return await this.db.sql`select ${params.text}::int as value`
  }
}

@Tenant()
@Controller('orders')
class Orders {
  readonly db = inject(Database)

  @JsonLines(z.string())
  @Get('levels')
  levels() {
    const { db } = this
    return db.stream(async function* () {
      const rows = await db.sql<{ level: string }>`select
          current_setting('transaction_isolation') || current_setting('app.tenant_id') as level`
      yield* rows.map(({ level }) => level)
    })
  }

  @Post(':note')
  async add({ params }: Request<{ note: string }>) {
    await this.db.sql`insert into orders (note) values (${params.note})`
    await this.db.withoutTenant('count', () => this.db.sql`select count(*) from orders`)
    if (params.note === 'wrong') throw new Error('after the fact')
    return (await this.db.sql<{ note: string }>`select note from orders`).map(({ note }) => note)
  }
}

const signals = new EventEmitter()

/** Passes an error to `next` after the handler has written a row, or in place of its response. */
const failLate: Middleware = (req, res, next: (error?: unknown) => void) => {
  const fail = () => next(new ConflictError('late'))
  if (req.get('x-late') === 'written') signals.once('written', () => setImmediate(fail))
  if (req.get('x-late') === 'answered') {
    const { json } = res
    res.json = () => {
      res.json = json
      fail()
      return res
    }
  }
  next()
}

const folder = new Folder({
  '0001_notes.sql': 'create table notes (text text not null); grant all on notes to public',
  '0002_conflict.sql': `create function conflict() returns trigger language plpgsql as $$
      begin raise exception 'conflict' using errcode = '40001'; end $$;
    create constraint trigger conflict after insert on notes deferrable initially deferred
      for each row when (new.text = 'sent 1') execute function conflict()`,
  '0003_orders.sql': tenantTable('orders', { columns: ['note text'] }),
})
let app: TestApp
let notes: Notes
let db: Database

beforeAll(async () => {
  app = await TestApp.create({
    controllers: [NotesController, Orders],
    providers: [Notes],
    middlewares: [failLate],
    tenant: {},
    contract: 'off',
    plugins: [postgres({ embedded: 'memory', migrations: folder.path })],
  })
  notes = app.get(Notes)
  db = app.get(Database)
})
afterAll(async () => {
  await app?.close()
  folder[Symbol.dispose]()
})
beforeEach(async () => {
  attempts = 0
  after.length = 0
  await db.query('delete from notes')
})

describe('a method with @Transactional()', () => {
  it('saves all its changes, or none, and keeps its name and its parameters', async () => {
    expect(await notes.addBoth('a', 'b')).toEqual(['Notes', 'a', 'b'])
    await expect(notes.addBoth('c', null)).rejects.toMatchObject({ code: '23502' })
    expect(await notes.texts()).toEqual(['a', 'b'])
    expect([notes.addBoth.name, notes.addBoth.length]).toEqual(['addBoth', 2])
  })

  it('runs again after a conflict, at its isolation level', async () => {
    expect(await notes.addAgain(2)).toBe('serializable')
    expect(await notes.texts()).toEqual(['again 3'])
    attempts = 0
    await expect(notes.addAgain(3)).rejects.toMatchObject({ code: '40001' })
    expect(attempts).toBe(3)
  })

  it('that is a generator saves its changes when it ends, but not if its reader stops', async () => {
    await notes.add('a')
    for await (const text of notes.all()) {
      expect(text).toBe('a')
      break
    }
    expect(await notes.texts()).toEqual(['a'])
    const read: string[] = []
    for await (const text of notes.all()) read.push(text)
    expect([read, await notes.texts()]).toEqual([['a'], ['a', 'read']])
  })

  it('fails on an object that the container has not created', async () => {
    const detached = Object.create(Notes.prototype) as Notes
    await expect(detached.addBoth('a', 'b')).rejects.toThrow(
      '@Transactional() on addBoth: the container did not create the object',
    )
  })
})

describe('a handler with @Transactional()', () => {
  it.each([
    [200, ['200'], ['200']],
    [499, ['499'], ['499']],
    [500, [], []],
  ])('is committed or not by its status %i', async (status, texts, tasks) => {
    await app.request().post(`/notes/status/${status}`).expect(status)
    expect([await notes.texts(), after]).toEqual([texts, tasks])
  })

  it('saves nothing if it throws, unlike a handler without a transaction', async () => {
    await app.request().post('/notes/throws').expect(500)
    expect(await notes.texts()).toEqual([])
    await app.request().post('/notes/plain').expect(500)
    expect(await notes.texts()).toEqual(['plain'])
  })

  it('saves nothing after an error of a middleware that has ended the request', async () => {
    const post = (path: string) => app.request().post(`/notes/${path}`)
    await post('slow').set('x-late', 'written').expect(409)
    signals.emit('go')
    await post('status/200').set('x-late', 'answered').expect(409)
    expect(await notes.texts()).toEqual([])
  })

  it('is committed before the first byte of its response, and can read afterwards', async () => {
    const { text } = await app.request().post('/notes/streamed').expect(200)
    expect(text).toBe('begun, streamed')
  })

  it('runs again after a conflict before the response begins', async () => {
    const { headers } = await app.request().post('/notes/retried').expect(200)
    expect(headers['x-attempt']).toBe('2')
    expect(await notes.texts()).toEqual(['retried 2'])
  })

  it('runs again after a conflict at the commit, even if it has sent the response itself', async () => {
    const { body } = await app.request().post('/notes/sent').expect(200)
    expect([body, await notes.texts()]).toEqual([{ attempts: 2 }, ['sent 2']])
  })

  it('that streams is committed at the end of the stream', async () => {
    await notes.add('a')
    const { text } = await app.request().get('/notes/stream').expect(200)
    expect([text, await notes.texts()]).toEqual(['"a"\n', ['a', 'read']])
  })
})

it('a value of the request that PostgreSQL refuses is a 400 response', async () => {
  await app.request().get('/notes/refused/7').expect(200)
  await app.request().get('/notes/refused/x').expect(400)
})

describe('the database', () => {
  it('saves the statements of a request for its tenant together', async () => {
    const add = (note: string, tenant: string) =>
      app.request().post(`/orders/${note}`).set('x-tenant-id', tenant)
    await add('wrong', 'acme').expect(500)
    expect((await add('right', 'acme').expect(200)).body.data).toEqual(['right'])
    expect((await add('other', 'globex').expect(200)).body.data).toEqual(['other'])
  })

  it('streams in the transaction of the request, for its tenant', async () => {
    const { text } = await app
      .request()
      .get('/orders/levels')
      .set('x-tenant-id', 'acme')
      .expect(200)
    expect(text).toBe('"read committedacme"\n')
  })

  it('refuses a tenant table without a tenant, and a tenant within another', async () => {
    const select = () => db.query('select * from orders')
    await expect(select()).rejects.toMatchObject({ status: 400, code: 'TENANT_REQUIRED' })
    await expect(select()).rejects.toThrow(
      'The rows of orders belong to tenants, and this code runs without a tenant.',
    )
    const switched = db.withTenantTransaction('acme', () => runWithTenant('globex', select))
    await expect(switched).rejects.toMatchObject({ name: 'TenantSwitchError' })
    await expect(db.query('commit')).rejects.toThrow(
      'COMMIT cannot be sent as a query: use db.transaction(fn)',
    )
  })

  it('logs the reason for access to all tenants once', async () => {
    const reasons = () =>
      app.logs
        .filter(({ message }) => message === 'Run without a tenant')
        .map(({ facts }) => (facts as { reason: string }).reason)
    const before = reasons().length
    await db.withoutTenant('outer', () => db.query('select 1'))
    expect(reasons().slice(before)).toEqual(['outer'])
  })

  it('refuses a generator that would run after its transaction', async () => {
    const made = [
      async function* () {
        yield 1
      },
      function* () {
        yield 1
      },
    ]
    for (const make of made)
      await expect(db.transaction(() => make() as never)).rejects.toThrow(
        'The transaction ended before the generator began to run.',
      )
    const iterator = { next: () => 1 }
    expect(await db.transaction(() => iterator)).toBe(iterator)
    expect(await db.transaction(() => [1])).toEqual([1])
    await expect(db.withTenantTransaction('acme', () => made[0]?.() as never)).rejects.toThrow(
      TypeError,
    )
    await expect(db.withoutTenant('x', () => made[0]?.() as never)).rejects.toThrow(TypeError)
  })

  it('checks the options of each function that begins a transaction', async () => {
    const wrong = { retries: -1 }
    const fn = async () => 1
    await expect(db.transaction(fn, wrong)).rejects.toThrow('transaction(): retries')
    await expect(db.withTenantTransaction('acme', fn, wrong)).rejects.toThrow(
      'withTenantTransaction(): retries',
    )
    expect(() => db.stream(async function* () {}, { isolation: 'x' as never })).toThrow(
      'stream(): isolation',
    )
  })
})

it('@Idempotent() refuses a transaction with retries', async () => {
  @Controller('twice')
  class Twice {
    @Idempotent() @Transactional({ retries: 1 }) @Post() write() {}
  }
  const start = TestApp.create({
    controllers: [Twice],
    plugins: [postgres({ embedded: 'memory' })],
  })
  await expect(start).rejects.toThrow(/E_IDEMPOTENT_ROUTE.*Twice\.write @Idempotent\(\)/)
})
