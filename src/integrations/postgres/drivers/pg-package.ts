import type { Duplex } from 'node:stream'
import { ConfigError } from '../../../index.js'
import { loadPeer } from '../../../plugin/index.js'
import type { PostgresOptions } from '../options/postgres-options.js'
import type { Servers } from './servers.js'

/** The part of `pg` that Blazon uses. It is declared here so that the types of `pg` are not required. */
export interface PgPackage {
  readonly Pool: new (options: object) => PgPool
  readonly Client: new (options: object) => { password: unknown }
  readonly Connection: new () => PgWire
  /** The query class. Flights inherit from its prototype. */
  readonly Query: new (
    ...args: never
  ) => object
}

/** A query, from the point of view of its client. */
export interface PgFlight {
  submit(wire: PgWire): null
}

/** The connection of a client, which writes protocol messages (PostgreSQL documentation, 55.7). */
export interface PgWire {
  /**
   * The stream of the connection. Destroying it is the only way to end a connection that does not respond. The types of
   * `pg` do not include it.
   */
  readonly stream: Pick<Duplex, 'destroy' | 'cork' | 'uncork'>
  query(text: string): void
  parse(statement: { readonly text: string }): void
  bind(portal: { readonly values: readonly unknown[] }): void
  describe(portal: { readonly type: 'P' }): void
  execute(): void
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
  /**
   * The number that identifies the connection on the server. It is needed together with `secretKey` to cancel a
   * statement.
   */
  readonly processID: number | null
  readonly secretKey: number | null
  readonly connection: PgWire
  /** Sends SQL with the simple protocol. */
  query(query: { readonly text: string }): Promise<unknown>
  query(flight: PgFlight): unknown
  /** Returns `I` if no transaction is open. */
  getTransactionStatus(): string | null
  on(event: 'error', listener: (error: Error) => void): unknown
  /** The client emits `drain` when the server is ready again and no further statement has been sent. */
  on(event: 'drain', listener: () => void): unknown
  release(isUnusable?: boolean): void
}

/**
 * Loads `pg`.
 *
 * @throws ConfigError if `pg` cannot be loaded or cannot send flights.
 */
export async function loadPg(): Promise<PgPackage> {
  const use = { subject: 'blazon/postgres', origin: import.meta.url, install: 'npm install pg@8' }
  const pg = await loadPeer<PgPackage>('pg', use, () => import('pg') as Promise<unknown> as never)
  if (hasSteps(pg)) return pg
  const cause =
    'The installed pg cannot send several queries together: it is older than 8.23, or NODE_PG_FORCE_NATIVE selects its native driver.'
  const remedy = 'npm install pg@8, and do not set NODE_PG_FORCE_NATIVE.'
  throw new ConfigError([{ code: 'E_PEER_MISSING', subject: 'blazon/postgres', cause, remedy }])
}

/** The methods that flights need on the queries, clients and connections of `pg`. */
const OF_QUERY = [
  'submit',
  'handleRowDescription',
  'handleDataRow',
  'handleCommandComplete',
  'handleEmptyQuery',
  'handleError',
  'handleReadyForQuery',
]
const OF_CLIENT = ['query', 'getTransactionStatus', 'on']
const OF_CONNECTION = ['query', 'parse', 'bind', 'describe', 'execute', 'sync']

function hasSteps({ Query, Client, Connection }: PgPackage): boolean {
  const has = (made: { prototype: object } | undefined, names: readonly string[]) =>
    names.every((name) => typeof Reflect.get(made?.prototype ?? {}, name) === 'function')
  return has(Query, OF_QUERY) && has(Client, OF_CLIENT) && has(Connection, OF_CONNECTION)
}

type Bag = Readonly<Record<string, unknown>>

/** Defaults that the user's `poolOptions` override. */
const DEFAULTS = {
  // An `application_name` from the URL, the environment or the user's options takes priority.
  fallback_application_name: 'blazon',
  keepAlive: true,
  idleTimeoutMillis: 30_000,
  maxLifetimeSeconds: 1800,
}

/** Builds the options for the pool of `pg`. */
export function poolOptions(
  options: PostgresOptions,
  limits: { readonly max: number; readonly connectionTimeoutMillis: number },
): Bag {
  const { poolOptions: own = {} } = options
  const fixed = { ...limits, pipeline: true, binary: false }
  return { ...DEFAULTS, ...own, ...copySsl(own), ...fixed }
}

// `pg` hides the private key from logs by changing this object. That fails on a frozen object, so the object is copied.
function copySsl({ ssl }: Bag): object {
  return typeof ssl === 'object' && ssl !== null ? { ssl: { ...ssl } } : {}
}

/**
 * Returns a client class that selects the server when a client is created. A password function is set on each client,
 * because `pg` would otherwise use the password in the URL, even if the URL has none.
 */
export function clientOf(
  { Client }: PgPackage,
  { password }: Bag,
  servers: Servers,
): PgPackage['Client'] {
  return class extends Client {
    constructor(options: object) {
      super({ ...options, connectionString: servers.url })
      if (typeof password === 'function') this.password = password
    }
  }
}
