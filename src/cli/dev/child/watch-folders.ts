import type { Channel } from './channel.js'

/**
 * The key on `globalThis` of the function that names a folder whose files the application reads at its start. Code of this
 * package calls it; only `blazon dev` sets it.
 */
const WATCH = Symbol.for('blazon.watch')

/** Lets code that reads a folder, such as migrations, have its files watched. */
export function watchFolders(channel: Channel): void {
  const watch = (folder: string, ending: string) => channel.send({ kind: 'folder', folder, ending })
  Object.defineProperty(globalThis, WATCH, { value: watch })
}
