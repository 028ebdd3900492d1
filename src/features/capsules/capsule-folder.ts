import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** The setting `records.capsules`. */
export interface CapsuleSettings {
  readonly folder: string
  /** The maximum number of files. */
  readonly files: number
  /** The maximum total size, in bytes. */
  readonly bytes: number
}

/**
 * A file name: the time of the failure, and random characters. Names sort by time. A process that was killed may leave
 * a file with the suffix `.part`.
 */
const NAME = /^\d{8}-\d{6}-[\da-f]{6}\.json(?:\.part)?$/
/**
 * If this many capsules are waiting to be written, new capsules are discarded, because each waiting capsule uses
 * memory.
 */
const MOST_WAITING = 8
const OWNER_ONLY = { file: 0o600, folder: 0o700 }

/** The folder with the newest capsules. Only the owner of the files can read them, and git ignores the folder. */
export class CapsuleFolder {
  readonly #settings: CapsuleSettings
  readonly #path: string
  #waiting = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(settings: CapsuleSettings) {
    this.#settings = settings
    this.#path = resolve(settings.folder)
  }

  /** Whether so many capsules are waiting to be written that new capsules are discarded. */
  get isBusy(): boolean {
    return this.#waiting >= MOST_WAITING
  }

  /**
   * Writes a capsule after all earlier capsules, then removes the oldest files.
   *
   * @param onError Called with the error if the capsule cannot be written, or if an old file cannot be removed.
   */
  add(id: string, text: string, onError: (error: unknown) => void): void {
    this.#waiting++
    this.#writing = this.#writing
      .then(() => this.#write(id, text))
      .catch(onError)
      .finally(() => {
        this.#waiting--
      })
  }

  /** Resolves when all capsules have been written. */
  idle(): Promise<void> {
    return this.#writing
  }

  async #write(id: string, text: string): Promise<void> {
    await mkdir(this.#path, { recursive: true, mode: OWNER_ONLY.folder })
    await ignore(join(this.#path, '.gitignore'))
    const { bytes } = this.#settings
    if (Buffer.byteLength(text) > bytes) {
      throw new Error(`The capsule is larger than ${bytes} bytes.`)
    }
    const path = join(this.#path, `${id}.json`)
    await create(`${path}.part`, text)
    // Renaming ensures that a file with the final name is always complete, even if the process ends during the write.
    await rename(`${path}.part`, path).catch((error) => {
      // Another process may have removed the file, because it was one of the oldest.
      if (error.code !== 'ENOENT') throw error
    })
    await this.#removeOldest()
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#path)).filter((name) => NAME.test(name)).sort()
    let [files, bytes] = [0, 0]
    for (const name of names.reverse()) {
      const path = join(this.#path, name)
      files++
      // Another process may have removed the file.
      bytes += (await lstat(path).catch(() => undefined))?.size ?? 0
      if (files > this.#settings.files || bytes > this.#settings.bytes) {
        await rm(path, { force: true })
      }
    }
  }
}

async function ignore(path: string): Promise<void> {
  await create(path, '*\n').catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/**
 * Writes the whole file, or leaves no file. With the flag `wx`, it neither replaces an existing file nor follows an
 * existing link.
 */
async function create(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: OWNER_ONLY.file, flag: 'wx' })
  } catch (error) {
    // If the disk is full, only a part of the file may have been written.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true })
    throw error
  }
}
