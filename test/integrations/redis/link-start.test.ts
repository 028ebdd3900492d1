import { type RedisCluster, redisCache, redisSessions } from 'blazon/redis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { FakeClient, fakeDeadlines, stoppedContext } from './fake-client.js'

const REFUSED = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Begins to open a store on a client. */
async function begin(client: FakeClient, timeout = '50ms') {
  const store = redisSessions({ client: client.own, timeout })
  const { context, clock, logged } = await stoppedContext()
  const opened = vi.fn()
  const opening = Promise.resolve(store.open?.(context)).then(opened)
  await turns()
  return { store, context, clock, logged, opened, opening }
}

describe('the start of a Redis store', () => {
  it('waits for the first connection, but at most one second', async () => {
    const pass = fakeDeadlines()
    const client = new FakeClient()
    client.onConnect = () => new Promise(() => {})
    const { opened, store } = await begin(client)
    await pass(999)
    expect(opened).not.toHaveBeenCalled()
    await pass(1)
    expect(opened).toHaveBeenCalled()
    client.beReady()
    await store.check?.()
    await store.close?.()
  })

  it('ends with the first error of the connection', async () => {
    fakeDeadlines()
    const client = new FakeClient()
    client.onConnect = () => new Promise(() => {})
    const { opened, logged } = await begin(client)
    expect(opened).not.toHaveBeenCalled()
    client.lose(REFUSED)
    await turns()
    expect(opened).toHaveBeenCalled()
    expect(logged.map(({ facts }) => facts)).toEqual([{ reason: 'ECONNREFUSED' }])
  })

  it('tries again after longer and longer pauses if the client gives up', async () => {
    const pass = fakeDeadlines()
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const client = new FakeClient()
    client.onConnect = () => Promise.reject(REFUSED)
    const { opened, store, logged } = await begin(client)
    expect(opened).toHaveBeenCalled()
    for (const pause of [50, 100, 200, 400, 800, 1600, 2000, 2000]) {
      client.connections.length = 0
      await pass(pause - 1)
      expect(client.connections).toEqual([])
      await pass(1)
      expect(client.connections).toEqual(['connect', 'destroy'])
    }
    expect(logged).toHaveLength(1)
    client.onConnect = () => client.beReady()
    await pass(2000)
    await store.check?.()
    await store.close?.()
  })

  it('tries no more if the store is closed during a pause', async () => {
    const pass = fakeDeadlines()
    const client = new FakeClient()
    client.onConnect = () => Promise.reject(REFUSED)
    const { store } = await begin(client)
    await store.close?.()
    client.connections.length = 0
    await pass(5000)
    expect(client.connections).toEqual([])
  })

  it.each<[string, (client: FakeClient) => void]>([
    ['succeeds', () => {}],
    [
      'fails',
      () => {
        throw REFUSED
      },
    ],
  ])('has no effect if the store is closed before the connection %s', async (_, end) => {
    const client = new FakeClient()
    let go = () => {}
    client.onConnect = () =>
      new Promise<void>((resolve) => {
        go = resolve
      }).then(() => end(client))
    const { store, logged } = await begin(client)
    await store.close?.()
    expect(client.connections).toEqual(['connect', 'destroy'])
    const rejections: unknown[] = []
    const note = (error: unknown) => rejections.push(error)
    process.on('unhandledRejection', note)
    go()
    await turns()
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
    expect([client.connections.length, client.take(), logged]).toEqual([2, [], []])
    await expect(store.check?.()).rejects.toThrow('Redis is not available.')
  })
})

describe('the end of a Redis store', () => {
  it('cancels the check of the server', async () => {
    const client = FakeClient.connected(() => new Error('READONLY replica'))
    const { store, clock, opening } = await begin(client)
    await opening
    await expect(store.check?.()).rejects.toThrow('Redis is not available.')
    client.take()
    await store.close?.()
    await clock.advance('1m')
    expect(client.take()).toEqual([])
    expect(client.eventNames()).toEqual([])
    expect(client.connections).toEqual([])
  })

  it('has no effect on the checks after another start', async () => {
    const client = FakeClient.connected(() => new Error('READONLY replica'))
    const { store, context, clock, opening } = await begin(client)
    await opening
    await expect(store.check?.()).rejects.toThrow('Redis is not available.')
    await clock.advance('6s')
    await store.close?.()
    await store.open?.(context)
    await expect(store.check?.()).rejects.toThrow('Redis is not available.')
    client.take()
    await clock.advance('9999ms')
    expect(client.take()).toEqual([])
    await clock.advance('1ms')
    expect(client.take()).toEqual(['UNLINK blazon:unused'])
    await store.close?.()
  })

  it('leaves the connection open for other stores with the same options', async () => {
    const client = new FakeClient()
    const options = { client: client.own, timeout: '50ms' }
    const [one, other] = [redisSessions(options), redisSessions(options)]
    const { context } = await stoppedContext()
    await Promise.all([one.open?.(context), other.open?.(context)])
    expect(client.connections).toEqual(['connect'])
    await one.close?.()
    await one.close?.()
    await other.check?.()
    expect(client.connections).toEqual(['connect'])
    await other.close?.()
    expect(client.connections).toEqual(['connect', 'destroy'])
  })

  it('allows another start, which connects again', async () => {
    const client = new FakeClient()
    const { store, context, opening } = await begin(client)
    await opening
    await store.close?.()
    await store.open?.(context)
    await store.check?.()
    expect(client.connections).toEqual(['connect', 'destroy', 'connect'])
    await store.close?.()
  })
})

/** A cluster of two nodes, which notes by which key a command is sent. */
class FakeCluster extends FakeClient {
  slots: unknown[] = [{}, {}]
  readonly nodes = [0, 1].map(() => FakeClient.connected())
  masters: unknown[] = [0, 1]
  readonly routed: unknown[] = []

  async nodeClient(index: number) {
    return this.nodes[index]
  }

  // biome-ignore lint/suspicious/noExplicitAny: a cluster has other arguments than a client
  override async sendCommand(key: any, isReadonly?: unknown, words: readonly unknown[] = []) {
    this.routed.push([key, isReadonly, words[0]])
    return super.sendCommand(words)
  }

  get cluster(): RedisCluster {
    return this as unknown as RedisCluster
  }
}

describe('a Redis cluster', () => {
  it('receives each command by its key, and never reads from a replica', async () => {
    const cluster = new FakeCluster()
    cluster.reply = ([command]) => (command === 'EVALSHA' ? [] : null)
    for (const [id, node] of cluster.nodes.entries())
      node.reply = ([command]) => (command === 'INFO' ? `run_id:${id}` : ['0', []])
    const options = { client: cluster.cluster, timeout: '1s', prefix: 'p:' }
    const [cache, store] = [redisCache(options), redisSessions(options)]
    const { context } = await stoppedContext()
    await cache.open?.(context)
    await store.open?.(context)
    await turns()
    cluster.routed.length = 0
    await cache.get('a')
    await cache.getTagged?.('b', [])
    await store.read('id')
    expect(cluster.routed).toEqual([
      ['p:cache:a', false, 'GETRANGE'],
      ['p:cache:b', false, 'GET'],
      ['p:session:id', false, 'EVALSHA'],
    ])
    await cache.close?.()
    await store.close?.()
  })

  it('keeps its entries in any order of its nodes, and clears them on each node', async () => {
    const cluster = new FakeCluster()
    cluster.reply = ([command]) => (command === 'GET' ? 'one two' : null)
    for (const [index, node] of cluster.nodes.entries())
      node.reply = ([command]) =>
        command === 'INFO' ? `# Server\r\nrun_id:${['one', 'two'][index]}\r\n` : ['0', []]
    cluster.masters = [1, 0]
    const cache = redisCache({ client: cluster.cluster, timeout: '1s' })
    await cache.open?.((await stoppedContext()).context)
    await turns()
    expect(cluster.nodes.map((node) => node.take())).toEqual([['INFO server'], ['INFO server']])
    await cache.clear('a')
    const scan = ['SCAN 0 MATCH blazon:cache:a* COUNT 1000']
    expect(cluster.nodes.map((node) => node.take())).toEqual([scan, scan])
    await cache.close?.()
  })

  it('is not used while a slot has no server', async () => {
    const pass = fakeDeadlines()
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const cluster = new FakeCluster()
    cluster.onConnect = () => {
      cluster.isReady = true
    }
    // A hole, as node-redis leaves for a slot without a server.
    cluster.slots = [{}]
    cluster.slots.length = 2
    const { store, logged } = await begin(cluster)
    expect(logged.map(({ facts }) => facts)).toEqual([{ reason: 'CLUSTERDOWN' }])
    await expect(store.check?.()).rejects.toThrow('Redis is not available.')
    cluster.slots = [{}, {}]
    await pass(50)
    // A server has to accept a write first.
    expect(cluster.take()).toEqual(['UNLINK blazon:unused'])
    await store.check?.()
    expect(cluster.nodes.flatMap((node) => node.take())).toEqual([])
    await store.close?.()
  })
})
