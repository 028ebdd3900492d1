import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../../index.js'
import { invalid } from '../options/option-problem.js'

/** PGlite keeps nobody out: two that open a folder destroy what is in it. */
export const LOCK_FILE = 'blazon.lock'

/** Two readings of when a process was started may be so far apart, in milliseconds. */
const BLUR_MS = 10_000

/** Who has locked a folder. */
interface Holder {
  readonly pid: number
  /** When the process was started: after a restart of the machine, or of a container, another one may have its number. */
  readonly startedAt: number
}

/**
 * Keeps others out of a folder, those of other processes, too. What a process leaves that was killed keeps nobody out.
 *
 * @returns Lets others in again.
 * @throws ConfigError when somebody else has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK_FILE)
  if (!(await takeLock(path))) {
    if (isRunning(await readHolder(path))) throw inUse(folder)
    await rm(path, { force: true })
    // Somebody else may have been quicker.
    if (!(await takeLock(path))) throw inUse(folder)
  }
  return () => rm(path, { force: true })
}

async function takeLock(path: string): Promise<boolean> {
  // It is there with all that is in it, or not at all: half of one would be taken for what a killed process has left.
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
    // It was taken away meanwhile.
    return {}
  }
}

function isRunning({ pid, startedAt }: Partial<Holder>): boolean {
  if (typeof pid !== 'number' || typeof startedAt !== 'number') return false
  const we = ourselves()
  if (pid === we.pid) return Math.abs(startedAt - we.startedAt) < BLUR_MS
  try {
    // Signal 0 only asks whether it could be sent.
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(folder: string): ConfigError {
  const cause = 'It is open already, in this process or in another one.'
  const remedy = `Close that database first, or give another folder. If nothing has it open, delete ${LOCK_FILE} in it.`
  return new ConfigError([invalid(`embedded: ${folder}`, cause, remedy)])
}
