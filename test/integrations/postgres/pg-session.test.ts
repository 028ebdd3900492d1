import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { type Flight, LIMIT_MS, open, query, refusal } from './fake-session.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

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
