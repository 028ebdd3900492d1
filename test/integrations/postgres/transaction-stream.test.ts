import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TransactionStream } from '../../../src/integrations/postgres/sessions/transaction-stream.js'
import { turns } from '../../journeys/turns.js'

const DONE = { done: true, value: undefined }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A stream of 1, 2, 3 whose reader may take a second for each, and how its transaction has ended. */
function open() {
  const ends: string[] = []
  const end = (name: string) => async () => void ends.push(name)
  const stream = new TransactionStream({
    idleMs: 1000,
    async *open() {
      yield* [1, 2, 3]
    },
    begin: async () => ({ run: (fn) => fn(), commit: end('commit'), rollback: end('rollback') }),
  })
  return { stream, ends }
}

async function pass(ms: number) {
  vi.advanceTimersByTime(ms)
  await turns(5)
}

describe('the transaction of a stream', () => {
  it('waits for its reader after each item, but not after its end', async () => {
    const { stream, ends } = open()
    for (const value of [1, 2, 3]) {
      expect(await stream.next()).toEqual({ done: false, value })
      await pass(900)
    }
    expect(await stream.next()).toEqual(DONE)
    await pass(5000)
    expect(await stream.next()).toEqual(DONE)
    expect(ends).toEqual(['commit'])
  })

  it('is rolled back once if its reader is late, and the reader gets one error', async () => {
    const { stream, ends } = open()
    await stream.next()
    await pass(1000)
    expect(ends).toEqual(['rollback'])
    await expect(stream.next()).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' })
    expect([await stream.next(), await stream.return()]).toEqual([DONE, DONE])
    await pass(5000)
    expect(ends).toEqual(['rollback'])
  })
})
