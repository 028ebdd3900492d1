import { initialFiles } from './initial-files.js'
import { type FolderNode, MemoryFiles } from './memory-files.js'
import { PgliteEngine } from './pglite-engine.js'
import { loadFilesystem } from './pglite-package.js'

/** An open database in memory. */
export interface InMemory {
  readonly engine: PgliteEngine
  readonly files: MemoryFiles
}

/**
 * Opens a separate database in memory.
 *
 * @param snapshot The files with which it starts. Default: the files of an empty database.
 * @throws ConfigError when PGlite is missing.
 */
export async function openInMemory(snapshot?: FolderNode): Promise<InMemory> {
  const files = new MemoryFiles(snapshot ?? (await initialFiles()))
  return { files, engine: await PgliteEngine.start({ fs: await loadFilesystem(files) }) }
}
