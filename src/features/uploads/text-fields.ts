import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { HttpError } from '../../errors/http-error.js'
import { refuse } from '../../errors/refuse.js'
import { isForbiddenName } from '../../http/body-reader.js'
import type { PartHead } from './part-head.js'

/** The text fields of one form. */
export class TextFields {
  /** The values, in an object without a prototype. A field that was sent more than once is a list. */
  readonly values: Record<string, string | string[]> = Object.create(null)
  /** The number of fields that have not been read completely. */
  open = 0
  readonly #maxBytes: number
  readonly #names: Set<string> = new Set()
  readonly #reading: Promise<void>[] = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether a field has begun to arrive. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Resolves when all fields that have begun to arrive have been read. */
  async read(): Promise<void> {
    await Promise.all(this.#reading)
  }

  /** Reads one field. Throws or rejects with a 400 or 413 error. */
  add(head: PartHead, part: Readable): Promise<void> {
    const { name } = head
    if (isForbiddenName(name)) throw malformed('has a field with a forbidden name')
    this.#names.add(name)
    this.open++
    const reading = this.#readPart(head, part)
    this.#reading.push(reading)
    return reading
  }

  #readPart({ name, encoding }: PartHead, part: Readable): Promise<void> {
    const chunks: Buffer[] = []
    return new Promise((resolve, reject) => {
      part.on('data', (chunk: Buffer) => {
        this.#bytes += chunk.length
        if (this.#bytes > this.#maxBytes)
          reject(tooLarge('The text fields of the form are', this.#maxBytes))
        else chunks.push(chunk)
      })
      part.on('end', () => {
        this.open--
        const bytes = Buffer.concat(chunks)
        if (encoding === 'utf8' && !isUtf8(bytes)) {
          return reject(malformed('has a field that is not valid UTF-8'))
        }
        this.#set(name, bytes.toString(encoding))
        resolve()
      })
    })
  }

  #set(name: string, text: string): void {
    const known = this.values[name]
    if (known === undefined) this.values[name] = text
    else if (typeof known === 'string') this.values[name] = [known, text]
    else known.push(text)
  }
}

/** Creates the error for a malformed form. The message does not repeat names that the client chose. */
export function malformed(problem: string): HttpError {
  return refuse('MALFORMED_BODY', `The form ${problem}`)
}

/** Creates the error for a missing form, or for a part that violates the rules of the form. */
export function invalidPart(status: number, path: string, message: string): HttpError {
  return refuse('VALIDATION_FAILED', 'Validation failed', {
    status,
    errors: [{ in: 'body', path, message }],
  })
}

export function fileTooLarge(path: string, bytes: number): HttpError {
  const message = `must be at most ${bytes} bytes`
  return refuse('PAYLOAD_TOO_LARGE', 'A file is too large', {
    errors: [{ in: 'body', path, message }],
  })
}

export function tooLarge(what: string, bytes: number): HttpError {
  return refuse('PAYLOAD_TOO_LARGE', `${what} larger than ${bytes} bytes`)
}

export function wrongType(path: string, types: readonly string[]): HttpError {
  const message = `must be a file of the type ${types.join(', ')}`
  return refuse('UNSUPPORTED_MEDIA_TYPE', 'A file has a type that is not accepted', {
    errors: [{ in: 'body', path, message }],
  })
}
