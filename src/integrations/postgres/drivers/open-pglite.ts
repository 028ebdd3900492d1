import { openFolder } from './open-folder.js'
import { PgliteEngine } from './pglite-engine.js'

/**
 * A dump of an empty database, made once in the process. To start from it takes a tenth of the time
 * of creating a new database.
 */
let template: Promise<Blob> | undefined

/**
 * Opens a separate database.
 *
 * @param place `'memory'` for an empty database, or the path of the folder in which it is stored.
 * @throws ConfigError when PGlite is missing, or the folder cannot be used.
 */
export async function openPglite(place: string): Promise<PgliteEngine> {
  if (place !== 'memory') return await openFolder(place)
  if (template !== undefined) return await PgliteEngine.start({ loadDataDir: await template })
  const first = PgliteEngine.start({})
  template = first.then(dump)
  try {
    await template
  } catch (error) {
    template = undefined
    throw error
  }
  return await first
}

async function dump(engine: PgliteEngine): Promise<Blob> {
  // Write all changes into the files. Otherwise every database that starts from the dump would
  // replay them.
  await engine.script('CHECKPOINT')
  const blob = await engine.dump()
  const bytes = await blob.arrayBuffer()
  // Cache the bytes: reading them takes a quarter of the time of a start.
  return Object.assign(blob, { arrayBuffer: async () => bytes })
}
