import { HttpError } from 'blazon'
import { PostgresError } from 'blazon/postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Connection, QueryResult } from '../../../src/integrations/postgres/driver.js'
import { Activity } from '../../../src/integrations/postgres/sessions/activity.js'
import { type Block, Transaction } from '../../../src/integrations/postgres/sessions/transaction.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'

const IDLE_MS = 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const settings = { statement: { text: 'SET' }, explain: (error: unknown) => error }
const explained = (text: string) => ({
  statement: { text },
  explain: () => new Error(`explained ${text}`),
})
const refused = (code = '23505') => new PostgresError('refused', { code })

/** A transaction on a connection that lists what was sent, and refuses the statements of `refusals`. */
function begin(
  refusals: Record<string, Error | Promise<never>> = {},
  commands: Record<string, string> = {},
  onSend: (text: string) => void = () => {},
) {
  const sent: string[] = []
  const answer = async (text: string): Promise<QueryResult> => {
    sent.push(text)
    onSend(text)
    const refusal = refusals[text]
    if (refusal !== undefined) throw await refusal
    return { rows: [], rowCount: 0, command: commands[text] ?? text, fields: [] }
  }
  const connection: Connection = {
    isLost: false,
    query: ({ text }) => answer(text),
    sendTogether: (statements) =>
      statements.map(({ text }) => {
        const result = answer(text)
        result.catch(() => undefined)
        return result
      }),
    script: async () => {},
    release: () => void sent.push('release'),
    destroy: () => void sent.push('destroy'),
  }
  const transaction = new Transaction(connection, settings, new Activity(IDLE_MS))
  const query = (block: Block, text: string) => {
    const result = block.query({ text })
    result.catch(() => undefined)
    return result
  }
  return { transaction, sent, query }
}

const codeOf = (run: Promise<unknown>) =>
  run.then(
    () => 'done',
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

describe('nested transactions', () => {
  it('run one after the other, and statements of the outer transaction wait for them', async () => {
    const { transaction, sent, query } = begin()
    const leave = gate()
    const parts = [1, 2, 3].map((number) =>
      transaction.nest(async (part) => {
        await query(part, `in ${number}`)
        if (number === 1) await leave.opened
        return number
      }),
    )
    await turns(5)
    const outside = query(transaction, 'outside')
    await turns(5)
    expect(sent.at(-1)).toBe('in 1')
    leave.open()
    expect(await Promise.all(parts)).toEqual([1, 2, 3])
    await outside
    await transaction.commit()
    const part = (number: number) => [
      'SAVEPOINT part_1',
      `in ${number}`,
      'RELEASE SAVEPOINT part_1',
    ]
    expect(sent.filter((text) => text !== 'outside')).toEqual([
      ...['BEGIN', 'SET', ...part(1), ...part(2), ...part(3), 'COMMIT', 'release'],
    ])
    expect(sent.indexOf('outside')).toBeGreaterThan(sent.indexOf('RELEASE SAVEPOINT part_1'))
  })

  it('have a savepoint for each level, and roll back only their own statements', async () => {
    const { transaction, sent, query } = begin()
    const undone = transaction.nest(async (part) => {
      await part.nest((inner) => query(inner, 'in 2'))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await transaction.commit()
    expect(sent.slice(2)).toEqual([
      ...['SAVEPOINT part_1', 'SAVEPOINT part_2', 'in 2', 'RELEASE SAVEPOINT part_2'],
      ...['ROLLBACK TO SAVEPOINT part_1', 'RELEASE SAVEPOINT part_1', 'COMMIT', 'release'],
    ])
  })

  it('have their own owner, which ends with them', async () => {
    const { transaction, sent, query } = begin()
    const change = { enter: explained('enter'), leave: explained('leave') }
    await transaction.nest((part) => query(part, 'in'), change)
    expect(sent.slice(2)).toEqual([
      ...['SAVEPOINT part_1', 'enter', 'in', 'leave', 'RELEASE SAVEPOINT part_1'],
    ])
    const other = begin({ enter: refused() })
    const failing = other.transaction.nest(async () => 'never', change)
    await expect(failing).rejects.toThrow('explained enter')
    expect(other.sent.slice(2)).toEqual([
      ...['SAVEPOINT part_1', 'enter', 'ROLLBACK TO SAVEPOINT part_1', 'RELEASE SAVEPOINT part_1'],
    ])
  })

  it('refuse statements after their end, and after the end of the outer transaction', async () => {
    const { transaction, query } = begin()
    let ended: Block | undefined
    await transaction.nest(async (part) => {
      ended = part
    })
    expect(await codeOf(query(ended as Block, 'late'))).toMatch(/^The transaction ended before/)
    await transaction.commit()
    expect(await codeOf(query(transaction, 'late'))).toMatch(/^The transaction ended before/)
    expect(await codeOf(transaction.nest(async () => 1))).toMatch(/^The transaction ended before/)
    expect(() => transaction.afterCommit(() => {})).toThrow(/^The transaction ended before/)
  })

  it('that were not awaited are part of the commit', async () => {
    const { transaction, sent, query } = begin()
    const leave = gate()
    void transaction.nest(async (part) => {
      await leave.opened
      await query(part, 'in')
    })
    const saved = transaction.commit()
    await turns(5)
    expect(sent).not.toContain('COMMIT')
    leave.open()
    await saved
    expect(sent.slice(-4)).toEqual(['in', 'RELEASE SAVEPOINT part_1', 'COMMIT', 'release'])
  })

  it('wait for their own parts that were not awaited', async () => {
    const { transaction, sent, query } = begin()
    const leave = gate()
    const nested = transaction.nest(async (part) => {
      void part.nest(async (inner) => {
        await leave.opened
        await query(inner, 'in 2')
      })
    })
    await turns(5)
    leave.open()
    await nested
    expect(sent.slice(-3)).toEqual([
      ...['in 2', 'RELEASE SAVEPOINT part_2', 'RELEASE SAVEPOINT part_1'],
    ])
  })

  it('that fail are rolled back after their own parts that were not awaited', async () => {
    const { transaction, sent, query } = begin()
    const leave = gate()
    const nested = transaction.nest(async (part) => {
      void part.nest(async (inner) => {
        await leave.opened
        await query(inner, 'in 2')
      })
      throw new Error('undone')
    })
    const outcome = codeOf(nested)
    await turns(5)
    leave.open()
    expect(await outcome).toBe('undone')
    expect(sent.slice(-3)).toEqual([
      ...['RELEASE SAVEPOINT part_2', 'ROLLBACK TO SAVEPOINT part_1', 'RELEASE SAVEPOINT part_1'],
    ])
  })

  it('refuse statements while they end, which would belong to the outer transaction', async () => {
    const change = { enter: explained('enter'), leave: explained('leave') }
    const ends = ['leave', 'RELEASE SAVEPOINT part_1', 'ROLLBACK TO SAVEPOINT part_1']
    const late: Promise<string>[] = []
    let current: Block | undefined
    const { transaction, sent } = begin({}, {}, (text) => {
      if (current !== undefined && ends.includes(text))
        late.push(codeOf(current.query({ text: 'late' })))
    })
    for (const error of [null, new Error('undone')]) {
      const nested = transaction.nest(async (part) => {
        current = part
        if (error !== null) throw error
      }, change)
      await nested.catch(() => undefined)
    }
    expect(new Set(await Promise.all(late))).toEqual(
      new Set([expect.stringMatching(/^The transaction ended before/)]),
    )
    expect([late.length, sent.includes('late')]).toEqual([4, false])
  })

  it('that never end are rolled back with the transaction, if no statement runs', async () => {
    const { transaction, sent, query } = begin()
    const leave = gate()
    void transaction
      .nest(async (part) => {
        await query(part, 'first')
        await leave.opened
        await query(part, 'second')
        await new Promise(() => {})
      })
      .catch(() => undefined)
    const saved = codeOf(transaction.commit())
    await pass(IDLE_MS - 1)
    leave.open()
    await turns(5)
    await pass(1)
    await pass(IDLE_MS - 1)
    expect(sent.at(-1)).toBe('second')
    await pass(1)
    expect(await saved).toBe('DATABASE_TIMEOUT')
    expect(sent.slice(-2)).toEqual(['ROLLBACK', 'release'])
  })

  it('can have a statement that runs longer than a transaction may be idle', async () => {
    const slow = gate()
    const refusal = slow.opened.then((): never => refused('57014') as never)
    const { transaction, sent, query } = begin({ slow: refusal })
    const nested = codeOf(transaction.nest((part) => query(part, 'slow')))
    const saved = transaction.commit()
    await pass(5 * IDLE_MS)
    await pass(5 * IDLE_MS)
    expect(sent.at(-1)).toBe('slow')
    slow.open()
    expect(await nested).toBe('57014')
    await saved
    expect(sent.slice(-2)).toEqual(['COMMIT', 'release'])
  })

  it('that cannot be rolled back end the whole transaction', async () => {
    const gone = new HttpError(503, 'gone', { code: 'DATABASE_UNAVAILABLE' })
    for (const [error, code] of [
      [gone, 'DATABASE_UNAVAILABLE'],
      [refused(), /^Nothing was saved: a nested transaction failed/],
    ] as const) {
      const { transaction, sent, query } = begin({ 'ROLLBACK TO SAVEPOINT part_1': error })
      const undone = transaction.nest(() => Promise.reject(new Error('undone')))
      await expect(undone).rejects.toThrow('undone')
      const expected = typeof code === 'string' ? code : expect.stringMatching(code)
      expect(await codeOf(query(transaction, 'later'))).toEqual(expected)
      expect(await codeOf(transaction.commit())).toEqual(expected)
      expect(sent.at(-1)).toBe('destroy')
      expect(sent).not.toContain('later')
    }
  })
})

describe('the end of a transaction', () => {
  it('happens once', async () => {
    const { transaction, sent } = begin()
    await transaction.commit()
    await transaction.commit()
    await transaction.rollback()
    expect(sent.filter((text) => text === 'COMMIT')).toHaveLength(1)
    expect(sent).not.toContain('ROLLBACK')
    const other = begin()
    await other.transaction.rollback()
    await other.transaction.rollback()
    await other.transaction.commit()
    expect(other.sent).toEqual(['BEGIN', 'SET', 'ROLLBACK', 'release'])
  })

  it('happens once, even if its commit waits for a nested transaction', async () => {
    for (const end of ['commit', 'rollback'] as const) {
      const { transaction, sent } = begin()
      const leave = gate()
      void transaction.nest(() => leave.opened).catch(() => undefined)
      await turns(5)
      const ends = [transaction.commit(), transaction[end]()]
      leave.open()
      await Promise.all(ends)
      const conclusions = sent.filter((text) => ['COMMIT', 'ROLLBACK', 'release'].includes(text))
      expect(conclusions).toEqual([end.toUpperCase(), 'release'])
    }
  })

  it('closes a connection whose statement is still running', async () => {
    const { transaction, sent, query } = begin({ slow: new Promise<never>(() => {}) })
    await query(transaction, 'first')
    void query(transaction, 'slow')
    await transaction.rollback()
    expect(sent.slice(-2)).toEqual(['slow', 'destroy'])
  })

  it('closes a connection that cannot be rolled back', async () => {
    const { transaction, sent } = begin({ ROLLBACK: refused() })
    await transaction.rollback()
    expect(sent.slice(-2)).toEqual(['ROLLBACK', 'destroy'])
  })

  it('is a rollback if a statement was refused, and the refusal is the cause', async () => {
    const cause = refused()
    const { transaction, sent, query } = begin(
      { first: cause, second: refused('25P02') },
      { COMMIT: 'ROLLBACK' },
    )
    await query(transaction, 'first').catch(() => undefined)
    const second = query(transaction, 'second')
    await expect(second).rejects.toMatchObject({ code: '25P02', cause })
    await expect(second).rejects.toThrow(/^Nothing was saved: PostgreSQL refused a statement/)
    await expect(transaction.commit()).rejects.toMatchObject({ cause })
    expect(sent.slice(-2)).toEqual(['COMMIT', 'release'])
  })

  it('returns the connection if the server refuses the commit', async () => {
    const { transaction, sent } = begin({ COMMIT: refused('23503') })
    expect(await codeOf(transaction.commit())).toBe('23503')
    expect(sent.slice(-3)).toEqual(['COMMIT', 'ROLLBACK', 'release'])
  })
})

async function pass(ms: number) {
  vi.advanceTimersByTime(ms)
  await turns(5)
}
