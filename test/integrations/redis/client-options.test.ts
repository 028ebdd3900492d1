import { redisCache, redisLimits, redisSessions } from 'blazon/redis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pauseBefore } from '../../../src/integrations/redis/open-client.js'
import { FakeClient, stoppedContext } from './fake-client.js'

afterEach(() => {
  vi.doUnmock('redis')
  vi.restoreAllMocks()
})

/** The options with which a store creates its client. */
async function createdWith(options: object) {
  const created: [name: string, options: object][] = []
  const make = (name: string) => (given: object) => {
    created.push([name, given])
    return new FakeClient()
  }
  vi.doMock('redis', () => ({
    createClient: make('createClient'),
    createCluster: make('createCluster'),
  }))
  const store = redisCache(options)
  await store.open?.((await stoppedContext()).context)
  await store.close?.()
  expect(created).toHaveLength(1)
  return created[0]
}

const DEFAULTS = {
  disableOfflineQueue: true,
  pingInterval: 5000,
  maintNotifications: 'disabled',
  commandOptions: { timeout: 0 },
}
const SOCKET = {
  connectTimeout: 5000,
  socketTimeout: 15_000,
  reconnectStrategy: expect.any(Function),
}

describe('the client of a Redis store', () => {
  it('has defaults, and the default address', async () => {
    expect(await createdWith({})).toEqual([
      'createClient',
      { url: 'redis://127.0.0.1:6379', ...DEFAULTS, socket: SOCKET },
    ])
  })

  it('has the options of the application, which replace defaults one by one', async () => {
    const clientOptions = {
      pingInterval: 7,
      username: 'ada',
      socket: { connectTimeout: 8, tls: 1 },
    }
    expect(await createdWith({ url: 'redis://a:1', clientOptions })).toEqual([
      'createClient',
      {
        url: 'redis://a:1',
        ...DEFAULTS,
        pingInterval: 7,
        username: 'ada',
        socket: { ...SOCKET, connectTimeout: 8, tls: 1 },
      },
    ])
  })

  it('of a cluster has the defaults for each node, and copies of the root nodes', async () => {
    const rootNodes = [{ url: 'redis://a:1', socket: { keepAlive: 1 } }, { url: 'redis://b:2' }]
    const cluster = {
      rootNodes,
      defaults: { password: 'x', socket: { tls: 1 } },
      minimizeConnections: 1,
    }
    const [name, options] = (await createdWith({ cluster })) ?? []
    expect([name, options]).toEqual([
      'createCluster',
      {
        commandOptions: { timeout: 0 },
        minimizeConnections: 1,
        rootNodes: [
          { url: 'redis://a:1', socket: { keepAlive: 1 } },
          { url: 'redis://b:2', socket: {} },
        ],
        defaults: { ...DEFAULTS, password: 'x', socket: { ...SOCKET, tls: 1 } },
      },
    ])
    const [copy] = (options as typeof cluster).rootNodes
    expect(copy).not.toBe(rootNodes[0])
    expect(copy?.socket).not.toBe(rootNodes[0]?.socket)
  })

  it('is shared by stores with the same options object, if its timeout is set', async () => {
    const created: FakeClient[] = []
    const createClient = () => {
      const client = new FakeClient()
      created.push(client)
      return client
    }
    vi.doMock('redis', () => ({ createClient, createCluster: createClient }))
    const { context } = await stoppedContext()
    const open = async (options: object) => {
      created.length = 0
      const stores = [redisCache(options), redisLimits(options), redisSessions(options)]
      for (const store of stores) await (store as { open?(given: object): unknown }).open?.(context)
      for (const store of stores) await store.close?.()
      return created.length
    }
    expect(await open({ timeout: '1s' })).toBe(1)
    expect(await open({})).toBe(2)
  })
})

describe('the pause before an attempt to connect', () => {
  it.each([
    [0, 50],
    [1, 100],
    [5, 1600],
    [6, 2000],
    [5000, 2000],
  ])('number %i is %i ms, and up to 100 ms longer', (attempt, ms) => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5)
    expect([pauseBefore(attempt), pauseBefore(attempt)]).toEqual([ms, ms + 50])
  })
})
