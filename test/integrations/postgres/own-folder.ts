import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Waits until the process that has started this script has ended in any way. Then the script ends the server whose
 * process id is in a file, and the children of the server, which may be paused, and removes the folder.
 */
const GUARD = `read -r _
pid=$(head -n 1 "$1/$2" 2>/dev/null) && kill -KILL "$pid" $(ps -o pid= --ppid "$pid") 2>/dev/null
rm -rf "$1"`

/** A folder of a server, which is removed with the server even when a runner kills its tests. */
export class OwnFolder implements AsyncDisposable {
  readonly path: string
  readonly #guard

  /**
   * @param prefix The beginning of its name.
   * @param pidFile The file in the folder to which the server writes its process id.
   * @param parent The folder that it is made in.
   */
  constructor(prefix: string, pidFile: string, parent: string = tmpdir()) {
    this.path = mkdtempSync(join(parent, prefix))
    const { uid, gid } = owner()
    if (uid !== undefined && gid !== undefined) chownSync(this.path, uid, gid)
    const args = ['-c', GUARD, 'guard', this.path, pidFile]
    // In a process group of its own. Otherwise, a signal to the group of the tests would end the script first.
    this.#guard = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    this.#guard.unref()
  }

  /** Removes the folder. Call it after the server has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#guard, 'exit')
    this.#guard.kill('SIGKILL')
    await ended
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The user that runs servers: neither PostgreSQL nor PgBouncer runs as root. */
export function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
