import { writeFileSync } from 'node:fs'
import { readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../errors/config-error.js'
import { invalid } from './option-problem.js'

const NAME = 'blazon.pid'
/** Of those that this process has open. */
const held = new Set<string>()

/**
 * Says that a folder is in use: two that open the database in it each overwrite what the other one has saved, and PGlite lets them. It is a file with the id of
 * the process; that of a process which is gone counts for nothing.
 */
export class FolderLock {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /**
   * @param folder One that is there.
   * @throws ConfigError when somebody has it.
   */
  static async take(folder: string): Promise<FolderLock> {
    const path = join(await realpath(folder), NAME)
    while (!write(path)) {
      const pid = Number(await readFile(path, 'utf8').catch(() => ''))
      if (isInUse(path, pid)) throw inUse(folder, pid)
      await rm(path, { force: true })
    }
    held.add(path)
    return new FolderLock(path)
  }

  async release(): Promise<void> {
    held.delete(this.#path)
    await rm(this.#path, { force: true })
  }
}

/** Whether the file was not there, and is now. At once: a file without an id is one whose process was ended right then. */
function write(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

// A container that is started again has the same ids.
function isInUse(path: string, pid: number): boolean {
  return pid === process.pid ? held.has(path) : pid > 0 && isRunning(pid)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(folder: string, pid: number): ConfigError {
  const who = pid === process.pid ? 'another application of this process' : `process ${pid}`
  const remedy = 'End that one, give another folder, or use a server, which many may use.'
  return new ConfigError([invalid('embedded', `The folder ${folder} is in use by ${who}.`, remedy)])
}
