import type { Written } from '../values/write-value.js'

const SIZE = 16_384
/** A scratch buffer that has grown beyond this is not kept. */
const MOST_KEPT = 262_144

const [PARSE, BIND, QUERY] = ['P', 'B', 'Q'].map((letter) => letter.charCodeAt(0)) as [
  number,
  number,
  number,
]
/** `Describe` of the unnamed portal. */
const DESCRIBE = [0x44, 0, 0, 0, 6, 0x50, 0]
/** `Execute` of the unnamed portal, for all rows. */
const EXECUTE = [0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]
const SYNC = [0x53, 0, 0, 0, 4]

/**
 * Writes messages of the protocol (PostgreSQL documentation, 55.7) one after the other into one
 * buffer. `pg` makes a buffer of each message, and the stream then holds and writes each of them.
 */
export class MessageWriter {
  #bytes = Buffer.allocUnsafeSlow(SIZE)
  #at = 0

  /** The messages since the last call. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#at)
    this.#bytes.copy(taken, 0, 0, this.#at)
    this.clear()
    return taken
  }

  /** Forgets the messages since the last `take`. */
  clear(): void {
    this.#at = 0
    if (this.#bytes.length > MOST_KEPT) this.#bytes = Buffer.allocUnsafeSlow(SIZE)
  }

  /** A statement of the simple protocol. It may be several, separated by semicolons. */
  query(text: string): void {
    const start = this.#begin(QUERY)
    this.#text(text)
    this.#end(start)
  }

  /** A statement of the extended protocol, without its `Sync`. */
  statement(text: string, values: readonly Written[]): void {
    const start = this.#begin(PARSE)
    this.#byte(0)
    this.#text(text)
    this.#int16(0)
    this.#end(start)
    this.#bind(values)
  }

  /** Asks for the columns, then runs the statement. */
  describeAndExecute(): void {
    this.#constant(DESCRIBE)
    this.#constant(EXECUTE)
  }

  /** Runs the statement; the columns are not asked for. */
  execute(): void {
    this.#constant(EXECUTE)
  }

  sync(): void {
    this.#constant(SYNC)
  }

  #bind(values: readonly Written[]): void {
    const start = this.#begin(BIND)
    this.#int16(0)
    this.#formats(values)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0)
    this.#end(start)
  }

  /** 0 is text and 1 is binary. No code at all means that all are text. */
  #formats(values: readonly Written[]): void {
    if (values.every(isText)) return this.#int16(0)
    this.#int16(values.length)
    for (const value of values) this.#int16(isText(value) ? 0 : 1)
  }

  #value(value: Written): void {
    if (value === null) return this.#int32(-1)
    const start = this.#reserve(4)
    if (typeof value === 'string') this.#characters(value)
    else this.#copy(value)
    this.#bytes.writeInt32BE(this.#at - start - 4, start)
  }

  #begin(letter: number): number {
    this.#byte(letter)
    return this.#reserve(4)
  }

  /** The length of a message includes itself. */
  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#at - start, start)
  }

  #text(text: string): void {
    this.#characters(text)
    this.#byte(0)
  }

  #characters(text: string): void {
    // A unit of UTF-16 takes at most three bytes of UTF-8.
    this.#ensure(text.length * 3)
    this.#at += this.#bytes.write(text, this.#at, 'utf8')
  }

  #copy(bytes: Uint8Array): void {
    this.#ensure(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  #constant(bytes: readonly number[]): void {
    this.#ensure(bytes.length)
    for (const byte of bytes) this.#bytes[this.#at++] = byte
  }

  #byte(value: number): void {
    this.#ensure(1)
    this.#bytes[this.#at++] = value
  }

  #int16(value: number): void {
    this.#at = this.#bytes.writeUInt16BE(value, this.#reserve(2))
  }

  #int32(value: number): void {
    this.#at = this.#bytes.writeInt32BE(value, this.#reserve(4))
  }

  #reserve(length: number): number {
    this.#ensure(length)
    const start = this.#at
    this.#at += length
    return start
  }

  #ensure(length: number): void {
    if (this.#at + length <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(this.#bytes.length * 2 + length)
    this.#bytes.copy(bytes, 0, 0, this.#at)
    this.#bytes = bytes
  }
}

function isText(value: Written): boolean {
  return value === null || typeof value === 'string'
}
