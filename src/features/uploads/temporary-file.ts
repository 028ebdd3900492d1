import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CHUNK_BYTES = 64 * 1024

/**
 * A temporary file. Its name is removed as soon as the file is open, so the file is deleted when it is closed, or when
 * the process ends for any reason.
 */
export class TemporaryFile {
  readonly #handle: FileHandle

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Creates an empty file in the folder for temporary files. Other users cannot open it. */
  static async create(): Promise<TemporaryFile> {
    const path = join(tmpdir(), `blazon-${randomUUID()}`)
    const handle = await open(path, 'wx+', 0o600)
    try {
      await unlink(path)
    } catch (error) {
      await handle.close()
      throw error
    }
    return new TemporaryFile(handle)
  }

  async write(chunk: Buffer): Promise<void> {
    await this.#handle.appendFile(chunk)
  }

  /** Reads the file from its start. */
  async *read(): AsyncGenerator<Buffer, void> {
    for (let position = 0; ; ) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      const { bytesRead } = await this.#handle.read({ buffer, position })
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  /** Closes the file, which deletes it. Waits for running calls first. */
  async close(): Promise<void> {
    await this.#handle.close()
  }
}
