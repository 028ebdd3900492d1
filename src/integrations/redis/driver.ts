/** A word of a command. */
export type Word = string | Buffer

/** What listens to a client. */
// biome-ignore lint/suspicious/noExplicitAny: the events of a client have arguments of many kinds
export type Listener = (...args: any[]) => void

/** What a client and a cluster of node-redis have in common. */
interface Connection {
  /** Whether `connect` was called and `destroy` was not. */
  readonly isOpen: boolean
  /** Whether commands reach the server now. */
  readonly isReady: boolean
  /** Adds a listener for an event, such as `error`. */
  on(event: string, listener: Listener): unknown
  /** Removes a listener. */
  off(event: string, listener: Listener): unknown
  /** The listeners of an event. */
  listeners(event: string): unknown[]
  /** Connects to the server. */
  connect(): Promise<unknown>
  /** Closes the connection at once. Commands without a reply are rejected. */
  destroy(): void
}

/** One server of a cluster, or the only one. */
export interface RedisNode {
  /** Sends a command: its name, then its arguments. */
  sendCommand(args: readonly Word[]): Promise<unknown>
  /** The same client with another type for replies of a kind. */
  withTypeMapping(mapping: object): RedisNode
}

/**
 * A client as `createClient` of node-redis makes it, as far as it is used; written down here so that nothing of ours
 * needs the types of `redis`.
 */
export interface RedisClient extends Connection, RedisNode {}

/** A client as `createCluster` of node-redis makes it, as far as it is used. */
export interface RedisCluster extends Connection {
  /** The servers that keep keys of their own. */
  readonly masters: readonly unknown[]
  /** Who keeps the keys of each slot; a hole where it is not known. */
  readonly slots: readonly unknown[]
  /** The client of one of {@link RedisCluster.masters}. */
  nodeClient(node: never): Promise<RedisNode>
  /** Sends a command to the server that keeps `firstKey`. */
  sendCommand(
    firstKey: Word | undefined,
    isReadonly: boolean | undefined,
    args: readonly Word[],
  ): Promise<unknown>
  /** The same client with another type for replies of a kind. */
  withTypeMapping(mapping: object): RedisCluster
}

/** Sends a command. Strings come back as bytes; errors of the server reject. */
export type Send = (...words: Word[]) => Promise<unknown>

/** One server or many, spoken to in the same way. */
export interface Driver {
  readonly connection: RedisClient | RedisCluster
  /** @throws Error when nobody answers, or nobody keeps some of the keys. */
  connect(): Promise<void>
  /** Sends a command of one key, its second word, to whoever keeps that key. */
  readonly send: Send
  /** The values of keys, in order; `null` for those that are not there. */
  getAll(keys: readonly string[]): Promise<readonly unknown[]>
  /** Sends a command that runs a script on one key, its fourth word. */
  readonly sendScript: Send
  /** Every server that keeps keys of its own. */
  masters(): Promise<readonly Send[]>
}

/**
 * `RESP_TYPES.BLOB_STRING`, `VERBATIM_STRING`: keys and values are bytes, and stay bytes. Said once, because options that are
 * given with a command are merged with those of the client each time: 13 of the 30 thousand instructions that a command took.
 */
const BYTES = { 36: Buffer, 61: Buffer }

/** Speaks to a client, or to a cluster. */
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
  // Never a replica: it may not have heard of an invalidation yet.
  const sendBy = (key: Word | undefined, words: readonly Word[]) =>
    cluster.sendCommand(key, false, words)
  return {
    connection,
    async connect() {
      await connection.connect()
      // A cluster that is being made: node-redis asks who keeps what only now, and again where a node answers wrongly.
      if (connection.slots.includes(undefined))
        throw new Error('CLUSTERDOWN Not all slots are kept.')
    },
    send: (...words) => sendBy(words[1], words),
    // Each key has a place of its own.
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
