import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Allowance, Deadline } from '../../../src/integrations/postgres/drivers/deadline.js'
import { Lending } from '../../../src/integrations/postgres/drivers/lending.js'
import { turns } from '../../journeys/turns.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

async function pass(ms: number) {
  vi.advanceTimersByTime(ms)
  await turns(5)
}

/** Callers of a pool, and the outcomes of their waits in order. */
function callersOf(lending: Lending) {
  const outcomes: string[] = []
  const take = (name: string, ms = 1000) =>
    void lending
      .take(ms, () => new Error('late'))
      .then(
        () => outcomes.push(`${name} served`),
        (error: Error) => outcomes.push(`${name} ${error.message}`),
      )
  return { outcomes, take }
}

describe('the connections of a pool', () => {
  it('are lent up to their number, and then to the waiting callers in order', async () => {
    const lending = new Lending(2)
    const { outcomes, take } = callersOf(lending)
    for (const name of ['a', 'b', 'c', 'd']) take(name)
    await turns(5)
    expect(outcomes).toEqual(['a served', 'b served'])
    expect(lending.takeNow()).toBe(false)
    expect(lending.usage()).toEqual({ lent: 2, waiting: 2 })
    lending.release()
    await turns(5)
    expect(outcomes.slice(2)).toEqual(['c served'])
    expect(lending.usage()).toEqual({ lent: 2, waiting: 1 })
    for (let count = 0; count < 3; count++) lending.release()
    expect(lending.usage()).toEqual({ lent: 0, waiting: 0 })
    expect(lending.takeNow()).toBe(true)
    // No timer of a caller that was served keeps the process alive.
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are not passed to a caller whose wait has ended', async () => {
    const lending = new Lending(1)
    const { outcomes, take } = callersOf(lending)
    take('a')
    take('b', 500)
    take('c', 2000)
    await pass(499)
    expect(outcomes).toEqual(['a served'])
    await pass(1)
    expect(outcomes).toEqual(['a served', 'b late'])
    lending.release()
    await turns(5)
    expect(outcomes.at(-1)).toBe('c served')
    await pass(5000)
    expect(outcomes).toHaveLength(3)
    lending.release()
    expect(lending.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it('are lent again after all waiting callers were refused', async () => {
    const lending = new Lending(1)
    const { outcomes, take } = callersOf(lending)
    for (const name of ['a', 'b', 'c']) take(name)
    lending.refuse(new Error('closed'))
    await turns(5)
    expect(outcomes).toEqual(['a served', 'b closed', 'c closed'])
    lending.release()
    take('d')
    await turns(5)
    expect(outcomes.at(-1)).toBe('d served')
  })

  it('are idle only when the last one was returned', async () => {
    const lending = new Lending(2)
    await lending.whenIdle()
    lending.takeNow()
    lending.takeNow()
    const done: string[] = []
    void lending.whenIdle().then(() => done.push('one'))
    void lending.whenIdle().then(() => done.push('other'))
    lending.release()
    await turns(5)
    expect(done).toEqual([])
    lending.release()
    await turns(5)
    expect(done).toEqual(['one', 'other'])
  })

  it('are fewer for one second after the server has refused a connection', async () => {
    const lending = new Lending(3)
    const { outcomes, take } = callersOf(lending)
    take('a')
    take('b')
    lending.narrow(1)
    take('c', 9000)
    take('d', 9000)
    await turns(5)
    // Two are lent, and the limit is one.
    lending.release()
    await turns(5)
    expect(outcomes).toEqual(['a served', 'b served'])
    expect(lending.usage()).toEqual({ lent: 1, waiting: 2 })
    await pass(999)
    expect(outcomes).toHaveLength(2)
    // A second refusal does not prolong the second.
    lending.narrow(1)
    await pass(1)
    expect(outcomes.slice(2)).toEqual(['c served', 'd served'])
    expect(lending.usage()).toEqual({ lent: 3, waiting: 0 })
    for (let count = 0; count < 3; count++) lending.release()
    lending.narrow(1)
    take('e')
    take('f', 9000)
    await turns(5)
    expect(outcomes.slice(4)).toEqual(['e served'])
    await pass(1000)
    expect(outcomes.slice(5)).toEqual(['f served'])
  })

  it('are never more than the size of the pool', () => {
    const lending = new Lending(1)
    lending.narrow(5)
    expect([lending.takeNow(), lending.takeNow()]).toEqual([true, false])
  })
})

describe('a deadline', () => {
  it('does not expire if it is cancelled or restarted while its process was busy', async () => {
    const expired: string[] = []
    const deadlines = ['kept', 'cancelled', 'restarted'].map(
      (name) => new Deadline(100, () => expired.push(name)),
    )
    vi.advanceTimersByTime(100)
    deadlines[1]?.cancel()
    deadlines[2]?.restart()
    await turns(5)
    expect(expired).toEqual(['kept'])
    await pass(99)
    expect(expired).toEqual(['kept'])
    await pass(1)
    expect(expired).toEqual(['kept', 'restarted'])
  })
})

it('an allowance is shared by several waits, and never ends at zero', () => {
  const allowance = new Allowance(100)
  expect(allowance.leftMs).toBe(100)
  vi.advanceTimersByTime(60)
  expect(allowance.leftMs).toBe(40)
  vi.advanceTimersByTime(60)
  expect(allowance.leftMs).toBe(1)
})
