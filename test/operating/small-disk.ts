import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Waits until the process that has started this script gives the disk back, or has ended in any way. */
const GUARD = `read -r _
umount -l "$1"
rmdir "$1"`

/** A file system in memory that a test can fill. */
export class SmallDisk implements AsyncDisposable {
  readonly path: string
  readonly #guard: ChildProcess

  private constructor(path: string) {
    this.path = path
    const args = ['-c', GUARD, 'guard', path]
    this.#guard = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    this.#guard.unref()
  }

  /** Mounts a disk of a size in MB. Returns the reason if this process may not mount one. */
  static mount(megabytes: number): SmallDisk | string {
    const path = mkdtempSync(join(tmpdir(), 'blazon-disk-'))
    const args = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', path]
    const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' })
    if (status === 0) return new SmallDisk(path)
    rmSync(path, { recursive: true })
    return error?.message ?? stderr.trim()
  }

  /** Takes all the space that is left. */
  fill(): void {
    const file = openSync(this.#ballast, 'a')
    try {
      // The last block of zeros takes what a larger one did not find.
      for (let bytes = 1 << 20; bytes >= 1024; bytes /= 2) writeUntilFull(file, Buffer.alloc(bytes))
    } finally {
      closeSync(file)
    }
  }

  /** Gives back what {@link fill} has taken. */
  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  /** Removes the disk. Call it after what uses it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#guard, 'exit')
    this.#guard.stdin?.end()
    await ended
  }

  get #ballast(): string {
    return join(this.path, 'ballast')
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) === block.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
