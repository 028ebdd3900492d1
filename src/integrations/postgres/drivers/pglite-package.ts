import { loadPeer } from '../../../plugin/index.js'
import type { Field } from '../driver.js'
import type { Written } from '../values/write-values.js'
import type { MemoryFiles } from './memory-files.js'

const PACKAGE = '@electric-sql/pglite'
const USE = { subject: 'blazon/postgres', origin: import.meta.url }

interface FilesystemPackage {
  readonly BaseFilesystem: new () => PgliteFilesystem
}

/** The part of PGlite that Blazon uses. It is declared here so that PGlite's types are not required. */
export interface PglitePackage {
  readonly PGlite: {
    readonly defaultStartParams: readonly string[]
    create(options: PgliteOptions): Promise<Pglite>
  }
}

export interface PgliteOptions {
  readonly dataDir?: string
  readonly fs?: PgliteFilesystem
  readonly startParams?: readonly string[]
}

/** A database in this process. */
export interface Pglite {
  /** The functions that read and write values, by type number (`oid`). */
  parsers: Readonly<Record<number, (text: string) => unknown>>
  serializers: Readonly<Record<number, (value: unknown) => unknown>>
  /** The compiled PostgreSQL program. */
  readonly Module: PgliteProgram
  query(
    text: string,
    values: readonly unknown[],
    options: { readonly rowMode: 'array' },
  ): Promise<PgliteResult>
  exec(text: string): Promise<unknown>
  isInTransaction(): boolean
  close(): Promise<void>
}

export interface PgliteProgram {
  /** Handles one message. Throws a status for errors that PostgreSQL handles itself. */
  _PostgresMainLoopOnce(): unknown
  readonly FS: PgliteFiles
}

/** The files to which the program has access. */
export interface PgliteFiles {
  readdir(path: string): string[]
  stat(path: string): { readonly mode: number }
  isDir(mode: number): boolean
  readFile(path: string): Uint8Array
  mkdirTree(path: string): void
  writeFile(path: string, data: Uint8Array): void
}

/** The database files, in the form that PGlite uses. */
export interface PgliteFilesystem {
  readonly init: unknown
}

export interface PgliteResult {
  readonly rows: readonly (readonly (string | null)[])[]
  readonly fields: readonly Field[]
  readonly rowCount?: number
  readonly command?: string
}

const CALLS = [
  ...(['chmod', 'utimes', 'lstat', 'fstat', 'mkdir', 'readdir', 'rename', 'rmdir'] as const),
  ...(['unlink', 'writeFile', 'truncate', 'open', 'close', 'read', 'write'] as const),
]

/**
 * Returns a file system that makes PGlite store its files in `files`.
 *
 * @throws ConfigError if PGlite cannot be loaded.
 */
export async function loadFilesystem(files: MemoryFiles): Promise<PgliteFilesystem> {
  const { BaseFilesystem } = await loadPeer<FilesystemPackage>(
    PACKAGE,
    USE,
    () => import('@electric-sql/pglite/basefs') as Promise<unknown> as never,
  )
  const calls = CALLS.map((name) => [name, files[name].bind(files)])
  return Object.assign(new BaseFilesystem(), Object.fromEntries(calls))
}

/**
 * Loads PGlite.
 *
 * @throws ConfigError if it cannot be loaded.
 */
export function loadPglite(): Promise<PglitePackage> {
  return loadPeer<PglitePackage>(
    PACKAGE,
    USE,
    () => import('@electric-sql/pglite') as Promise<unknown> as never,
  )
}

interface Contrib {
  setup(database: unknown, options: object): Promise<{ readonly bundlePath?: URL }>
}

/**
 * Returns the archive of an extension that PGlite ships.
 *
 * @param name The name of its module, from the list of shipped extensions. It is never user input.
 */
export async function loadContrib(name: string): Promise<URL> {
  const contrib = (await import(`${PACKAGE}/contrib/${name}`)) as Record<string, Contrib>
  const archive = (await contrib[name]?.setup({}, {}))?.bundlePath
  if (archive === undefined) throw new Error(`The extension ${name} of PGlite has no archive.`)
  return archive
}

/** An embedded database, in this process or in a process that outlives it. It has one session. */
export interface EmbeddedEngine {
  /** The error with which the database crashed; `undefined` if it has not crashed. */
  readonly crash: Error | undefined
  readonly isInTransaction: boolean
  query(text: string, values?: readonly Written[]): Promise<PgliteResult>
  script(text: string): Promise<void>
  /** Restores the state of a new connection: no transaction, settings, role or temporary tables. */
  reset(): Promise<void>
  /** Waits for the session if other processes also use the database. Each call must be followed by one `giveBack`. */
  take(): Promise<void>
  giveBack(): void
  close(): Promise<void>
}
