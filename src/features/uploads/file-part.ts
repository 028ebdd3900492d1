import type { Readable } from 'node:stream'
import type { FileRule } from '../../contracts/upload.js'
import { fileTooLarge, wrongType } from './form-errors.js'
import { isOfType, SIGNATURE_BYTES } from './signatures.js'
import { Spool } from './spool.js'
import type { FileFacts, FileSource } from './stored-file.js'

/** How much of a file waits in memory. */
const MEMORY_BYTES = 64 * 1024

/** The form that a file is a part of. */
export interface FormOfFile {
  /** Why nothing more can be read; `null` while the form is read and its request is handled. */
  readonly failure: Error | null
  /** Resolves when the whole form was read; rejects with {@link FormOfFile.failure}. */
  readonly complete: Promise<void>
  /** Resolves with whether everything else has arrived, so that the handler can read the rest of the file itself. */
  mayStream(): Promise<boolean>
}

/** The bytes of one file: in memory, on disk, or still arriving. */
export class FilePart implements FileSource {
  size: number | null = null
  readonly #facts: FileFacts
  readonly #rule: FileRule
  readonly #form: FormOfFile
  readonly #part: Readable
  readonly #arriving: AsyncIterator<Buffer>
  #head: Buffer[] = []
  #spool: Spool | null = null
  #received = 0
  #isChecked = false

  constructor(
    part: Readable,
    facts: FileFacts,
    { rule, form }: { rule: FileRule; form: FormOfFile },
  ) {
    this.#part = part
    this.#facts = facts
    this.#rule = rule
    this.#form = form
    // Ending the loop must not destroy the part: the parser would wait for it.
    this.#arriving = part.iterator({ destroyOnReturn: false })
  }

  /** Reads the file to its end, or until the handler can read the rest. Resolves with whether it has bytes at all. */
  async receive(): Promise<boolean> {
    for (;;) {
      const chunk = await this.#next()
      if (chunk === null) {
        this.size = this.#received
        return this.size > 0
      }
      this.#head.push(chunk)
      if (this.#received <= MEMORY_BYTES) continue
      if (!(await this.#form.mayStream())) await this.#receiveOnDisk()
      return true
    }
  }

  /** Checks the type of a file that may be shorter than the bytes that usually decide. */
  checkType(): void {
    if (this.#isChecked) return
    this.#isChecked = true
    const { types } = this.#rule
    if (types === null || isOfType(Buffer.concat(this.#head), this.#facts.type)) return
    throw wrongType(this.#facts.field, types)
  }

  async *read(): AsyncGenerator<Buffer, void> {
    if (this.#form.failure !== null) throw this.#form.failure
    if (this.#spool !== null) yield* this.#fromDisk(this.#spool)
    else yield* this.#fromMemory()
    await this.#form.complete
  }

  /** Forgets the bytes: nobody can read them any more. */
  drop(reason: Error): void {
    this.#head = []
    this.#part.destroy(reason)
    // Closing fails only if the file is closed already.
    this.#spool?.close().catch(() => {})
  }

  async #receiveOnDisk(): Promise<void> {
    const spool = await Spool.create()
    this.#spool = spool
    // The request may have ended while the file was opened. `drop` did not see it then.
    if (this.#form.failure !== null) {
      await spool.close()
      throw this.#form.failure
    }
    for (const chunk of this.#head) await spool.write(chunk)
    this.#head = []
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) {
      await spool.write(chunk)
    }
    this.size = this.#received
  }

  async *#fromDisk(spool: Spool): AsyncGenerator<Buffer, void> {
    for await (const chunk of spool.read()) {
      yield chunk
      if (this.#form.failure !== null) throw this.#form.failure
    }
  }

  async *#fromMemory(): AsyncGenerator<Buffer, void> {
    while (this.#head.length > 0) {
      yield this.#head.shift() as Buffer
      if (this.#form.failure !== null) throw this.#form.failure
    }
    if (this.size !== null) return
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) yield chunk
    this.size = this.#received
  }

  /** The next bytes; `null` at the end of the file. Every byte of the file passes here. */
  async #next(): Promise<Buffer | null> {
    const { done, value } = await this.#arriving.next().catch((error: Error) => {
      // Whatever the parser says about its part: the form knows the reason.
      throw this.#form.failure ?? error
    })
    if (done === true) {
      if (this.#form.failure !== null) throw this.#form.failure
      return null
    }
    this.#received += value.length
    if (this.#received > this.#rule.maxBytes) {
      throw fileTooLarge(this.#facts.field, this.#rule.maxBytes)
    }
    if (!this.#isChecked && this.#received >= SIGNATURE_BYTES) {
      this.#head.push(value)
      this.checkType()
      this.#head.pop()
    }
    return value
  }
}
