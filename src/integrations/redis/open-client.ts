import { refuseOldPeer } from '../../errors/peer-floor.js'
import { ConfigError } from '../../index.js'
import { type Driver, driverOf, type RedisClient, type RedisCluster } from './driver.js'
import { DEFAULT_URL, type RedisClusterOptions, type RedisOptions } from './redis-options.js'

/** What of `redis` is used. */
interface RedisPackage {
  createClient(options: object): RedisClient
  createCluster(options: object): RedisCluster
}

type Bag = Readonly<Record<string, unknown>>

/** Longest pause between two attempts to connect, in milliseconds. */
const LONGEST_PAUSE_MS = 2000

/** Commands of ours have a deadline of their own; `timeout` would make a signal for each. */
const CLIENT = {
  disableOfflineQueue: true,
  pingInterval: 5000,
  maintNotifications: 'disabled',
  commandOptions: { timeout: 0 },
}

/** A host that accepts a connection and then says nothing is given up; a connection in use is kept by the pings. */
const SOCKET = { connectTimeout: 5000, socketTimeout: 15_000, reconnectStrategy: pauseBefore }

/** How long to wait before an attempt to connect, in milliseconds. Jitter, so that not all of a fleet come at once. */
export function pauseBefore(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) + Math.random() * 100
}

/**
 * A function that makes a new client, not yet connected, each time it is called.
 *
 * @throws ConfigError when `redis` cannot be loaded, or is too old.
 */
export async function clientMaker(options: RedisOptions): Promise<() => Driver> {
  const { client, cluster } = options
  if (client !== undefined) return () => driverOf(client)
  const { createClient, createCluster } = await loadRedis()
  if (cluster !== undefined) return () => driverOf(createCluster(clusterOptions(cluster)))
  const url = options.url ?? DEFAULT_URL
  return () => driverOf(createClient({ url, ...withDefaults(options.clientOptions) }))
}

/** Copies, because node-redis writes into the options it is given. */
function clusterOptions({ rootNodes, defaults, ...options }: RedisClusterOptions): object {
  const copies = rootNodes.map((node) => ({ ...node, socket: { ...(node['socket'] as Bag) } }))
  return {
    commandOptions: { timeout: 0 },
    ...options,
    rootNodes: copies,
    defaults: withDefaults(defaults),
  }
}

function withDefaults(options: Bag = {}): object {
  return { ...CLIENT, ...options, socket: { ...SOCKET, ...(options['socket'] as Bag) } }
}

async function loadRedis(): Promise<RedisPackage> {
  refuseOldPeer('redis', { subject: 'blazon/redis', origin: import.meta.url })
  try {
    return await import('redis')
  } catch (error) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/redis',
      cause: 'It needs the package redis (node-redis), which cannot be loaded.',
      remedy: 'npm install redis@6',
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}
