import { mkdir } from 'node:fs/promises'
import { FolderLock } from './folder-lock.js'
import { loadPglite, type Pglite, type PgliteOptions } from './pglite-package.js'

/** An empty database: to start from it takes a tenth of the time that to make it takes. */
let template: Promise<Blob> | undefined

const locks = new WeakMap<Pglite, FolderLock>()

/** A database of its own: empty in memory, or what a folder keeps. */
export async function openPglite(place: string): Promise<Pglite> {
  if (place !== 'memory') return await openFolder(place)
  if (template !== undefined) return await start({ loadDataDir: await template })
  const database = await start({})
  template = database.dumpDataDir('none')
  await template
  return database
}

export async function closePglite(database: Pglite): Promise<void> {
  await database.close()
  await locks.get(database)?.release()
}

async function openFolder(folder: string): Promise<Pglite> {
  await mkdir(folder, { recursive: true })
  const lock = await FolderLock.take(folder)
  try {
    const database = await start({ dataDir: folder })
    locks.set(database, lock)
    return database
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function start(options: PgliteOptions): Promise<Pglite> {
  const { PGlite } = await loadPglite()
  const database = await PGlite.create(options)
  database.parsers = asItIs()
  database.serializers = asItIs()
  return database
}

// Values are read and written by us, in the same way for every driver.
function asItIs<T>(): Readonly<Record<number, (value: T) => T>> {
  return new Proxy({}, { get: () => (value: T) => value })
}
