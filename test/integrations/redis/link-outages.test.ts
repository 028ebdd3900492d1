import { type RedisOptions, redisIdempotency, redisSessions } from 'blazon/redis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { FakeClient, fakeDeadlines, lateReply, stoppedContext } from './fake-client.js'

const TIMEOUT_MS = 50
const PROOF = 'UNLINK blazon:unused'
const LOST = Object.assign(new Error('read'), { code: 'ECONNRESET' })

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Opens a store on a client. `isUsed` tells whether a command would be sent, without sending any. */
async function openOn(client: FakeClient, options: RedisOptions = {}) {
  const store = redisSessions({ client: client.own, timeout: `${TIMEOUT_MS}ms`, ...options })
  const { context, clock, logged } = await stoppedContext()
  await store.open?.(context)
  await turns()
  client.take()
  const outcome = () =>
    Promise.resolve(store.check?.()).then(
      () => 'up',
      (error: Error) => error.message,
    )
  return { store, context, clock, logged, outcome }
}

const DOWN = 'Redis is not available.'

describe('an outage of Redis', () => {
  it('is logged once when it begins and once when it ends, with its duration in seconds', async () => {
    const client = FakeClient.connected()
    const { clock, logged, outcome } = await openOn(client)
    for (const [pause, seconds] of [
      ['89499ms', 89],
      ['1500ms', 2],
    ] as const) {
      logged.length = 0
      client.lose(LOST)
      client.lose(new Error('again'))
      expect(await outcome()).toBe(DOWN)
      await clock.advance(pause)
      client.beReady()
      expect(await outcome()).toBe('up')
      expect(logged).toEqual([
        {
          level: 'warn',
          facts: { reason: 'ECONNRESET' },
          message: expect.stringMatching(/^Redis is not available: .*are refused\.$/),
        },
        { level: 'info', facts: { seconds }, message: 'Redis is available again.' },
      ])
    }
  })

  it('does not begin with an error of a connection that is still ready', async () => {
    const client = FakeClient.connected()
    const { logged, outcome } = await openOn(client)
    client.emit('error', LOST)
    client.emit('node-error', LOST)
    expect(await outcome()).toBe('up')
    expect(logged).toEqual([])
  })

  it('begins with the error of a node of a cluster, and ends when the node is ready', async () => {
    const client = FakeClient.connected()
    const { logged, outcome } = await openOn(client)
    client.isReady = false
    client.emit('node-error', LOST)
    expect(logged.map(({ facts }) => facts)).toEqual([{ reason: 'ECONNRESET' }])
    client.isReady = true
    expect(await outcome()).toBe(DOWN)
    client.beReady()
    expect(await outcome()).toBe('up')
  })

  it('is logged again if the store was closed during it and is opened again', async () => {
    const client = FakeClient.connected()
    const { store, context, logged, outcome } = await openOn(client)
    client.lose(LOST)
    await store.close?.()
    client.isReady = true
    await store.open?.(context)
    expect(await outcome()).toBe('up')
    client.lose(LOST)
    expect(logged.map(({ level }) => level)).toEqual(['warn', 'warn'])
  })
})

describe('a Redis server that cannot do its work', () => {
  const replies = [
    'READONLY You can not write against a read only replica.',
    'LOADING Redis is loading the dataset in memory',
    'MASTERDOWN Link with MASTER is down',
    'CLUSTERDOWN Hash slot not served',
    'NOAUTH Authentication required.',
    'NOREPLICAS Not enough good replicas to write.',
    'ERR Error running script (call to f_1): @user_script:1: -READONLY You can not write',
  ]

  it.each(replies)(
    'is asked again every ten seconds until it accepts a write: %s',
    async (text) => {
      const client = FakeClient.connected(() => new Error(text))
      const { clock, logged, outcome } = await openOn(client)
      expect(await outcome()).toBe(DOWN)
      expect(client.take()).toEqual([PROOF])
      for (let round = 0; round < 2; round++) {
        await clock.advance('9999ms')
        expect(await outcome()).toBe(DOWN)
        expect(client.take()).toEqual([])
        await clock.advance('1ms')
        expect(client.take()).toEqual([PROOF])
      }
      client.reply = () => null
      await clock.advance('10s')
      expect(await outcome()).toBe('up')
      const reason = /(\w+) You/.exec(text)?.[1] ?? text.split(' ')[0]
      expect(logged.map(({ facts }) => facts)).toEqual([{ reason }, { seconds: 30 }])
      expect(client.connections).toEqual([])
    },
  )

  it('causes a new connection if the application has not connected the client', async () => {
    const pass = fakeDeadlines()
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const client = new FakeClient()
    const { logged, outcome } = await openOn(client)
    client.connections.length = 0
    client.reply = () => new Error('READONLY You can not write against a read only replica.')
    expect(await outcome()).toBe(DOWN)
    await turns()
    expect(client.connections.splice(0)).toEqual(['destroy', 'connect'])
    for (const pause of [50, 100, 200]) {
      await pass(pause - 1)
      expect([await outcome(), client.connections]).toEqual([DOWN, []])
      await pass(1)
      expect(client.connections.splice(0)).toEqual(['destroy', 'connect'])
    }
    client.reply = () => null
    await pass(400)
    expect(await outcome()).toBe('up')
    expect(logged.map(({ level }) => level)).toEqual(['warn', 'info'])
    // The pauses of the next outage are short again.
    client.reply = () => new Error('READONLY You can not write against a read only replica.')
    expect(await outcome()).toBe(DOWN)
    await turns()
    client.connections.length = 0
    await pass(50)
    expect(client.connections).toEqual(['destroy', 'connect'])
  })

  it('is not used if it accepts a write after the store has closed', async () => {
    const proof = lateReply()
    const client = new FakeClient()
    const { store, logged, outcome } = await openOn(client)
    const replies = [new Error('READONLY You can not write'), proof.reply]
    client.reply = () => replies.shift()
    expect(await outcome()).toBe(DOWN)
    await turns()
    expect(replies).toEqual([])
    await store.close?.()
    proof.arrive()
    await turns()
    expect(await outcome()).toBe(DOWN)
    expect(logged.map(({ level }) => level)).toEqual(['warn'])
  })

  it('is unsuitable from the start if the login of the connection fails', async () => {
    const client = FakeClient.connected()
    const { outcome, clock } = await openOn(client)
    client.lose(new Error('NOAUTH Authentication required.'))
    client.reply = () => new Error('NOAUTH Authentication required.')
    client.beReady()
    await turns()
    expect(client.take()).toEqual([PROOF])
    expect([await outcome(), client.take()]).toEqual([DOWN, []])
    client.reply = () => null
    await clock.advance('10s')
    expect(await outcome()).toBe('up')
  })

  it('is usable if only the command of the check is not permitted', async () => {
    const client = FakeClient.connected(() => new Error('NOPERM this user has no permissions'))
    const { outcome } = await openOn(client)
    expect(await outcome()).toBe('up')
    client.reply = () => new Error('ERR unknown command')
    expect(await outcome()).toBe('ERR unknown command')
    expect(client.take()).toEqual([PROOF, PROOF])
  })
})

describe('a late reply of Redis', () => {
  it('lets no command through until it arrives, and is no outage', async () => {
    const pass = fakeDeadlines()
    const late = lateReply()
    const client = FakeClient.connected(() => late.reply)
    const { logged, outcome } = await openOn(client)
    const first = outcome()
    await pass(TIMEOUT_MS - 1)
    const isOver = vi.fn()
    void first.then(isOver)
    await turns()
    expect(isOver).not.toHaveBeenCalled()
    await pass(1)
    expect(await first).toBe(DOWN)
    expect(await outcome()).toBe(DOWN)
    expect(client.take()).toHaveLength(1)
    client.reply = () => null
    late.arrive()
    await turns()
    expect(await outcome()).toBe('up')
    expect(logged).toEqual([])
  })

  it('is not late if it arrives while the process is busy', async () => {
    const pass = fakeDeadlines()
    const late = lateReply()
    const client = FakeClient.connected(() => late.reply)
    const { outcome } = await openOn(client)
    const first = outcome()
    await turns()
    vi.advanceTimersByTime(TIMEOUT_MS)
    late.arrive()
    await pass(0)
    expect(await first).toBe('up')
  })

  it('that fails lets commands through again, too', async () => {
    const pass = fakeDeadlines()
    const late = lateReply()
    const client = FakeClient.connected(() => late.reply)
    const { outcome } = await openOn(client)
    const first = outcome()
    await pass(TIMEOUT_MS)
    expect(await first).toBe(DOWN)
    client.reply = () => null
    late.arrive(new Error('ERR late'))
    await turns()
    expect(await outcome()).toBe('up')
  })

  it('of a connection that was replaced has no effect on the new connection', async () => {
    const pass = fakeDeadlines()
    const [old, next] = [lateReply(), lateReply()]
    const client = new FakeClient()
    const { outcome, clock } = await openOn(client)
    client.reply = ([command]) => (command === 'UNLINK' ? old.reply : null)
    const first = outcome()
    await pass(TIMEOUT_MS)
    expect(await first).toBe(DOWN)
    // The link gives the connection up.
    await clock.advance('10s')
    client.reply = ([command]) => (command === 'UNLINK' ? next.reply : null)
    const second = outcome()
    await pass(TIMEOUT_MS)
    expect(await second).toBe(DOWN)
    old.arrive()
    await turns()
    expect(await outcome()).toBe(DOWN)
    next.arrive()
    await turns()
    client.reply = () => null
    expect(await outcome()).toBe('up')
  })

  it('causes a new connection after ten seconds, which ends the old one on the server', async () => {
    const pass = fakeDeadlines()
    const client = new FakeClient()
    const info = 'id=7 addr=10.0.0.1:5000 laddr=10.0.0.2:6379 name='
    client.reply = ([, word]) => (word === 'INFO' ? info : null)
    const { outcome, clock, logged } = await openOn(client)
    client.reply = () => lateReply().reply
    const first = outcome()
    await pass(TIMEOUT_MS)
    expect(await first).toBe(DOWN)
    client.take()
    client.connections.length = 0
    client.reply = () => null
    await clock.advance('9999ms')
    expect([client.connections, logged]).toEqual([[], []])
    await clock.advance('1ms')
    expect(client.connections).toEqual(['destroy', 'connect'])
    expect(client.take()).toEqual(['CLIENT KILL ID 7 ADDR 10.0.0.1:5000', 'CLIENT INFO'])
    expect(logged.map(({ facts }) => facts)).toEqual([
      { reason: 'no reply in time' },
      { seconds: 0 },
    ])
    expect(await outcome()).toBe('up')
  })

  it('is awaited further on a connection of the application', async () => {
    const pass = fakeDeadlines()
    const late = lateReply()
    const client = FakeClient.connected(() => late.reply)
    const { outcome, clock, logged } = await openOn(client)
    const first = outcome()
    await pass(TIMEOUT_MS)
    await first
    await clock.advance('10s')
    await clock.advance('10s')
    expect(client.connections).toEqual([])
    late.arrive()
    await turns()
    client.reply = () => null
    expect(await outcome()).toBe('up')
    expect(logged.map(({ facts }) => facts)).toEqual([
      { reason: 'no reply in time' },
      { seconds: 10 },
    ])
  })
})

describe('five late replies of Redis', () => {
  async function openLate(count: number) {
    const pass = fakeDeadlines()
    const late = lateReply()
    const client = FakeClient.connected(() => late.reply)
    const opened = await openOn(client)
    const outcomes = Array.from({ length: count }, opened.outcome)
    await pass(TIMEOUT_MS)
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set([DOWN]))
    client.reply = () => null
    late.arrive()
    await turns()
    client.take()
    return { client, ...opened }
  }

  it('end the use of the server until it replies to a ping, ten seconds later', async () => {
    const { client, clock, logged, outcome } = await openLate(5)
    expect(logged.map(({ facts }) => facts)).toEqual([{ reason: 'no replies in time' }])
    expect(await outcome()).toBe(DOWN)
    await clock.advance('9999ms')
    client.reply = () => new Error('ERR busy')
    await clock.advance('1ms')
    expect(await outcome()).toBe(DOWN)
    expect(client.take()).toEqual(['PING'])
    client.reply = () => 'PONG'
    await clock.advance('10s')
    expect(client.take()).toEqual(['PING'])
    expect(await outcome()).toBe('up')
    expect(logged.slice(1).map(({ facts }) => facts)).toEqual([{ seconds: 20 }])
  })

  it('are not reached with four', async () => {
    const { logged, outcome } = await openLate(4)
    expect(await outcome()).toBe('up')
    expect(logged).toEqual([])
  })
})

describe('the default wait for a reply of Redis', () => {
  it('is 500 ms for sessions and idempotency records', async () => {
    for (const make of [redisSessions, redisIdempotency]) {
      const pass = fakeDeadlines()
      const client = FakeClient.connected(() => new Promise(() => {}))
      const store = make({ client: client.own })
      await store.open?.((await stoppedContext()).context)
      const over = vi.fn()
      void Promise.resolve(store.check?.()).catch(over)
      await pass(499)
      expect(over).not.toHaveBeenCalled()
      await pass(1)
      expect(over).toHaveBeenCalledOnce()
      vi.useRealTimers()
    }
  })
})
