import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PgliteConnection } from '../../../src/integrations/postgres/drivers/pglite-connection.js'
import type {
  EmbeddedEngine,
  PgliteResult,
} from '../../../src/integrations/postgres/drivers/pglite-package.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'

const IDLE_MS = 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A database that records its calls. Statements that contain `wrong` are refused. */
function open() {
  const calls: string[] = []
  const engine = {
    crash: undefined,
    isInTransaction: false,
    async query(text: string): Promise<PgliteResult> {
      calls.push(text)
      await Promise.resolve()
      if (text === 'BEGIN') this.isInTransaction = true
      if (text === 'COMMIT') this.isInTransaction = false
      if (text.includes('wrong'))
        throw Object.assign(new Error('refused'), { code: '22012', severity: 'ERROR' })
      return {
        rows: [['1']],
        fields: [{ name: 'n', dataTypeID: 23 }],
        rowCount: 1,
        command: 'SELECT',
      }
    },
    async script(text: string) {
      calls.push(text)
    },
    async reset() {
      calls.push('reset')
      this.isInTransaction = false
    },
    async take() {},
    giveBack() {},
    async close() {},
  }
  let ends = 0
  const end = () => void ends++
  const connection = new PgliteConnection(engine as EmbeddedEngine, { idleMs: IDLE_MS, end })
  return { connection, calls, engine, ends: () => ends }
}

type Opened = ReturnType<typeof open>

describe('the connection of an embedded database', () => {
  it('is returned without a reset after statements that leave no state', async () => {
    const { connection, calls, ends } = open()
    expect(await connection.query({ text: 'select 1' })).toMatchObject({ rows: [{ n: 1 }] })
    connection.release()
    connection.release()
    connection.destroy()
    await turns(5)
    expect([calls, ends(), connection.isLost]).toEqual([['select 1'], 1, true])
  })

  it.each<[string, (opened: Opened) => unknown]>([
    ['an open transaction', ({ connection }) => connection.query({ text: 'BEGIN' })],
    [
      'a statement that may leave state',
      ({ connection }) => connection.query({ text: 'set a = b' }),
    ],
    ['a script', ({ connection }) => connection.script('select 1')],
    ['a running statement', ({ connection }) => void connection.query({ text: 'select 1' })],
  ])('is reset before the next user after %s', async (_, use) => {
    const opened = open()
    await use(opened)
    opened.connection.release()
    await turns(5)
    expect([opened.calls.at(-1), opened.ends()]).toEqual(['reset', 1])
  })

  it('is not reset because of statements of the package, which are sent together', async () => {
    const { connection, calls } = open()
    const own = { text: "select set_config('a', 'b', true)", hasNoReader: true }
    await Promise.all(connection.sendTogether([{ text: 'select 1', hasNoReader: true }, own]))
    connection.release()
    await turns(5)
    expect(calls).toEqual(['select 1', own.text])
  })

  it('is returned even if the reset fails', async () => {
    const { connection, engine, ends } = open()
    engine.reset = () => Promise.reject(new Error('crashed'))
    connection.destroy()
    await turns(5)
    expect(ends()).toBe(1)
  })

  it('does not run later statements of a batch after one that is refused', async () => {
    const { connection, calls } = open()
    const batch = ['select 1', 'select wrong', 'select 2'].map((text) => ({ text }))
    const outcomes = await Promise.allSettled(connection.sendTogether(batch))
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { reason: { code: '22012' } },
      { reason: { code: '25P02' } },
    ])
    expect(calls).toEqual(['select 1', 'select wrong'])
    const unsendable = connection.sendTogether([{ text: 'a\0b' }, { text: 'select 3' }])
    expect(await Promise.allSettled(unsendable)).toMatchObject([
      { reason: { code: '22021' } },
      { reason: { code: '25P02' } },
    ])
    expect(await connection.query({ text: 'select 4' })).toMatchObject({ rowCount: 1 })
    expect(calls.at(-1)).toBe('select 4')
  })

  it('ends a transaction that is idle for too long, but not a transaction in use', async () => {
    const { connection, calls, ends } = open()
    await connection.query({ text: 'select 0' })
    await pass(5 * IDLE_MS)
    await connection.query({ text: 'BEGIN' })
    await pass(IDLE_MS - 1)
    await connection.query({ text: 'select 1' })
    await pass(IDLE_MS - 1)
    expect(calls).not.toContain('reset')
    await pass(1)
    expect([calls.at(-1), ends(), connection.isLost]).toEqual(['reset', 1, true])
    await expect(connection.query({ text: 'select 2' })).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    })
  })

  it('does not count the time in which one of several statements runs', async () => {
    const slow = gate()
    const { connection, calls, engine } = open()
    await connection.query({ text: 'BEGIN' })
    const run = engine.query.bind(engine)
    engine.query = async (text) => {
      if (text === 'select 2') await slow.opened
      return await run(text)
    }
    const first = connection.query({ text: 'select 1' })
    const second = connection.query({ text: 'select 2' })
    await first
    await pass(5 * IDLE_MS)
    slow.open()
    expect(await second).toMatchObject({ rowCount: 1 })
    expect(calls).not.toContain('reset')
  })

  it('runs no waiting statement after its end, and leaves no timer', async () => {
    const { connection, calls } = open()
    await connection.query({ text: 'BEGIN' })
    const results = ['select 1', 'select 2'].map((text) => connection.query({ text }))
    await Promise.resolve()
    connection.destroy()
    expect(await Promise.allSettled(results)).toMatchObject([
      { status: 'fulfilled' },
      { reason: { code: 'DATABASE_UNAVAILABLE' } },
    ])
    await turns(5)
    expect([calls, vi.getTimerCount()]).toEqual([['BEGIN', 'select 1', 'reset'], 0])
    for (const end of ['release', 'destroy'] as const) {
      const other = open()
      await other.connection.query({ text: 'BEGIN' })
      other.engine.isInTransaction = end === 'destroy'
      other.connection[end]()
      expect([end, vi.getTimerCount()]).toEqual([end, 0])
    }
  })

  it('does not count the time after the end of a transaction or of its use', async () => {
    for (const text of ['COMMIT', 'release']) {
      const { connection, calls } = open()
      await connection.query({ text: 'BEGIN' })
      if (text === 'COMMIT') await connection.query({ text })
      else connection.release()
      await turns(5)
      const before = calls.length
      await pass(5 * IDLE_MS)
      expect(calls.length).toBe(before)
    }
  })
})

async function pass(ms: number) {
  vi.advanceTimersByTime(ms)
  await turns(5)
}
