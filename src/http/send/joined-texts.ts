import { Readable } from 'node:stream'

/** The length from which on a text is sent without waiting for more. */
const MOST = 16 * 1024

/**
 * Makes a stream of an async iterable. Texts that follow each other at once become one chunk: a chunk for each row of a
 * table takes more time than all other work for the row. No text waits for a later one, because `process.nextTick` runs
 * as soon as the iterable waits for anything but settled promises. All other values are passed on as they are.
 */
export function joinTexts(items: AsyncIterable<unknown>): Readable {
  return new JoinedTexts(items[Symbol.asyncIterator]())
}

class JoinedTexts extends Readable {
  readonly #source: AsyncIterator<unknown>
  #text = ''
  #isWanted = false
  #isReading = false
  #isScheduled = false

  constructor(source: AsyncIterator<unknown>) {
    // The reader decides about values that are neither text nor bytes.
    super({ objectMode: true, highWaterMark: 1 })
    this.#source = source
  }

  override _read(): void {
    this.#isWanted = true
    if (!this.#isReading) void this.#readWhileWanted()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#text = ''
    this.#end().then(
      () => done(error),
      (late) => done(error ?? late),
    )
  }

  async #end(): Promise<void> {
    await this.#source.return?.()
  }

  async #readWhileWanted(): Promise<void> {
    this.#isReading = true
    try {
      while (this.#isWanted) {
        const { done, value } = await this.#source.next()
        if (this.destroyed) return
        if (done === true) {
          this.#flush()
          this.push(null)
          return
        }
        this.#add(value)
      }
    } catch (error) {
      this.#flush()
      this.destroy(error as Error)
    } finally {
      this.#isReading = false
    }
  }

  #add(value: unknown): void {
    if (typeof value !== 'string') {
      this.#flush()
      this.#isWanted = this.push(value)
      return
    }
    this.#text += value
    if (this.#text.length >= MOST) return this.#flush()
    if (this.#isScheduled) return
    this.#isScheduled = true
    process.nextTick(() => {
      this.#isScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    this.#isWanted = this.push(text)
  }
}
