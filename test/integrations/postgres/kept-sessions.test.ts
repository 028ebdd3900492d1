import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KeptSessions } from '../../../src/integrations/postgres/drivers/kept-sessions.js'
import type { PgSession } from '../../../src/integrations/postgres/drivers/pg-session.js'

/** What is kept is not used here. */
const session = () => ({ place: 'lent' }) as PgSession

/** A sweep, and the turn of the event loop in which it runs. */
const SWEEP_MS = 1001

describe('connections that the driver keeps for the next user', () => {
  const given: PgSession[] = []
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    given.length = 0
  })
  const keep = () => new KeptSessions((each) => void given.push(each))

  it('are taken, the one that was used last first', () => {
    const kept = keep()
    const [first, second] = [session(), session()]
    kept.put(first)
    kept.put(second)
    expect([kept.take(), kept.take(), kept.take()]).toEqual([second, first, undefined])
  })

  it('are given back when they were not used for two sweeps', async () => {
    const kept = keep()
    const [idle, used] = [session(), session()]
    kept.put(idle)
    kept.put(used)
    await vi.advanceTimersByTimeAsync(SWEEP_MS)
    expect(kept.take()).toBe(used)
    kept.put(used)
    await vi.advanceTimersByTimeAsync(SWEEP_MS)
    expect(given).toEqual([idle])
    await vi.advanceTimersByTimeAsync(SWEEP_MS)
    expect(given).toEqual([idle, used])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are given back at once when the driver closes, and no timer remains', () => {
    const kept = keep()
    const only = session()
    kept.put(only)
    kept.clear()
    expect(given).toEqual([only])
    expect(kept.take()).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are forgotten when they were closed meanwhile', async () => {
    const kept = keep()
    const gone = session()
    kept.put(gone)
    kept.remove(gone)
    await vi.advanceTimersByTimeAsync(3000)
    expect([kept.take(), given]).toEqual([undefined, []])
  })
})
