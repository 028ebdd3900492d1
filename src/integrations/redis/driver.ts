/** One word of a command: its name or an argument. */
export type Word = string | Buffer

/** A listener for an event of the client. */
// biome-ignore lint/suspicious/noExplicitAny: the events of a client have arguments of many kinds
export type Listener = (...args: any[]) => void

interface Connection {
  /** Whether `connect` was called and `destroy` was not. */
  readonly isOpen: boolean
  /** Whether commands currently reach the server. */
  readonly isReady: boolean
  /** Adds a listener for an event, such as `error`. */
  on(event: string, listener: Listener): unknown
  /** Removes a listener. */
  off(event: string, listener: Listener): unknown
  /** The listeners of an event. */
  listeners(event: string): unknown[]
  /** Connects to the server. */
  connect(): Promise<unknown>
  /** Closes the connection immediately. Commands without a reply are rejected. */
  destroy(): void
}

/** A server of a cluster, or the only server. */
export interface RedisNode {
  /** Sends a command: its name, then its arguments. */
  sendCommand(args: readonly Word[]): Promise<unknown>
  /** Returns the same client with other reply types. */
  withTypeMapping(mapping: object): RedisNode
}

/**
 * The members of node-redis's client (`createClient`) that Blazon uses. They are declared here so that Blazon's types
 * do not depend on the types of `redis`.
 */
export interface RedisClient extends Connection, RedisNode {}

/** The members of node-redis's cluster (`createCluster`) that Blazon uses. */
export interface RedisCluster extends Connection {
  /** The servers of the cluster that own key slots, without replicas. */
  readonly masters: readonly unknown[]
  /** The server of each slot; a hole if the server is unknown. */
  readonly slots: readonly unknown[]
  /** The client of one of {@link RedisCluster.masters}. */
  nodeClient(node: never): Promise<RedisNode>
  /** Sends a command to the server that owns the slot of `firstKey`. */
  sendCommand(
    firstKey: Word | undefined,
    isReadonly: boolean | undefined,
    args: readonly Word[],
  ): Promise<unknown>
  /** Returns the same cluster with other reply types. */
  withTypeMapping(mapping: object): RedisCluster
}

/**
 * Sends a command. Strings are returned as `Buffer`. The promise rejects when the server replies with an
 * error.
 */
export type Send = (...words: Word[]) => Promise<unknown>

/** The same interface for a single server and for a cluster. */
export interface Driver {
  readonly connection: RedisClient | RedisCluster
  /**
   * Connects to the servers.
   *
   * @throws Error if no server replies, or if some slots of the cluster have no server.
   */
  connect(): Promise<void>
  /** Sends a command with one key, its second word, to the server that owns the key. */
  readonly send: Send
  /** Returns the values of keys, in the order of the keys; `null` for a key that does not exist. */
  getAll(keys: readonly string[]): Promise<readonly unknown[]>
  /** Sends a command that runs a script on one key. The key is the fourth word of the command. */
  readonly sendScript: Send
  /** Returns a `Send` for every server that owns keys, without replicas. */
  masters(): Promise<readonly Send[]>
}

/**
 * `RESP_TYPES.BLOB_STRING` and `VERBATIM_STRING`: keys and values are returned as bytes. The mapping is set once on the
 * client, because node-redis would otherwise merge a command's options with the client's options for every command,
 * which took 13,000 of the 30,000 instructions of a command.
 */
const BYTES = { 36: Buffer, 61: Buffer }

/** Returns the driver for a client or a cluster. */
export function driverOf(connection: RedisClient | RedisCluster): Driver {
  return 'nodeClient' in connection ? clusterDriver(connection) : singleDriver(connection)
}

function singleDriver(connection: RedisClient): Driver {
  const send = sendTo(connection)
  return {
    connection,
    connect: async () => void (await connection.connect()),
    send,
    getAll: (keys) => send('MGET', ...keys) as Promise<readonly unknown[]>,
    sendScript: send,
    masters: async () => [send],
  }
}

function clusterDriver(connection: RedisCluster): Driver {
  const cluster = connection.withTypeMapping(BYTES)
  // Never reads from a replica, because a replica may not have received an invalidation yet.
  const sendBy = (key: Word | undefined, words: readonly Word[]) =>
    cluster.sendCommand(key, false, words)
  return {
    connection,
    async connect() {
      await connection.connect()
      // Some slots may still have no server, because node-redis reads the owners of the slots only when it connects and
      // after a redirect.
      if (connection.slots.includes(undefined))
        throw new Error('CLUSTERDOWN Some slots have no server.')
    },
    send: (...words) => sendBy(words[1], words),
    // One `GET` per key, because the keys may be on different servers in a cluster.
    getAll: (keys) => Promise.all(keys.map((key) => sendBy(key, ['GET', key]))),
    sendScript: (...words) => sendBy(words[3], words),
    masters: () =>
      Promise.all(
        connection.masters.map(async (node) => sendTo(await connection.nodeClient(node as never))),
      ),
  }
}

function sendTo(node: RedisNode): Send {
  const client = node.withTypeMapping(BYTES)
  return (...words) => client.sendCommand(words)
}
