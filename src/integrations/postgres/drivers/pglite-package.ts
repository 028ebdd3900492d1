import type { Field } from '../driver.js'
import { loadPeer } from '../load-peer.js'

/**
 * The part of PGlite that is used. It is declared here so that the types of PGlite are not
 * required.
 */
export interface PglitePackage {
  readonly PGlite: {
    readonly defaultStartParams: readonly string[]
    create(options: PgliteOptions): Promise<Pglite>
  }
}

export interface PgliteOptions {
  readonly dataDir?: string
  readonly loadDataDir?: Blob
  readonly startParams?: readonly string[]
}

/** A database in this process. */
export interface Pglite {
  /** The functions that read and write values, by type number (`oid`). */
  parsers: Readonly<Record<number, (text: string) => unknown>>
  serializers: Readonly<Record<number, (value: unknown) => unknown>>
  /** The compiled program of PostgreSQL. */
  readonly Module: PgliteProgram
  query(
    text: string,
    values: readonly unknown[],
    options: { readonly rowMode: 'array' },
  ): Promise<PgliteResult>
  exec(text: string): Promise<unknown>
  isInTransaction(): boolean
  dumpDataDir(compression: 'none'): Promise<Blob>
  close(): Promise<void>
}

export interface PgliteProgram {
  /** Handles one message. Throws a status when PostgreSQL handles an error of its own. */
  _PostgresMainLoopOnce(): unknown
}

export interface PgliteResult {
  readonly rows: (string | null)[][]
  readonly fields: readonly Field[]
  readonly rowCount?: number
  readonly command?: string
}

/** @throws ConfigError when it cannot be loaded. */
export async function loadPglite(): Promise<PglitePackage> {
  return await loadPeer<PglitePackage>(
    () => import('@electric-sql/pglite') as Promise<unknown> as never,
    '@electric-sql/pglite',
  )
}
