import type { Field } from '../driver.js'
import { loadPeer } from '../load-peer.js'

/** What of PGlite is used, written down here so that nothing of ours needs its types. */
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
  /** How it reads and writes values, by the number of a type. */
  parsers: Readonly<Record<number, (text: string) => unknown>>
  serializers: Readonly<Record<number, (value: unknown) => unknown>>
  /** The program of PostgreSQL. */
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
  /** Takes a message and answers it. Throws a status where PostgreSQL jumps to the handling of an error of its own. */
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
