import type { Duplex } from 'node:stream'
import type { Field } from '../driver.js'
import { loadPeer } from '../load-peer.js'
import type { Reader } from '../values/read-array.js'

/** What of `pg` is used, written down here so that nothing of ours needs its types. */
export interface PgPackage {
  readonly Pool: new (options: object) => PgPool
  readonly Client: new (options: object) => { password: unknown }
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
  readonly connection: { readonly stream: Pick<Duplex, 'destroy' | 'cork' | 'uncork'> }
  query(query: PgQuery): Promise<PgResult>
  /** `I` where no transaction is open. */
  getTransactionStatus(): string | null
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
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

/** @throws ConfigError when it cannot be loaded. */
export async function loadPg(): Promise<PgPackage> {
  return await loadPeer<PgPackage>(() => import('pg') as Promise<unknown> as never, 'pg@8')
}
