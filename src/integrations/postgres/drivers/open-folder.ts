import { mkdir, readdir, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ConfigError } from '../../../index.js'
import { invalid } from '../options/option-problem.js'
import { LOCK_FILE, lockFolder } from './lock-folder.js'
import { PgliteEngine } from './pglite-engine.js'

/**
 * Opens the database in a folder. Creates the folder and the database if they are missing.
 *
 * @throws ConfigError when the folder is in use, or is not the folder of a database.
 */
export async function openFolder(place: string): Promise<PgliteEngine> {
  const folder = await makeFolder(place)
  const unlock = await lockFolder(folder)
  try {
    await assertOurs(folder)
    return await startIn(folder, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

async function makeFolder(place: string): Promise<string> {
  try {
    await mkdir(place, { recursive: true })
    return await realpath(place)
  } catch (error) {
    throw unusable(resolve(place), 'It cannot be created, or it is not a folder.', error)
  }
}

// A mistyped path must not fill a folder of the user with the files of a database.
async function assertOurs(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name !== LOCK_FILE && name[0] !== '.')
  if (files.length === 0 || files.includes('PG_VERSION')) return
  throw unusable(folder, 'It has files that do not belong to a database.')
}

async function startIn(folder: string, onClosed: () => Promise<void>): Promise<PgliteEngine> {
  try {
    return await PgliteEngine.start({ dataDir: folder }, onClosed)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const cause =
      'The database in it cannot be used: it is damaged, or another version of PostgreSQL made it.'
    throw unusable(folder, cause, error)
  }
}

function unusable(folder: string, cause: string, error?: unknown): ConfigError {
  const problem = invalid(
    `embedded: ${folder}`,
    cause,
    'Give another folder, or empty this one to start with a new database.',
  )
  return new ConfigError([problem], { cause: error })
}
