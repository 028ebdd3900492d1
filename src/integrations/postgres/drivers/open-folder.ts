import { link, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../../index.js'
import { invalid } from '../options/postgres-options.js'
import { PgliteEngine } from './pglite-engine.js'

/**
 * Opens the database in a folder. Creates the folder and the database if they are missing.
 *
 * @throws ConfigError if the folder is in use, cannot be created, or contains no usable database.
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

// Ensures that a mistyped path does not fill a user's folder with database files.
async function assertOurs(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name !== LOCK_FILE && name[0] !== '.')
  if (files.length === 0 || files.includes('PG_VERSION')) return
  throw unusable(folder, 'It contains files that do not belong to a database.')
}

async function startIn(folder: string, onClosed: () => Promise<void>): Promise<PgliteEngine> {
  try {
    return await PgliteEngine.start({ dataDir: folder }, onClosed)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const cause =
      'The database in it cannot be used: it is damaged, or another version of PostgreSQL created it.'
    throw unusable(folder, cause, error)
  }
}

function unusable(folder: string, cause: string, error?: unknown): ConfigError {
  const problem = invalid(
    `embedded: ${folder}`,
    cause,
    'Specify another folder, or empty this one to start with a new database.',
  )
  return new ConfigError([problem], { cause: error })
}

/**
 * The name of the lock file. PGlite itself has no lock, and two processes that opened the same folder would destroy its
 * data.
 */
export const LOCK_FILE = 'blazon.lock'

/** The maximum difference between two measurements of a process's start time, in milliseconds. */
const BLUR_MS = 10_000

/** The process that has locked a folder. */
interface Holder {
  readonly pid: number
  /**
   * The start time of the process, in milliseconds since 1970. After a restart of the machine or the container, another
   * process can have the same ID.
   */
  readonly startedAt: number
  /** The socket of a keeper, through which other processes can also use the database. */
  readonly socket?: string
}

/**
 * Locks a folder against other users, in this process and in others. The lock of a killed process is ignored.
 *
 * @returns a function that removes the lock.
 * @throws ConfigError if the folder is locked.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK_FILE)
  if (!(await takeLock(path))) {
    if (isRunning(await readHolder(path))) throw inUse(folder)
    await rm(path, { force: true })
    // Another process may have taken the lock in the meantime.
    if (!(await takeLock(path))) throw inUse(folder)
  }
  return () => rm(path, { force: true })
}

/** Stores the path of a socket in this process's lock, so that the command `blazon db` can use the database. */
export async function noteSocket(folder: string, socket: string): Promise<void> {
  const path = join(folder, LOCK_FILE)
  const whole = `${path}.${process.pid}.${Math.random()}`
  await writeFile(whole, JSON.stringify({ ...ourselves(), socket } satisfies Holder))
  await rename(whole, path)
}

async function takeLock(path: string): Promise<boolean> {
  // The whole content is written before the file is linked, because a partly written lock file would look like the lock
  // file of a killed process.
  const whole = `${path}.${process.pid}.${Math.random()}`
  await writeFile(whole, JSON.stringify(ourselves()))
  try {
    await link(whole, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(whole, { force: true })
  }
}

function ourselves(): Holder {
  return { pid: process.pid, startedAt: Date.now() - Math.round(process.uptime() * 1000) }
}

async function readHolder(path: string): Promise<Partial<Holder>> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    // The owner has removed the lock in the meantime.
    return {}
  }
}

function isRunning({ pid, startedAt }: Partial<Holder>): boolean {
  if (typeof pid !== 'number' || typeof startedAt !== 'number') return false
  const we = ourselves()
  if (pid === we.pid) return Math.abs(startedAt - we.startedAt) < BLUR_MS
  try {
    // Signal 0 is not delivered; it only checks whether the process exists.
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(folder: string): ConfigError {
  const cause = 'It is already open, in this process or in another one.'
  const remedy = `Close that database first, or specify another folder. If no process uses the folder, delete ${LOCK_FILE} in it.`
  return new ConfigError([invalid(`embedded: ${folder}`, cause, remedy)])
}
