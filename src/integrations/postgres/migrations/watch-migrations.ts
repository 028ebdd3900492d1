import { resolve } from 'node:path'

/** `blazon dev` defines it in the processes of an application. */
const WATCH = Symbol.for('blazon.watch')

/** Restarts the application when a migration changes, appears or disappears. Does nothing outside of `blazon dev`. */
export function watchMigrations(folder: string): void {
  const { [WATCH]: watch } = globalThis as { [WATCH]?: (folder: string) => void }
  watch?.(resolve(folder))
}
