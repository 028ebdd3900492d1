import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { type Flight, LIMIT_MS, open, query } from './fake-session.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

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
