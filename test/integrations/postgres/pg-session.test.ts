import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PgConnection } from '../../../src/integrations/postgres/drivers/pg-connection.js'
import { PgSession } from '../../../src/integrations/postgres/drivers/pg-session.js'
import { turns } from '../../journeys/turns.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const LIMIT_MS = 1000

interface Step {
  readonly isSimple: boolean
  complete(tag: string): void
  settle(explain: (error: unknown) => Error): void
  fail(error: unknown, explain: (error: unknown) => Error): void
}

interface Hooks {
  onWrite(): void
  onStep(): void
  onEnd(): void
  onUnwritten(error: Error): void
  explain(error: unknown): Error
}

/** A flight that a test answers. */
class Flight {
  constructor(
    readonly steps: readonly Step[],
    readonly hooks: Hooks,
  ) {}
}

/** A client of `pg` whose server is the test. */
class FakeClient extends EventEmitter {
  readonly flights: Flight[] = []
  readonly scripts: { text: string; resolve(): void; reject(error: Error): void }[] = []
  readonly events: string[] = []
  status = 'I'
  readonly secretKey = null
  readonly connection = {
    stream: {
      destroy: () => this.events.push('destroyed'),
      cork: () => this.events.push('cork'),
      uncork: () => this.events.push('uncork'),
    },
  }

  // No request to cancel a statement is sent without this number.
  get processID() {
    this.events.push('cancel')
    return null
  }

  query(sent: Flight | { readonly text: string }) {
    if (sent instanceof Flight) return void this.flights.push(sent)
    return new Promise<void>((resolve, reject) => this.scripts.push({ ...sent, resolve, reject }))
  }

  getTransactionStatus() {
    return this.status
  }
}

function open({ isCleanable = true } = {}) {
  const client = new FakeClient()
  const ends: boolean[] = []
  let readOnly = 0
  const session = new PgSession(client as never, {
    Flight: Flight as never,
    limitMs: LIMIT_MS,
    statementMs: 900,
    isCleanable,
    onReadOnly: () => readOnly++,
    onEnd: (ended) => ends.push(ended.isRetired),
  })
  const lend = () => {
    session.isLent = true
    return new PgConnection(session)
  }
  /** Answers the oldest flight, and reports that the server is ready for the next statement. */
  const answer = (error?: Error) => {
    const { steps, hooks } = client.flights.shift() as Flight
    for (const step of steps) {
      if (error !== undefined) step.fail(error, hooks.explain)
      else {
        step.complete('SELECT 0')
        hooks.onStep()
        step.settle(hooks.explain)
      }
    }
    hooks.onEnd()
    client.emit('drain')
  }
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await turns(5)
  }
  return { client, session, ends, lend, answer, pass, readOnly: () => readOnly }
}

const refusal = (code: string) =>
  Object.assign(new Error('refused'), { code, severity: 'ERROR' }) as Error

const query = (connection: PgConnection, text = 'select 1') => {
  const result = connection.query({ text })
  result.catch(() => undefined)
  return result
}

describe('a session that is returned', () => {
  it('goes back to the pool once, if the server has answered all statements', async () => {
    const { lend, answer, ends, client } = open()
    const lent = lend()
    const result = query(lent)
    answer()
    expect(await result).toMatchObject({ command: 'SELECT', rows: [] })
    lent.release()
    lent.release()
    lent.destroy()
    expect(ends).toEqual([false])
    expect(client.events).not.toContain('destroyed')
  })

  it('is closed if a response is missing, or if a transaction is open', async () => {
    for (const status of ['I', 'T', 'E']) {
      const { lend, answer, ends, client } = open()
      const lent = lend()
      query(lent)
      if (status !== 'I') {
        answer()
        client.status = status
      }
      lent.release()
      await turns(5)
      expect([status, ends]).toEqual([status, [true]])
      expect(client.events).toContain('destroyed')
    }
  })

  it('is cleaned first if a statement may have left state in it', async () => {
    const { lend, answer, ends, client } = open()
    const lent = lend()
    query(lent, 'set a.b = c')
    answer()
    lent.release()
    await turns(5)
    expect(ends).toEqual([])
    expect(client.flights).toHaveLength(1)
    answer()
    await turns(5)
    expect(ends).toEqual([false])
    // The next user leaves nothing.
    const next = lend()
    query(next)
    answer()
    next.release()
    expect(ends).toEqual([false, false])
  })

  it('is cleaned after a script, and returned when the server is ready again', async () => {
    const { lend, ends, client } = open()
    const lent = lend()
    const script = lent.script('select 1; select 2')
    client.scripts[0]?.resolve()
    client.emit('drain')
    await script
    lent.release()
    await turns(5)
    const { steps, hooks } = client.flights.shift() as Flight
    for (const step of steps) {
      step.complete('DISCARD ALL')
      step.settle(hooks.explain)
    }
    hooks.onEnd()
    await turns(5)
    expect(ends).toEqual([])
    client.emit('drain')
    await turns(5)
    expect(ends).toEqual([false])
  })

  it('is not cleaned, but closed, if a statement has also left a transaction open', async () => {
    const { lend, answer, ends, client } = open()
    const lent = lend()
    query(lent, 'set a.b = c')
    answer()
    query(lent, 'BEGIN')
    expect(client.flights[0]?.steps).toHaveLength(1)
    answer()
    client.status = 'T'
    lent.release()
    await turns(5)
    expect([client.flights, ends]).toEqual([[], [true]])
  })

  it('is closed if it cannot be cleaned', async () => {
    const cases: [boolean, string][] = [
      [false, 'set a.b = c'],
      [true, "load 'library'"],
    ]
    for (const [isCleanable, text] of cases) {
      const { lend, answer, ends, client } = open({ isCleanable })
      const lent = lend()
      query(lent, text)
      answer()
      query(lent, 'set a.b = c')
      answer()
      lent.release()
      await turns(5)
      expect([text, client.flights.length, ends]).toEqual([text, 0, [true]])
    }
  })

  it('is cleaned in the same flight as the end of its transaction', async () => {
    const { lend, answer, ends, client } = open()
    const lent = lend()
    query(lent, 'BEGIN')
    expect(client.flights[0]?.steps.map(({ isSimple }) => isSimple)).toEqual([true])
    answer()
    query(lent, 'set a.b = c')
    answer()
    const ended = query(lent, 'COMMIT')
    expect(client.flights[0]?.steps).toHaveLength(2)
    answer()
    await ended
    await turns(5)
    lent.release()
    expect(ends).toEqual([false])
    expect(client.flights).toEqual([])
  })

  it('is closed if its connection breaks before its cleanup, and no timer is left', async () => {
    const { lend, ends, client } = open()
    const lent = lend()
    query(lent, 'select 1')
    const { steps, hooks } = client.flights.shift() as Flight
    steps[0]?.settle(hooks.explain)
    hooks.onEnd()
    lent.release()
    client.emit('error', new Error('reset'))
    await turns(5)
    expect([ends, vi.getTimerCount()]).toEqual([[true], 0])
  })

  it('is closed if the server does not become ready for its cleanup in time', async () => {
    const { lend, ends, client, pass } = open()
    const lent = lend()
    query(lent, 'select 1')
    const { steps, hooks } = client.flights.shift() as Flight
    steps[0]?.settle(hooks.explain)
    hooks.onEnd()
    lent.release()
    await pass(LIMIT_MS - 1)
    expect(ends).toEqual([])
    await pass(1)
    expect(ends).toEqual([true])
  })
})

describe('a statement', () => {
  it('fails if its connection was released or destroyed before', async () => {
    const { lend, client } = open()
    const released = lend()
    released.release()
    const message = 'The connection has already been released.'
    const late = { code: 'DATABASE_UNAVAILABLE', cause: { message } }
    await expect(query(released)).rejects.toMatchObject(late)
    await expect(released.script('select 1')).rejects.toMatchObject(late)
    await expect(Promise.all(released.sendTogether([{ text: 'a' }]))).rejects.toMatchObject(late)
    expect(released.isLost).toBe(false)
    const destroyed = lend()
    destroyed.destroy()
    expect(destroyed.isLost).toBe(true)
    await expect(query(destroyed)).rejects.toMatchObject({
      cause: { message: 'The connection was destroyed.' },
    })
    expect([client.flights, client.events]).toEqual([[], ['destroyed']])
  })

  it('is cancelled if its connection is destroyed while it runs', () => {
    const { lend, client } = open()
    const lent = lend()
    query(lent)
    lent.destroy()
    expect(client.events).toEqual(['cancel', 'destroyed'])
  })

  it('has taken too long if it is interrupted after the statement timeout', async () => {
    const { lend, answer, pass } = open()
    const lent = lend()
    for (const [ms, code] of [
      [899, '57014'],
      [900, 'DATABASE_TIMEOUT'],
    ] as const) {
      const result = query(lent)
      await pass(ms - 1)
      // A later statement does not change the time of the first.
      const later = query(lent, 'select 2')
      await pass(1)
      answer(refusal('57014'))
      await expect(result).rejects.toMatchObject({ code })
      answer()
      await later
    }
  })

  it('fails if no response arrives in time, which begins again with each response', async () => {
    const { lend, client, session, ends, pass } = open()
    const lent = lend()
    const results = ['a', 'b'].map((text) => query(lent, `select '${text}'`))
    await pass(900)
    const { steps, hooks } = client.flights.shift() as Flight
    steps[0]?.complete('SELECT 0')
    hooks.onStep()
    steps[0]?.settle(hooks.explain)
    hooks.onEnd()
    await results[0]
    await pass(999)
    expect(session.failure).toBeUndefined()
    await pass(1)
    expect(session.failure).toMatchObject({
      code: 'DATABASE_TIMEOUT',
      cause: { message: `No response within ${LIMIT_MS} ms.` },
    })
    expect(ends).toEqual([true])
    expect(lent.isLost).toBe(true)
  })

  it('has its own time limit after one that was refused', async () => {
    const { lend, answer, session, pass } = open()
    const lent = lend()
    const results = [query(lent), query(lent)]
    await pass(900)
    answer(refusal('23505'))
    await expect(results[0]).rejects.toMatchObject({ code: '23505' })
    await pass(LIMIT_MS - 1)
    expect(session.failure).toBeUndefined()
    await pass(1)
    expect(session.failure).toMatchObject({ code: 'DATABASE_TIMEOUT' })
  })

  it('has its own time limit after a pause', async () => {
    const { lend, answer, session, pass } = open()
    const lent = lend()
    query(lent)
    answer()
    await pass(700)
    query(lent)
    await pass(700)
    expect(session.failure).toBeUndefined()
    await pass(300)
    expect(session.failure).toMatchObject({ code: 'DATABASE_TIMEOUT' })
  })

  it('of a script has no time limit', async () => {
    const { lend, client, session, pass } = open()
    const lent = lend()
    const script = lent.script('select 1; select 2')
    await pass(10 * LIMIT_MS)
    expect(session.failure).toBeUndefined()
    client.scripts[0]?.resolve()
    client.emit('drain')
    await script
    query(lent)
    await pass(LIMIT_MS)
    expect(session.failure).toMatchObject({ code: 'DATABASE_TIMEOUT' })
  })

  it('fails with the reason if its connection breaks, and the session is closed at once', async () => {
    const { lend, client, ends, session } = open()
    const lent = lend()
    query(lent)
    client.emit('error', new Error('reset'))
    client.emit('error', new Error('again'))
    expect(session.failure).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      cause: { message: 'reset' },
    })
    expect(ends).toEqual([true])
    const { steps, hooks } = client.flights[0] as Flight
    const failure = hooks.explain(new Error('socket'))
    expect(failure).toMatchObject({ cause: { message: 'reset' } })
    steps[0]?.fail(new Error('socket'), hooks.explain)
  })

  it('that cannot be sent does not run, and later statements of its batch do not run either', async () => {
    const { lend, client } = open()
    const lent = lend()
    await expect(query(lent, 'a\0b')).rejects.toMatchObject({ code: '22021' })
    await expect(lent.script('copy a from stdin')).rejects.toMatchObject({ code: '0A000' })
    const results = lent.sendTogether([
      { text: 'select 1' },
      { text: 'a\0b' },
      { text: 'select 2' },
    ])
    expect(client.flights[0]?.steps).toHaveLength(1)
    const reasons = await Promise.allSettled(results.slice(1))
    expect(reasons).toMatchObject([{ reason: { code: '22021' } }, { reason: { code: '25P02' } }])
    expect(lent.sendTogether([{ text: 'a\0b' }])).toHaveLength(1)
    expect(client.flights).toHaveLength(1)
  })

  it('is sent together with the other statements of its turn', async () => {
    const { lend, answer, client } = open()
    const lent = lend()
    for (const text of ['select 1', 'select 2']) {
      query(lent, text)
      client.flights.at(-1)?.hooks.onWrite()
    }
    expect(client.events).toEqual(['cork'])
    await turns(1)
    expect(client.events).toEqual(['cork', 'uncork'])
    answer()
    answer()
    query(lent, 'select 3')
    client.flights.at(-1)?.hooks.onWrite()
    expect(client.events).toEqual(['cork', 'uncork', 'cork'])
  })
})

describe('a session is not lent again', () => {
  it('after an error that does not concern the statement, or after retire()', async () => {
    const codes: [string, boolean][] = [
      ['23505', false],
      ['57P01', true],
      ['53100', false],
    ]
    for (const [code, isRetired] of codes) {
      const { lend, answer, session, ends } = open()
      const lent = lend()
      const result = query(lent)
      answer(refusal(code))
      await expect(result).rejects.toBeDefined()
      expect([code, session.isRetired]).toEqual([code, isRetired])
      lent.release()
      await turns(5)
      expect(ends).toEqual([isRetired])
    }
    const { session, lend, ends } = open()
    const lent = lend()
    session.retire()
    lent.release()
    expect(ends).toEqual([true])
  })

  it('after a write that the server refuses because it is read-only, which is reported', async () => {
    const { lend, answer, readOnly } = open()
    const lent = lend()
    const result = query(lent, 'insert into a values (1)')
    answer(refusal('25006'))
    await expect(result).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    expect(readOnly()).toBe(1)
  })

  it('if it was in the pool when its connection broke, and its end is left to the pool', () => {
    const { client, session, ends } = open()
    client.emit('error', new Error('reset'))
    expect([session.isRetired, ends]).toEqual([true, []])
  })
})
