import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TransactionStream } from '../../../src/integrations/postgres/sessions/transaction-stream.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'

const DONE = { done: true, value: undefined }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

interface How {
  readonly begin?: () => Promise<never>
  readonly commit?: () => Promise<never>
  /** What the generator waits for before its first item. */
  readonly wait?: Promise<void>
  /** What the generator waits for after its first item. */
  readonly pause?: Promise<void>
  /** The error of the generator after its first item. */
  readonly failure?: Error
  /** What the generator waits for at its end. */
  readonly end?: Promise<void>
}

/** A stream of 1, 2, 3 whose reader may take a second for each, and how its generator and transaction have ended. */
function open({ begin, commit, wait, pause, failure, end }: How = {}) {
  const ends: string[] = []
  const note = (name: string) => async () => void ends.push(name)
  const rollback = async () => {
    if (ends.at(-1) !== 'rollback') ends.push('rollback')
  }
  let isRead = false
  const stream = new TransactionStream({
    idleMs: 1000,
    async *open() {
      try {
        await wait
        yield 1
        await pause
        if (failure !== undefined) throw failure
        yield* [2, 3]
        isRead = true
      } finally {
        await end
        if (!isRead || commit !== undefined) ends.push('generator')
      }
    },
    begin:
      begin ?? (async () => ({ run: (fn) => fn(), commit: commit ?? note('commit'), rollback })),
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
    expect(ends).toEqual(['generator', 'rollback'])
    await expect(stream.next()).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' })
    expect([await stream.next(), await stream.return()]).toEqual([DONE, DONE])
    await pass(5000)
    expect(ends).toEqual(['generator', 'rollback'])
  })

  it('is committed once for readers that ask at the same time, and ends for all of them', async () => {
    const { stream, ends } = open()
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => stream.next()))
    expect(results.map(({ value }) => value)).toEqual([1, 2, 3, undefined, undefined])
    expect(ends).toEqual(['commit'])
  })

  it('is rolled back if the reader stops, after the end of the generator', async () => {
    for (const stop of ['return', 'throw'] as const) {
      const { stream, ends } = open()
      await stream.next()
      const stopped = stream[stop](new Error('enough')).catch((error: Error) => error.message)
      expect(await stopped).toEqual(stop === 'return' ? DONE : 'enough')
      expect([await stream.next(), ends]).toEqual([DONE, ['generator', 'rollback']])
    }
  })

  it('is rolled back if the generator or the commit fails, and the reader gets the error', async () => {
    const failing = open({ failure: new Error('no') })
    expect(await failing.stream.next()).toMatchObject({ value: 1 })
    await expect(failing.stream.next()).rejects.toThrow('no')
    expect([await failing.stream.next(), failing.ends]).toEqual([DONE, ['generator', 'rollback']])
    const unsaved = open({ commit: () => Promise.reject(new Error('refused')) })
    for (let count = 0; count < 3; count++) await unsaved.stream.next()
    await expect(unsaved.stream.next()).rejects.toThrow('refused')
    expect([await unsaved.stream.next(), unsaved.ends]).toEqual([DONE, ['generator', 'rollback']])
  })

  it('is not begun if it was never read, and not ended if it could not begin', async () => {
    const unread = open()
    expect([await unread.stream.return(), await unread.stream.next()]).toEqual([DONE, DONE])
    expect(unread.ends).toEqual([])
    const busy = open({ begin: () => Promise.reject(new Error('busy')) })
    await expect(busy.stream.next()).rejects.toThrow('busy')
    expect([await busy.stream.next(), busy.ends]).toEqual([DONE, []])
  })

  it('is rolled back without its generator if the reader stops while it begins', async () => {
    const begun = gate()
    let isOpen = false
    const ends: string[] = []
    const stream = new TransactionStream({
      idleMs: 1000,
      async *open() {
        isOpen = true
        yield 1
      },
      async begin() {
        await begun.opened
        const end = (name: string) => async () => void ends.push(name)
        return { run: (fn) => fn(), commit: end('commit'), rollback: end('rollback') }
      },
    })
    const asked = stream.next()
    const stopped = stream.return()
    begun.open()
    expect([await asked, await stopped]).toEqual([DONE, DONE])
    expect([isOpen, ends]).toEqual([false, ['rollback']])
  })

  it('is rolled back immediately while the generator runs, which a reader cannot interrupt', async () => {
    const wait = gate()
    const { stream, ends } = open({ wait: wait.opened })
    const asked = stream.next()
    await turns(5)
    const stopped = stream.return()
    await turns(5)
    expect(ends).toEqual(['rollback'])
    await pass(5000)
    wait.open()
    expect([await asked, await stopped]).toEqual([DONE, DONE])
    expect(ends).toEqual(['rollback', 'generator'])
  })

  it('has no limit while the generator runs', async () => {
    const wait = gate()
    const { stream, ends } = open({ wait: wait.opened })
    const asked = stream.next()
    await pass(5000)
    wait.open()
    expect([await asked, ends]).toEqual([{ done: false, value: 1 }, []])
    await pass(1000)
    expect(ends).toEqual(['generator', 'rollback'])
  })

  it('has no limit while the generator runs between two items', async () => {
    const wait = gate()
    const { stream, ends } = open({ pause: wait.opened })
    await stream.next()
    const asked = stream.next()
    await pass(5000)
    wait.open()
    expect([await asked, ends]).toEqual([{ done: false, value: 2 }, []])
  })

  it('is rolled back in time if the generator does not end', async () => {
    const { stream, ends } = open({ end: new Promise(() => {}) })
    await stream.next()
    void stream.return()
    await turns(5)
    await pass(999)
    expect(ends).toEqual([])
    await pass(1)
    expect(ends).toEqual(['rollback'])
  })
})
