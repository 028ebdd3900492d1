import type { IncomingHttpHeaders } from 'node:http'
import type { Response } from '../contracts/handler.js'

/** The bytes that a response hands to its connection. */
export class SentBody {
  isTooLong = false
  readonly #most: number
  readonly #chunks: Buffer[] = []
  #length = 0

  /** @param most How many bytes are kept. Of a longer body, none is. */
  constructor(res: Response, most: number) {
    this.#most = most
    const { write, end } = res
    const note = (chunk: unknown, encoding: unknown) => this.#note(chunk, encoding)
    // Code that replaces these methods later, such as a compression, calls these.
    res.write = function writeNoted(this: Response, ...args: Parameters<Response['write']>) {
      note(args[0], args[1])
      return write.apply(this, args)
    } as Response['write']
    res.end = function endNoted(this: Response, ...args: unknown[]) {
      note(args[0], args[1])
      return end.apply(this, args as Parameters<Response['end']>)
    } as Response['end']
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  #note(chunk: unknown, encoding: unknown): void {
    const isText = typeof chunk === 'string'
    if (this.isTooLong || !(isText || chunk instanceof Uint8Array)) return
    const bytes = isText ? Buffer.from(chunk, encodingOf(encoding)) : Buffer.from(chunk)
    this.#length += bytes.length
    this.isTooLong = this.#length > this.#most
    if (this.isTooLong) this.#chunks.length = 0
    else this.#chunks.push(bytes)
  }
}

function encodingOf(given: unknown): BufferEncoding {
  return typeof given === 'string' && Buffer.isEncoding(given) ? given : 'utf8'
}

/** The headers as they were sent. `getHeaders` has only headers that were set one by one. */
export function sentHeaders(res: Response): IncomingHttpHeaders {
  // Node keeps the head as text; it has no type, and packages that log responses read it.
  const { _header: head = '' } = res as unknown as { readonly _header?: string | null }
  const lines = (head ?? '').split('\r\n').slice(1)
  const pairs = lines.map((line) => /^([^:]+): ?(.*)$/.exec(line)).filter((match) => match !== null)
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]))
}
