import type { Duplex } from 'node:stream'
import { ConfigError } from '../../../index.js'
import type { Field } from '../driver.js'
import { loadPeer } from '../load-peer.js'
import type { Reader } from '../values/read-array.js'

/** What of `pg` is used, written down here so that nothing of ours needs its types. */
export interface PgPackage {
  readonly Pool: new (options: object) => PgPool
  readonly Client: new (options: object) => { password: unknown }
  readonly Connection: new () => PgWire
  /** What a client is given to send, and hands the answers to. */
  readonly Query: new (
    config: PgQuery,
    callback?: PgCallback,
  ) => PgStep
}

export type PgCallback = (error: Error | null, result?: PgResult) => void

/** What its client asks a query to send, and tells it of the answer; as `pg-cursor` and others implement it. */
export interface PgStep {
  submit(wire: PgWire): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, wire: PgWire): void
  handleEmptyQuery(wire: PgWire): void
  handleError(error: Error, wire: PgWire): void
  handleReadyForQuery(wire: PgWire): void
}

/** The connection of a client, as its queries see it. */
export interface PgWire {
  sync(): void
}

export interface PgPool {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'remove', listener: (client: PgClient) => void): unknown
  connect(): Promise<PgClient>
  end(): Promise<void>
}

export interface PgClient {
  readonly host: string
  readonly port: number
  /** What the server knows the connection by, for who wants to end its statement. */
  readonly processID: number | null
  readonly secretKey: number | null
  /** Not among the types of `pg`, but the way to end a connection that does not answer. */
  readonly connection: PgWire & { readonly stream: Pick<Duplex, 'destroy' | 'cork' | 'uncork'> }
  query(query: PgQuery): Promise<PgResult>
  query(step: PgStep): unknown
  /** `I` where no transaction is open. */
  getTransactionStatus(): string | null
  on(event: 'error', listener: (error: Error) => void): unknown
  /** When the server is ready for more, and nothing more was sent. */
  on(event: 'drain', listener: () => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'drain', listener: () => void): unknown
  release(isUnusable?: boolean): void
}

export interface PgQuery {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly rowMode?: 'array' | undefined
  readonly types?: { getTypeParser(oid: number): Reader }
  readonly queryMode?: 'extended'
}

export interface PgResult {
  readonly rows: Record<string, unknown>[]
  readonly rowCount: number | null
  readonly command: string | null
  readonly fields: readonly Field[]
}

/** @throws ConfigError when it cannot be loaded, or is not the `pg` that flights are made of. */
export async function loadPg(): Promise<PgPackage> {
  const pg = await loadPeer<PgPackage>(() => import('pg') as Promise<unknown> as never, 'pg@8')
  if (hasSteps(pg)) return pg
  const cause =
    'The installed pg cannot send several queries together: it is older than 8.23, or NODE_PG_FORCE_NATIVE makes it the native one.'
  const remedy = 'npm install pg@8, and do not set NODE_PG_FORCE_NATIVE.'
  throw new ConfigError([{ code: 'E_PEER_MISSING', subject: 'blazon/postgres', cause, remedy }])
}

/** What queries of it have to answer to, and its connections to be told. */
const OF_QUERY = [
  'submit',
  'handleRowDescription',
  'handleDataRow',
  'handleCommandComplete',
  'handleEmptyQuery',
  'handleError',
  'handleReadyForQuery',
]
const OF_CLIENT = ['query', 'getTransactionStatus', 'on', 'off']

function hasSteps({ Query, Client, Connection }: PgPackage): boolean {
  const has = (made: { prototype: object } | undefined, names: readonly string[]) =>
    names.every((name) => typeof Reflect.get(made?.prototype ?? {}, name) === 'function')
  return has(Query, OF_QUERY) && has(Client, OF_CLIENT) && has(Connection, ['sync'])
}
