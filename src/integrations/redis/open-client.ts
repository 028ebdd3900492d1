import { loadPeer, type PeerUse } from '../../plugin/index.js'
import { type Driver, driverOf, type RedisClient, type RedisCluster } from './driver.js'
import { DEFAULT_URL, type RedisClusterOptions, type RedisOptions } from './redis-options.js'

interface RedisPackage {
  createClient(options: object): RedisClient
  createCluster(options: object): RedisCluster
}

const REDIS: PeerUse = {
  subject: 'blazon/redis',
  origin: import.meta.url,
  install: 'npm install redis@6',
}

type Bag = Readonly<Record<string, unknown>>

/** The maximum pause between two attempts to connect, in milliseconds, without the random part. */
const LONGEST_PAUSE_MS = 2000

/**
 * Options of the client. Blazon's commands have their own deadline, because node-redis's `timeout` would create an
 * abort signal for every command.
 */
const CLIENT = {
  disableOfflineQueue: true,
  pingInterval: 5000,
  maintNotifications: 'disabled',
  commandOptions: { timeout: 0 },
}

/**
 * Options of the socket. The client disconnects from a host that accepts a connection but sends nothing. Pings keep a
 * healthy connection open.
 */
const SOCKET = { connectTimeout: 5000, socketTimeout: 15_000, reconnectStrategy: pauseBefore }

/**
 * Returns the pause before an attempt to connect, in milliseconds. It is partly random, so that many processes do not
 * reconnect at the same time.
 */
export function pauseBefore(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) + Math.random() * 100
}

/**
 * Returns a function that creates a new, unconnected client on each call. With the option `client`, the function
 * returns this client.
 *
 * @throws ConfigError if `redis` cannot be loaded or is too old.
 */
export async function clientMaker(options: RedisOptions): Promise<() => Driver> {
  const { client, cluster } = options
  if (client !== undefined) return () => driverOf(client)
  const { createClient, createCluster } = await loadPeer<RedisPackage>(
    'redis',
    REDIS,
    () => import('redis'),
  )
  if (cluster !== undefined) return () => driverOf(createCluster(clusterOptions(cluster)))
  const url = options.url ?? DEFAULT_URL
  return () => driverOf(createClient({ url, ...withDefaults(options.clientOptions) }))
}

/** Copies the options, because node-redis modifies the object that it receives. */
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

/**
 * Ignores errors of a connection that is being closed. Without an `error` listener, Node would throw them and end the
 * process. The listener is added first and never removed: node-redis forwards the events of an inner emitter only while
 * the outer emitter has a listener. Once the last listener is removed, new listeners receive no events.
 */
export function tolerateErrors(connection: Driver['connection']): void {
  if (!connection.listeners('error').includes(ignore)) connection.on('error', ignore)
}

function ignore(): void {}
