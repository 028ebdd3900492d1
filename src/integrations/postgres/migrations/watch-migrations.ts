import { resolve } from 'node:path'

/** `blazon dev` defines it in the processes of an application. */
const WATCH = Symbol.for('blazon.watch')

/** Has the application started again when a migration changes, appears or goes away. Does nothing outside of `blazon dev`. */
export function watchMigrations(folder: string): void {
  const { [WATCH]: watch } = globalThis as { [WATCH]?: (folder: string) => void }
  watch?.(resolve(folder))
}
