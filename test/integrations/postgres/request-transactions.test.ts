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
import { Database, PostgresError, postgres, Transactional } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Engine, EngineToken } from '../../../src/integrations/postgres/engine.js'
import { noteRefused } from '../../../src/integrations/postgres/refused-statement.js'
import { gate } from '../../journeys/gate.js'
import { acceptingDriver } from './accepting-driver.js'

const CONFLICT = () => new PostgresError('conflict', { code: '40001' })
const REFUSED = () => noteRefused(new PostgresError('invalid: "x1"', { code: '22P02' }), WRONG)
const WRONG = { text: 'wrong', values: ['x1'] }

/** How many of the next commits conflict with another transaction. */
let conflicts = 0
let hasRefused = false
/** Runs in a handler, in place of its own statements. */
let work: (db: Database, res: Response) => unknown = () => {}

@Tenant()
@Controller('orders')
class Orders {
  readonly db = inject(Database)

  @Post() add(_req: Request, res: Response) {
    return work(this.db, res)
  }

  @Transactional({ retries: 2 })
  @Post('retried')
  retried(_req: Request, res: Response) {
    return work(this.db, res)
  }

  @Transactional({ isolation: 'serializable' })
  @Post('strict')
  strict(_req: Request, res: Response) {
    return work(this.db, res)
  }
}

const { driver, log } = acceptingDriver({
  refuse(text) {
    hasRefused ||= text === WRONG.text
    if (text === WRONG.text) return REFUSED()
    return text === 'COMMIT' && conflicts-- > 0 ? CONFLICT() : undefined
  },
  commandOf: (text) => (text === 'COMMIT' && hasRefused ? 'ROLLBACK' : text),
})
let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({
    controllers: [Orders],
    tenant: {},
    contract: 'off',
    plugins: [postgres({ url: 'postgres://nobody@127.0.0.1:1/none' })],
    testOverrides: [{ token: EngineToken, useValue: new Engine({}, driver) }],
  })
})
afterAll(() => app?.close())
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  conflicts = 0
  hasRefused = false
  log.length = 0
})

const post = (path = '') => app.asTenant('acme').request().post(`/orders${path}`)
/** What was sent, without the beginnings of transactions. */
const sent = () =>
  log
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((line) => !/^(BEGIN|as) /.test(`${line} `))
const messageOf = (run: Promise<unknown>) =>
  run.then(
    () => 'done',
    (error: Error) => error.message,
  )

describe('the transaction of a request', () => {
  it('is rolled back by an error whose status is below 500', async () => {
    work = async (db) => {
      await db.query('insert')
      throw new ConflictError('taken')
    }
    await post().expect(409)
    expect(sent()).toEqual(['insert', 'ROLLBACK', 'release'])
  })

  it('cannot be saved after a refused value, which is no mistake of the request if it is caught', async () => {
    const values = { 'content-type': 'application/json' }
    work = (db) => db.query(WRONG)
    await post().set(values).send({ text: 'x1' }).expect(400)
    work = (db) => db.query(WRONG).catch(() => 'caught')
    await post().set(values).send({ text: 'x1' }).expect(500)
    expect(sent()).toEqual([...['wrong', 'ROLLBACK', 'release'], ...['wrong', 'COMMIT', 'release']])
  })

  it('can include work for all tenants, whose reason is logged once', async () => {
    work = async (db) => {
      await db.query('insert')
      await db.withoutTenant('count', () => db.query('select'))
      return 'added'
    }
    const before = app.logs.length
    await post().expect(200)
    const reasons = app.logs.slice(before).flatMap(({ facts }) => Object(facts).reason ?? [])
    expect(reasons).toEqual(['count'])
    expect(sent()).toEqual([
      ...['insert', 'SAVEPOINT part_1', 'select', 'RELEASE SAVEPOINT part_1', 'COMMIT', 'release'],
    ])
  })

  it('does not begin for a statement that a failed handler has not awaited', async () => {
    const answered = gate()
    let late: Promise<string> | undefined
    work = (db) => {
      late = messageOf(answered.opened.then(() => db.query('insert')))
      throw new ConflictError('taken')
    }
    await post().expect(409)
    answered.open()
    expect(await late).toMatch(/^The request of this statement has failed/)
    expect(sent()).toEqual([])
  })

  it('does not include statements after the response, and tasks then run at once', async () => {
    const answered = gate()
    const done: string[] = []
    let late: Promise<unknown> | undefined
    work = async (db) => {
      await db.query('insert')
      await db.afterCommit(() => done.push('with the commit'))
      late = answered.opened.then(async () => {
        await db.query('later')
        await db.afterCommit(() => done.push('at once'))
        done.push('last')
      })
      return 'added'
    }
    await post().expect(200)
    expect(done).toEqual(['with the commit'])
    answered.open()
    await late
    expect(done).toEqual(['with the commit', 'at once', 'last'])
    expect(sent()).toEqual([...['insert', 'COMMIT', 'release'], ...['later', 'COMMIT', 'release']])
  })

  it('is not taken over by a stream for another tenant or at another isolation level', async () => {
    const items = async function* () {
      yield 1
    }
    work = (db) =>
      Promise.all([
        messageOf(db.stream(items, { isolation: 'repeatable read' }).next()),
        messageOf(runWithTenant('globex', () => db.stream(items)).next()),
      ])
    const { body } = await post('/strict').expect(200)
    expect(body.data).toEqual([
      expect.stringContaining('cannot be repeatable read: the outer transaction is serializable.'),
      expect.stringContaining("would run for the tenant 'globex'"),
    ])
  })
})

it('statements of an earlier attempt do not join the transaction of a later one', async () => {
  const again = gate()
  let late: Promise<string> | undefined
  work = async (db) => {
    await db.query('insert')
    if (late !== undefined) {
      again.open()
      return await late
    }
    late = messageOf(again.opened.then(() => db.query('late')))
    throw CONFLICT()
  }
  const { body } = await post('/retried').expect(200)
  expect(body.data).toMatch(/^The request of this statement has failed/)
  expect(sent()).toEqual([...['insert', 'ROLLBACK', 'release'], ...['insert', 'COMMIT', 'release']])
})

describe('a handler with retries that sends the response itself', () => {
  const insertAndSend = async (db: Database, res: Response) => {
    await db.query('insert')
    res.json({ sent: true })
  }

  it('runs again after each conflict at the commit', async () => {
    conflicts = 2
    work = insertAndSend
    await post('/retried').expect(200, { sent: true })
    expect(sent().filter((text) => text !== 'ROLLBACK')).toEqual(
      [1, 2, 3].flatMap(() => ['insert', 'COMMIT', 'release']),
    )
  })

  it('is answered with 503, and logged once, if each attempt conflicts', async () => {
    conflicts = 3
    work = insertAndSend
    const before = app.logs.length
    const { body, headers } = await post('/retried').expect(503)
    expect(headers['retry-after']).toBe('1')
    expect(body.code).toBe('DATABASE_CONFLICT')
    expect(app.logs.slice(before).map(({ message }) => message)).toEqual(['The request failed'])
    expect(sent().filter((text) => text === 'insert')).toHaveLength(3)
  })

  it('does not run again while it waits for the response to end', async () => {
    conflicts = 2
    work = async (db, res) => {
      if (conflicts === 2) return await insertAndSend(db, res)
      const ended = new Promise((resolve) => res.once('close', resolve))
      await insertAndSend(db, res)
      await ended
    }
    await post('/retried').expect(503)
    expect(sent().filter((text) => text === 'insert')).toHaveLength(2)
  })

  it('is committed with the response if it sends the response after its return', async () => {
    work = async (db, res) => {
      await db.query('insert')
      setImmediate(async () => {
        await db.query('later')
        res.json({ sent: true })
      })
      return res
    }
    await post('/retried').expect(200)
    expect(sent()).toEqual(['insert', 'later', 'COMMIT', 'release'])
  })
})
