import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CHUNK_BYTES = 64 * 1024

/**
 * A temporary file without a name. The name is removed as soon as the file is open, so the file is gone when it is
 * closed, and when the process ends in any way.
 */
export class Spool {
  readonly #handle: FileHandle

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Creates an empty file in the folder for temporary files. Other users cannot open it. */
  static async create(): Promise<Spool> {
    const path = join(tmpdir(), `blazon-${randomUUID()}`)
    const handle = await open(path, 'wx+', 0o600)
    try {
      await unlink(path)
    } catch (error) {
      await handle.close()
      throw error
    }
    return new Spool(handle)
  }

  /** Writes the next bytes. */
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

  /** Closes the file, which is gone then. Calls that are running end first. */
  async close(): Promise<void> {
    await this.#handle.close()
  }
}
