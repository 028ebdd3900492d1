import type { Written } from '../values/write-value.js'
import type { PgliteResult } from './pglite-package.js'

/** An embedded database: in this process, or in a process that outlives this one. It has one session. */
export interface EmbeddedEngine {
  /** The error with which the database crashed; `undefined` while it works. */
  readonly crash: Error | undefined
  readonly isInTransaction: boolean
  query(text: string, values?: readonly Written[]): Promise<PgliteResult>
  script(text: string): Promise<void>
  /** Restores the state of a new connection: no transaction, settings, role or temporary tables. */
  reset(): Promise<void>
  /** Waits for the session, if other processes use the database, too. Each is followed by one `giveBack`. */
  take(): Promise<void>
  giveBack(): void
  close(): Promise<void>
}
