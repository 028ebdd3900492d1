import type { Readable } from 'node:stream'

/** How many bytes wait before the part is paused. */
const WAITING_BYTES = 128 * 1024

interface Reader {
  resolve(chunk: Buffer | null): void
  reject(error: Error): void
}

/**
 * The bytes of a part, for one reader. An iterator of the stream would join the pieces that the parser emits: copying them
 * took an eighth of the time of an upload.
 */
export class PartQueue {
  readonly #part: Readable
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #reader: Reader | null = null
  #isEnded = false
  #error: Error | null = null

  constructor(part: Readable) {
    this.#part = part
    part.on('data', (chunk: Buffer) => this.#add(chunk))
    part.on('end', () => {
      this.#isEnded = true
      this.#take()?.resolve(null)
    })
    part.on('error', (error: Error) => this.fail(error))
  }

  /** Resolves with the next bytes; `null` at the end. */
  next(): Promise<Buffer | null> {
    const chunk = this.#chunks.shift()
    if (chunk !== undefined) {
      this.#bytes -= chunk.length
      return Promise.resolve(chunk)
    }
    if (this.#error !== null) return Promise.reject(this.#error)
    if (this.#isEnded) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
      if (this.#part.isPaused()) this.#part.resume()
    })
  }

  /** Ends the queue with an error. */
  fail(error: Error): void {
    this.#error ??= error
    this.#chunks.length = 0
    this.#take()?.reject(this.#error)
  }

  #add(chunk: Buffer): void {
    const reader = this.#take()
    if (reader !== null) return reader.resolve(chunk)
    if (this.#error !== null) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > WAITING_BYTES) this.#part.pause()
  }

  #take(): Reader | null {
    const reader = this.#reader
    this.#reader = null
    return reader
  }
}
