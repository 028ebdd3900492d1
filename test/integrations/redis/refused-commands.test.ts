import { memoryRateLimit } from 'blazon'
import { redisCache, redisIdempotency, redisLimits, redisSessions } from 'blazon/redis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { FakeClient, fakeDeadlines, type Reply, stoppedContext } from './fake-client.js'
import { entry } from './support.js'

const MINUTE = 60_000
const RUN_ID = 'run_id:a1'
const count = { key: 'ip', limit: 5, windowMs: MINUTE }

afterEach(() => {
  vi.useRealTimers()
})

/** The replies of a server that has run the entries of this cache before, and these replies for some commands. */
function server(replies: Readonly<Record<string, Reply>> = {}): Reply {
  return (words) => {
    const [command = ''] = words
    const own = replies[command]
    if (own !== undefined) return own(words)
    if (command === 'INFO') return RUN_ID
    if (command === 'GET') return 'a1'
    return command === 'SCAN' ? ['0', []] : null
  }
}

async function openCache(replies: Readonly<Record<string, Reply>> = {}) {
  const client = FakeClient.connected(server(replies))
  const cache = redisCache({ client: client.own, timeout: '1s' })
  const { context, clock, logged } = await stoppedContext()
  await cache.open?.(context)
  await turns()
  const sent = client.take()
  return { client, cache, clock, logged, sent }
}

const OOM = new Error('OOM command not allowed when used memory is above maxmemory')

describe('a cache whose Redis server refuses commands', () => {
  it('logs a refused entry once, and again after the server has stored an entry', async () => {
    const { client, cache, logged } = await openCache()
    const set = () => cache.set('a', entry('a'), MINUTE)
    const refused = {
      level: 'warn',
      facts: { reason: 'OOM' },
      message: 'Redis refused to store a cached value.',
    }
    client.reply = server({ SET: () => OOM })
    for (let i = 0; i < 3; i++) await set()
    expect(logged).toEqual([refused])
    client.reply = server()
    await set()
    client.reply = server({ SET: () => OOM })
    for (let i = 0; i < 2; i++) await set()
    expect(logged).toEqual([refused, refused])
    // Nothing was stored, so there is nothing to delete later.
    expect(client.sent.filter((command) => !command.startsWith('SET'))).toEqual([])
  })

  it('reads nothing after a refused deletion, and tries it again every second', async () => {
    const { client, cache, clock, logged } = await openCache()
    client.reply = server({ UNLINK: () => new Error('NOPERM no permissions') })
    expect(await cache.delete('a')).toBe(false)
    await turns()
    expect(logged).toEqual([
      {
        level: 'warn',
        facts: { reason: 'NOPERM' },
        message:
          'Redis refused to delete cached values: no cached value is read until it deletes them.',
      },
    ])
    client.take()
    expect(await cache.get('a')).toBeUndefined()
    await clock.advance('999ms')
    expect(client.take()).toEqual([])
    await clock.advance('1ms')
    expect(client.take()).toEqual(['UNLINK blazon:cache:a'])
    client.reply = server()
    await clock.advance('1s')
    expect(client.take()).toEqual(['UNLINK blazon:cache:a'])
    await cache.get('a')
    expect(client.take()).toHaveLength(1)
    expect(logged).toHaveLength(1)
  })

  it('returns no entry and versions that match no entry if a read fails', async () => {
    const { client, cache } = await openCache()
    client.reply = server({ MGET: () => new Error('ERR busy'), GETRANGE: () => OOM })
    const tags = ['a', 'b']
    const found = await cache.getTagged?.('key', tags)
    expect([found?.entry, found?.versions.length]).toEqual([undefined, 2])
    const versions = [...(found?.versions ?? []), ...(await cache.versions(tags))]
    expect(new Set(versions).size).toBe(4)
    expect(await cache.get('key')).toBeUndefined()
    client.take()
    expect(await cache.versions([])).toEqual([])
    expect(client.take()).toEqual([])
    await cache.close?.()
    const closed = await cache.getTagged?.('key', tags)
    expect([closed?.entry, new Set(closed?.versions).size]).toEqual([undefined, 2])
    expect(client.take()).toEqual([])
  })

  it('creates the version of a tag once for all processes', async () => {
    const { client, cache } = await openCache()
    client.reply = server({ MGET: () => [null, null], GET: () => 'theirs', SET: () => null })
    expect(await cache.getTagged?.('key', ['a'])).toEqual({
      entry: undefined,
      versions: ['theirs'],
    })
    expect(client.take()).toEqual([
      'MGET blazon:cache:key blazon:tag:a',
      expect.stringMatching(/^SET blazon:tag:a [\w-]{12} NX PX 2592000000$/),
      'GET blazon:tag:a',
    ])
  })

  it('deletes later what it could not clear', async () => {
    const { client, cache, clock } = await openCache()
    client.reply = server({ SCAN: () => new Error('ERR busy') })
    await cache.clear('acme:')
    await turns()
    client.reply = server()
    client.take()
    await clock.advance('1s')
    expect(client.take()).toEqual(['SCAN 0 MATCH blazon:cache:acme:* COUNT 1000'])
  })

  it('keeps its entries if the server does not report its run ID', async () => {
    const { client, cache, sent } = await openCache({ INFO: () => new Error('NOPERM no') })
    expect(sent).toEqual(['INFO server'])
    await cache.get('a')
    expect(client.take()).toEqual(['GETRANGE blazon:cache:a 0 1114118'])
  })

  it('deletes the entries of another server, even if it cannot store the run ID', async () => {
    const { client, cache, sent } = await openCache({ GET: () => 'b2', SET: () => OOM })
    expect(sent).toEqual([
      'INFO server',
      'GET blazon:origin',
      'SCAN 0 MATCH blazon:cache:* COUNT 1000',
      'SET blazon:origin a1 PX 2592000000',
    ])
    await cache.get('a')
    expect(client.take()).toHaveLength(1)
  })

  it('checks the server again if the connection was replaced during the check', async () => {
    let answer: (id: string) => void = () => {}
    const client = FakeClient.connected(
      server({
        INFO: () =>
          new Promise((resolve) => {
            answer = resolve
          }),
      }),
    )
    const cache = redisCache({ client: client.own, timeout: '10s' })
    const opening = cache.open?.((await stoppedContext()).context)
    await turns()
    client.lose(new Error('cut'))
    client.beReady()
    answer(RUN_ID)
    await turns()
    expect(client.sent.filter((command) => command === 'INFO server')).toHaveLength(2)
    answer(RUN_ID)
    await opening
    await cache.get('a')
    expect(client.sent.at(-1)).toContain('GETRANGE')
  })

  it('checks the server and runs deletions before its start completes', async () => {
    const { client, sent } = await openCache()
    expect(sent).toEqual(['INFO server', 'GET blazon:origin'])
    expect(client.sent).toEqual([])
  })
})

describe('a Redis server without the scripts of a store', () => {
  const NOSCRIPT = new Error('NOSCRIPT No matching script. Please use EVAL.')

  it('receives the text of a script once, with the same arguments', async () => {
    const client = FakeClient.connected(([command]) =>
      command === 'EVALSHA' ? NOSCRIPT : command === 'EVAL' ? ['usedAt', '1'] : null,
    )
    const store = redisSessions({ client: client.own, timeout: '1s' })
    await store.open?.((await stoppedContext()).context)
    expect(await store.read('id')).toMatchObject({ id: 'id', usedAt: 1 })
    expect(client.take()).toEqual([
      expect.stringMatching(/^EVALSHA [\da-f]{40} 1 blazon:session:id$/),
      "EVAL return redis.call('HGETALL', KEYS[1]) 1 blazon:session:id",
    ])
    client.reply = () => new Error('ERR other')
    await expect(store.read('id')).rejects.toThrow('ERR other')
    expect(client.take()).toHaveLength(1)
    await store.close?.()
  })

  it('counts a request exactly once, by the text of the script or by the fallback', async () => {
    const fallback = { consume: () => ({ isAllowed: true, remaining: 77, resetMs: 1 }) }
    const client = FakeClient.connected(([command]) =>
      command === 'EVALSHA' ? NOSCRIPT : [5, 1234],
    )
    const limits = redisLimits({ client: client.own, timeout: '1s', fallback })
    await limits.open?.((await stoppedContext()).context)
    expect(await limits.consume(count)).toEqual({ isAllowed: true, remaining: 0, resetMs: 1234 })
    expect(client.take()).toEqual([
      expect.stringMatching(/^EVALSHA [\da-f]{40} 1 blazon:limit:ip 60000$/),
      expect.stringMatching(/^EVAL local used[\s\S]+ 1 blazon:limit:ip 60000$/),
    ])
    client.reply = ([command]) => (command === 'EVALSHA' ? NOSCRIPT : new Error('ERR no'))
    expect(await limits.consume(count)).toMatchObject({ remaining: 77 })
    expect(client.take()).toHaveLength(2)
    client.reply = () => new Error('OOM')
    expect(await limits.consume(count)).toMatchObject({ remaining: 77 })
    expect(client.take()).toHaveLength(1)
    await limits.close?.()
  })
})

describe('rate limits whose Redis server does not reply', () => {
  it('are counted by the fallback after 50 ms, which is opened and closed once', async () => {
    const pass = fakeDeadlines()
    const calls: string[] = []
    const fallback = {
      ...memoryRateLimit(),
      open: () => void calls.push('open'),
      close: () => void calls.push('close'),
      consume: () => ({ isAllowed: false, remaining: 3, resetMs: 1 }),
    }
    const client = FakeClient.connected(() => new Promise(() => {}))
    const limits = redisLimits({ client: client.own, fallback })
    await limits.open?.((await stoppedContext()).context)
    const counted = vi.fn()
    void Promise.resolve(limits.consume(count)).then(counted)
    await pass(49)
    expect(counted).not.toHaveBeenCalled()
    await pass(1)
    expect(counted).toHaveBeenCalledWith({ isAllowed: false, remaining: 3, resetMs: 1 })
    // The next request does not wait.
    expect(limits.consume(count)).toMatchObject({ remaining: 3 })
    await limits.close?.()
    await limits.close?.()
    expect(calls).toEqual(['open', 'close'])
  })

  it('are not checked before they are opened', async () => {
    const limits = redisLimits({ client: FakeClient.connected().own })
    await limits.check?.()
    await limits.close?.()
    await expect(Promise.resolve(redisCache().check?.())).rejects.toThrow('not available')
  })

  it('use the fallback for a window and a limit as they are', async () => {
    const client = FakeClient.connected(() => [6, 10])
    const limits = redisLimits({ client: client.own, timeout: '1s' })
    await limits.open?.((await stoppedContext()).context)
    expect(await limits.consume({ ...count, windowMs: 0.2 })).toEqual({
      isAllowed: false,
      remaining: 0,
      resetMs: 10,
    })
    expect(client.take()[0]).toMatch(/ 1 blazon:limit:ip 1$/)
    await limits.close?.()
  })
})

describe('an idempotency record without a Redis server', () => {
  it('cannot be claimed, so the request is refused with 503 and Retry-After', async () => {
    const store = redisIdempotency({ client: FakeClient.connected().own })
    const claimed = await Promise.resolve(store.claim('key', MINUTE)).catch((error) => error)
    expect(claimed).toMatchObject({
      status: 503,
      code: 'IDEMPOTENCY_UNAVAILABLE',
      headers: { 'Retry-After': '1' },
      cause: { message: 'Redis is not available.' },
    })
  })

  it('is not stored, which is logged, but does not fail the request', async () => {
    const client = FakeClient.connected(() => '')
    const store = redisIdempotency({ client: client.own, timeout: '1s' })
    const { context, logged } = await stoppedContext()
    await store.open?.(context)
    const claim = await store.claim('key', MINUTE)
    if (claim.state !== 'claimed') throw new Error(claim.state)
    for (const reply of [() => 0, () => new Error('OOM full')]) {
      client.reply = reply
      await claim.keep('{}')
    }
    const message =
      'The response of an @Idempotent() route was not stored, so a repeated request can run the handler again.'
    expect(logged.map(({ level, message }) => [level, message])).toEqual([
      ['warn', message],
      ['warn', message],
    ])
    expect(logged.map(({ facts }) => String((facts as { err?: unknown }).err))).toEqual([
      'Error: The key no longer belongs to this request.',
      'Error: OOM full',
    ])
    await store.close?.()
  })
})
