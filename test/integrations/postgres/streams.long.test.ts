import { on, once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { Controller, Get, inject, JsonLines, type Request, runWithTenant, Sse } from 'blazon'
import { Database, type PostgresOptions, Transactional } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { TenantDatabase } from '../../conformance/tenant-database.js'
import { gate } from '../../journeys/gate.js'
import { until } from '../until.js'
import { describeWithServer } from './server.js'
import { openServer } from './support.js'

const Line = z.object({ note: z.string(), tenant: z.string().nullable(), transaction: z.string() })
type Line = z.infer<typeof Line>

type Script = (db: Database, req: Request) => AsyncGenerator<Line>

let script: Script
let finals: string[] = []

class Notes {
  readonly db = inject(Database)

  @Transactional()
  async *run(req: Request) {
    yield* script(this.db, req)
  }
}

@Controller('streams')
class StreamsController {
  private readonly db = inject(Database)
  private readonly notes = inject(Notes)

  @Get('whole') @JsonLines(Line) @Transactional() async *whole(req: Request) {
    yield* script(this.db, req)
  }

  @Get('events') @Sse(Line) @Transactional() async *events(req: Request) {
    yield* script(this.db, req)
  }

  @Get('aged') @Sse(Line, { maxAge: '1m' }) @Transactional() async *aged(req: Request) {
    yield* script(this.db, req)
  }

  @Get('plain') @JsonLines(Line) async *plain(req: Request) {
    yield* script(this.db, req)
  }

  /** The statement before the stream is a part of its transaction. */
  @Get('after') @JsonLines(Line) async after(req: Request) {
    await add(this.db, 'before')
    return this.db.stream(() => script(this.db, req))
  }

  @Get('provider') @JsonLines(Line) provider(req: Request) {
    return this.notes.run(req)
  }

  @Get('raw') raw(req: Request) {
    const lines = this.db.stream(() => script(this.db, req))
    return Readable.from(asText(lines))
  }
}

async function* asText(lines: AsyncIterable<Line>) {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}

const add = (db: Database, note: string) => db.sql`insert into orders (note) values (${note})`

async function line(db: Database): Promise<Line> {
  const [row] = await db.sql<Line>`select coalesce(string_agg(note, ',' order by id), '') as note,
    current_setting('app.tenant_id', true) as tenant, pg_current_xact_id()::text as transaction
    from orders`
  return row as Line
}

/** Adds a row, and yields it; as often as it is asked to. */
function adding(count: number, more: (db: Database, req: Request) => unknown = () => {}): Script {
  return async function* (db, req) {
    try {
      for (let n = 1; n <= count; n++) {
        await add(db, `row ${n}`)
        yield line(db)
      }
      await more(db, req)
    } finally {
      finals.push('finally')
    }
  }
}

describeWithServer('a stream that uses the database', () => {
  let database: TenantDatabase
  let app: TestApp
  let port: number
  const errors: string[] = []
  const logger = {
    info() {},
    warn() {},
    error: ({ err }: { err?: Error }) => void errors.push(err?.message ?? ''),
  }

  const open = async (how: PostgresOptions = {}) => {
    const controllers = [StreamsController]
    const options = {
      controllers,
      providers: [Notes],
      tenant: {},
      logger,
      contract: 'off',
    } as const
    app = await database.start(
      { ...options, timeouts: { handler: '30s', close: '1s' } },
      { connections: 1, ...how },
    )
    ;({ port } = await app.listen(0))
  }

  beforeAll(async () => {
    database = await openServer()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    errors.length = 0
    finals = []
    await database.asOwner('truncate orders, items')
    await open()
  })
  afterEach(() => app.close())

  const saved = async () =>
    (await database.look<{ note: string }>('select note from orders order by id')).map(
      ({ note }) => note,
    )

  /** The one connection is free again, in no transaction, and shows no tenant. */
  async function expectFree() {
    await app.get(Database).query('select 1')
    const [state] = await database.leftovers()
    expect(state).toMatchObject({ isInTransaction: false, role: 'service' })
    expect(state?.tenant ?? '').toBe('')
  }

  function get(path: string, tenant = 'a') {
    const req = request({
      port,
      path: `/streams/${path}`,
      agent: false,
      headers: { 'x-tenant-id': tenant },
    })
    req.on('error', () => {})
    req.end()
    const response = once(req, 'response').then(([res]) => res as IncomingMessage)
    response.catch(() => {})
    const read = async () => {
      const res = await response
      let body = ''
      res.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      res.on('error', () => {})
      if (!res.closed) await new Promise((resolve) => res.on('close', resolve))
      return { status: res.statusCode, body, isWhole: res.complete }
    }
    return { response, read, leave: () => req.destroy() }
  }

  const linesOf = (body: string): Line[] =>
    body
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))

  describe('without a transaction', () => {
    it('runs the statements for each item in a separate transaction for its tenant', async () => {
      script = adding(3)
      const [a, b] = await Promise.all([get('plain', 'a').read(), get('plain', 'b').read()])
      for (const [tenant, { body }] of Object.entries({ a, b })) {
        const lines = linesOf(body)
        expect(lines.map(({ note }) => note)).toEqual(['row 1', 'row 1,row 2', 'row 1,row 2,row 3'])
        expect(new Set(lines.map((each) => each.tenant))).toEqual(new Set([tenant]))
        expect(new Set(lines.map((each) => each.transaction)).size).toBe(3)
      }
      await expectFree()
    })

    it('keeps no connection between its items, and saves each row before it sends it', async () => {
      const going = gate()
      script = adding(1, () => going.opened)
      const stream = get('plain')
      await stream.response
      expect(await saved()).toEqual(['row 1'])
      await expectFree()
      going.open()
      expect((await stream.read()).isWhole).toBe(true)
    })
  })

  describe('with a transaction', () => {
    it.each(['whole', 'provider', 'raw'])('uses a single transaction: %s', async (path) => {
      script = adding(3)
      const { body, isWhole } = await get(path, 'b').read()
      const lines = linesOf(body)
      expect(lines.map(({ note }) => note)).toEqual(['row 1', 'row 1,row 2', 'row 1,row 2,row 3'])
      expect(new Set(lines.map(({ tenant }) => tenant))).toEqual(new Set(['b']))
      expect(new Set(lines.map(({ transaction }) => transaction)).size).toBe(1)
      expect([isWhole, await saved()]).toEqual([true, ['row 1', 'row 2', 'row 3']])
      expect(finals).toEqual(['finally'])
      await expectFree()
    })

    it('reads the rows of a cursor from one snapshot of the database', async () => {
      await database.asOwner(
        "insert into orders (tenant_id, note) select 'a', 'row ' || n from generate_series(1, 20) n",
      )
      script = async function* (db) {
        await db.sql`declare rows cursor for select note from orders order by id`
        for (let isFirst = true; ; isFirst = false) {
          const part = await db.sql<Line>`fetch 3 from rows`
          if (part.length === 0) return
          if (isFirst) await database.asOwner("update orders set note = 'changed'")
          yield* part
        }
      }
      const { body, isWhole } = await get('whole').read()
      expect(linesOf(body).map(({ note }) => note)).toEqual(
        Array.from({ length: 20 }, (_, n) => `row ${n + 1}`),
      )
      expect(isWhole).toBe(true)
      await expectFree()
    })

    it('continues in the transaction that its handler has started', async () => {
      script = adding(1)
      const { body } = await get('after').read()
      expect(linesOf(body).map(({ note }) => note)).toEqual(['before,row 1'])
      expect(await saved()).toEqual(['before', 'row 1'])
      await expectFree()
    })

    it('is committed before the client receives the end of the stream', async () => {
      const held = await database.holdCommits?.()
      script = async function* (db) {
        await add(db, 'held')
        yield line(db)
      }
      const stream = get('events')
      const res = await stream.response
      let body = ''
      res.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      const closed = once(res, 'close')
      await held?.reached()
      expect(body).not.toContain('event: end')
      await held?.release()
      await closed
      expect(body).toContain('event: end')
      expect(await saved()).toEqual(['held'])
      await expectFree()
    })

    it('results in an error response if it fails before its first item, and saves nothing', async () => {
      // biome-ignore lint/correctness/useYield: it fails instead
      script = async function* (db) {
        await add(db, 'lost')
        throw new Error('broken')
      }
      for (const path of ['whole', 'after', 'raw']) {
        expect((await get(path).read()).status).toBe(500)
        expect(await saved()).toEqual([])
        await expectFree()
      }
    })

    it.each(['whole', 'events', 'raw'])('saves nothing if it fails later: %s', async (path) => {
      script = adding(2, () => {
        throw new Error('broken')
      })
      const { body, isWhole } = await get(path).read()
      expect(body).toContain('row 2')
      expect(isWhole).toBe(path === 'events')
      expect(body.includes('event: error')).toBe(path === 'events')
      expect([await saved(), finals, errors]).toEqual([[], ['finally'], ['broken']])
      await expectFree()
    })

    it('fails if its commit is refused', async () => {
      script = async function* (db) {
        await db.sql`insert into orders (number) values ('twice'), ('twice')`
        yield { note: '', tenant: null, transaction: '' }
      }
      const { body } = await get('events').read()
      expect(body).toContain('event: error')
      expect(body).not.toContain('event: end')
      expect(errors).toHaveLength(1)
      expect(await saved()).toEqual([])
      await expectFree()
    })

    it.each([
      [
        'waits for its signal',
        ({ signal }: Request) => on(new EventTarget(), 'x', { signal }).next(),
      ],
      ['is waiting for something else', () => new Promise<void>(() => {})],
      ['runs a statement', (_: Request, db: Database) => db.sql`select pg_sleep(30)`],
    ])('is rolled back if the client disconnects while it %s', async (_, wait) => {
      script = adding(1, (db, req) => wait(req, db))
      const stream = get('whole')
      await stream.response
      stream.leave()
      await expectFree()
      expect(await saved()).toEqual([])
      expect(errors).toEqual([])
    })

    it('can run a last statement in `finally` if the client disconnects between items', async () => {
      const seen: unknown[] = []
      const full = 'x'.repeat(1024 * 1024)
      const waits = gate()
      script = async function* (db, { res }) {
        res?.on('newListener', (event) => event === 'drain' && waits.open())
        try {
          await add(db, 'lost')
          for (;;) yield { note: full, tenant: null, transaction: '' }
        } finally {
          seen.push((await line(db)).note)
        }
      }
      const stream = get('whole')
      await waits.opened
      stream.leave()
      await expectFree()
      expect([seen, await saved(), errors]).toEqual([['lost'], [], []])
    })

    it('is rolled back at the handler timeout, before its first item', async () => {
      const reached = gate()
      script = async function* (db) {
        await add(db, 'lost')
        reached.open()
        await new Promise<void>(() => {})
      }
      const stream = get('whole')
      await reached.opened
      await app.clock.advance('31s')
      expect((await stream.read()).status).toBe(503)
      await expectFree()
      expect(await saved()).toEqual([])
    })

    it('is rolled back when it reaches maxAge', async () => {
      script = adding(1, () => new Promise<void>(() => {}))
      const stream = get('aged')
      await stream.response
      await app.clock.advance('61s')
      expect((await stream.read()).body).not.toContain('event: end')
      await expectFree()
      expect(await saved()).toEqual([])
    })

    it('is rolled back when the application closes', async () => {
      script = adding(1, (_, { signal }) => once(signal, 'abort'))
      const stream = get('events')
      await stream.response
      const [{ body }] = await Promise.all([stream.read(), app.close()])
      expect(body).toContain('row 1')
      expect(body).not.toContain('event: end')
      expect(await saved()).toEqual([])
    })

    it('releases its connection if the client stops reading for too long', async () => {
      await app.close()
      await open({ timeouts: { idleInTransaction: '300ms' } })
      const full = 'x'.repeat(1024 * 1024)
      script = async function* (db) {
        await add(db, 'lost')
        for (let n = 0; n < 64; n++) yield { note: full, tenant: null, transaction: '' }
      }
      const stream = get('whole')
      await stream.response
      // The one connection is free although the client has not left.
      await until(async () => {
        await app.get(Database).query('select 1')
        return true
      })
      expect((await stream.read()).isWhole).toBe(false)
      // Either side may have counted the time first: the application, or PostgreSQL.
      expect(errors).toEqual([expect.stringMatching(/too slowly|cannot be reached/)])
      expect(await saved()).toEqual([])
    })

    it('is part of the transaction around its loop', async () => {
      script = adding(2)
      const db = app.get(Database)
      const loop = (fail: boolean) =>
        db.withTenantTransaction('a', async () => {
          for await (const { note } of db.stream(() => script(db, {} as Request))) {
            await add(db, `seen ${note}`)
          }
          if (fail) throw new Error('broken')
        })
      await expect(loop(true)).rejects.toThrow('broken')
      expect(await saved()).toEqual([])
      await loop(false)
      expect(await saved()).toHaveLength(4)
      await expectFree()
    })

    it('is rolled back, runs `finally` and frees its connection when its loop ends early', async () => {
      const db = app.get(Database)
      const rows = async function* () {
        try {
          for (let number = 1; number <= 3; number++) {
            await add(db, `row ${number}`)
            yield number
          }
        } finally {
          finals.push('finally')
        }
      }
      await runWithTenant('a', async () => {
        for await (const _ of db.stream(rows)) break
      })
      expect([await saved(), finals]).toEqual([[], ['finally']])
      await expectFree()
    })
  })
})
