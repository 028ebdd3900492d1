import { randomUUID } from 'node:crypto'
import { open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SavedFile, UploadedFile } from '../../contracts/inputs.js'
import { acceptAsFile } from '../../schema/file-schema.js'

/** The facts about a file that are available before its first byte arrives. */
export interface FileFacts {
  readonly field: string
  readonly originalName: string | null
  readonly type: string
  /** The extension for the file name; empty if the type was not checked, or has no known extension. */
  readonly extension: string
}

/** The source of a file's bytes. */
export interface FileSource {
  /** Reads the bytes, in order. It is called only once. */
  read(): AsyncIterable<Buffer>
  /** The number of bytes; `null` while the file is arriving. */
  readonly size: number | null
}

/**
 * A file in a form. It can be read once. Its fields are private, so that logs and JSON do not contain the file's bytes.
 */
export class StoredFile implements UploadedFile {
  readonly #facts: FileFacts
  readonly #source: FileSource
  readonly #name: string
  #isRead = false

  constructor(facts: FileFacts, source: FileSource) {
    this.#facts = facts
    this.#source = source
    this.#name = `${randomUUID()}${facts.extension}`
    acceptAsFile(this)
  }

  get field(): string {
    return this.#facts.field
  }

  get name(): string {
    return this.#name
  }

  get originalName(): string | null {
    return this.#facts.originalName
  }

  get type(): string {
    return this.#facts.type
  }

  get size(): number | null {
    return this.#source.size
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    if (this.#isRead) {
      throw new TypeError(
        `The file '${this.field}' has already been read. A file can be read only once: store its bytes, or save it.`,
      )
    }
    this.#isRead = true
    return this.#source.read()[Symbol.asyncIterator]()
  }

  stream(): Readable {
    return Readable.from(this, { objectMode: false })
  }

  async pipe(destination: Writable): Promise<void> {
    await pipeline(this.stream(), destination)
  }

  async bytes(): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  async save(folder: string): Promise<SavedFile> {
    const path = join(folder, this.#name)
    const partial = join(folder, `.${this.#name}.part`)
    const size = await this.#write(partial)
    await rename(partial, path)
    return { path, name: this.#name, size }
  }

  /** Returns the facts, for logs and for handlers that return the request body. */
  toJSON(): object {
    const { field, name, originalName, type, size } = this
    return { field, name, originalName, type, size }
  }

  /** Writes to a file that does not exist yet. Removes the file if writing fails. */
  async #write(path: string): Promise<number> {
    const handle = await open(path, 'wx')
    let size = 0
    try {
      for await (const chunk of this) {
        size += chunk.length
        await handle.appendFile(chunk)
      }
      await handle.close()
      return size
    } catch (error) {
      await handle.close().catch(() => {})
      await unlink(path).catch(() => {})
      throw error
    }
  }
}
