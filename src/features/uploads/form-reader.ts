import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FileRule } from '../../contracts/inputs.js'
import { refuse } from '../../errors/refuse.js'
import { type DicerClass, type Feed, feedParser } from './feed-parser.js'
import { FilePart, type FormOfFile } from './file-part.js'
import { baseName, MAX_HEAD_BYTES, MAX_HEADERS, type PartHead, readHead } from './part-head.js'
import { extensionOf } from './signatures.js'
import { StoredFile } from './stored-file.js'
import { invalidPart, malformed, TextFields, tooLarge, wrongType } from './text-fields.js'

/** The content that is allowed in a form, compiled from the route's model. */
export interface FormRules {
  readonly files: Readonly<Record<string, FileRule>>
  /** The names of the text fields. */
  readonly fields: readonly string[]
  /** Whether every field occurs at most once. Otherwise, a field is only complete at the end of the form. */
  readonly areSingle: boolean
  /** The maximum size of all text fields, in bytes. */
  readonly fieldBytes: number
  /** The maximum size of the form, in bytes. */
  readonly formBytes: number
  readonly maxParts: number
  /** The response status for a form that violates these rules. */
  readonly validationStatus: number
}

/** The values of a form: strings, lists of strings, files and lists of files. */
export type FormValues = Record<string, unknown>

/** The number of bytes that the parser accepts before it pauses the connection. */
const PARSER_BYTES = 128 * 1024

const GONE =
  'The request has ended, and its files were deleted: save them before the response is sent.'

/** Reads the form of one request. */
export class FormReader implements FormOfFile {
  failure: Error | null = null
  readonly #rules: FormRules
  readonly #feed: Feed
  readonly #ready: Deferred<FormValues> = deferred()
  readonly #complete: Deferred<void> = deferred()
  readonly #fields: TextFields
  readonly #files: Map<string, StoredFile[]> = new Map()
  readonly #parts: Set<FilePart> = new Set()
  /** The number of parts that have not been read completely. */
  #open = 0
  #count = 0
  #bytes = 0
  #hasHead = true
  #isParsed = false
  #isStreaming = false

  constructor(
    req: IncomingMessage,
    { Dicer, boundary, rules }: { Dicer: DicerClass; boundary: string; rules: FormRules },
  ) {
    this.#rules = rules
    this.#fields = new TextFields(rules.fieldBytes)
    const config = {
      boundary,
      maxHeaderPairs: MAX_HEADERS,
      maxHeaderSize: MAX_HEAD_BYTES,
      highWaterMark: PARSER_BYTES,
    }
    const parser = new Dicer(config)
    parser.on('part', (part) => this.#guard(() => this.#onPart(part)))
    parser.on('finish', () => this.#guard(() => this.#onParsed()))
    parser.on('error', () => this.fail(malformed('ends without its closing boundary')))
    this.#feed = feedParser(req, parser, {
      onBytes: (count) => this.#guard(() => this.#onBytes(count)),
      onCut: () => this.fail(malformed('ended early')),
    })
    if (this.failure !== null) this.#feed.stop()
  }

  /**
   * Resolves with the values as soon as the handler can begin. Rejects with a 400, 413 or 415 error, or with a
   * validation error.
   */
  get ready(): Promise<FormValues> {
    return this.#ready.promise
  }

  get complete(): Promise<void> {
    return this.#complete.promise
  }

  /**
   * Ends the form when its request has ended. Files that were not saved are deleted.
   *
   * @param isCut Whether the client disconnected before it received its response.
   */
  end(isCut: boolean): void {
    this.fail(isCut ? malformed('ended early') : new TypeError(GONE))
    this.#feed.drop()
  }

  fail(error: Error): void {
    if (this.failure !== null) return
    this.failure = error
    // The connection may be closed before the feed exists.
    this.#feed?.stop()
    for (const part of this.#parts) part.drop(error)
    this.#complete.reject(error)
    this.#ready.reject(error)
  }

  async mayStream(): Promise<boolean> {
    const { files, fields, areSingle } = this.#rules
    const areHere =
      areSingle &&
      fields.every((name) => this.#fields.has(name)) &&
      Object.entries(files).every(([name, { max }]) => this.#files.get(name)?.length === max)
    // Another file may still be in the process of being written to disk.
    if (!areHere || this.#isStreaming || this.#open > this.#fields.open + 1) return false
    await this.#fields.read()
    if (this.failure !== null) throw this.failure
    this.#isStreaming = true
    return true
  }

  /** Runs a parser callback, which must not throw into the parser. */
  #guard(run: () => void): void {
    if (this.failure !== null) return
    try {
      run()
    } catch (error) {
      this.fail(error as Error)
    }
  }

  #onBytes(count: number): void {
    this.#bytes += count
    if (this.#bytes > this.#rules.formBytes) throw tooLarge('The form is', this.#rules.formBytes)
  }

  #onPart(part: Readable): void {
    // The parser also emits errors on parts that no code reads.
    part.on('error', () => {})
    if (!this.#hasHead) throw malformed('has a part without headers')
    this.#hasHead = false
    if (++this.#count > this.#rules.maxParts) {
      throw refuse('TOO_MANY_PARAMETERS', `The form has more than ${this.#rules.maxParts} parts`)
    }
    part.once('header', (headers) => {
      this.#hasHead = true
      this.#guard(() => this.#onHead(part, readHead(headers)))
    })
  }

  #onHead(part: Readable, head: PartHead | string): void {
    if (typeof head === 'string') throw malformed(head)
    const { fileName, name } = head
    const { fields, files } = this.#rules
    const isDeclared = fields.includes(name) || Object.hasOwn(files, name)
    if (this.#isStreaming && (isDeclared || fileName !== null)) throw this.#late(name, isDeclared)
    const reading =
      fileName === null ? this.#readField(part, head) : this.#readFile(part, { ...head, fileName })
    this.#open++
    reading.then(
      () => this.#onRead(),
      (error: Error) => this.fail(error),
    )
  }

  #readField(part: Readable, head: PartHead): Promise<void> {
    const { name } = head
    if (Object.hasOwn(this.#rules.files, name)) throw this.#invalid(name, 'must be a file')
    return this.#fields.add(head, part)
  }

  #readFile(
    part: Readable,
    { name, fileName, type }: PartHead & { fileName: string },
  ): Promise<void> {
    const rule = this.#ruleOf(name)
    const files = this.#files.get(name) ?? []
    const facts = {
      field: name,
      originalName: baseName(fileName),
      type: type ?? 'application/octet-stream',
    }
    const extension = rule.types === null ? '' : extensionOf(facts.type)
    const source = new FilePart(part, { ...facts, extension }, { rule, form: this })
    const file = new StoredFile({ ...facts, extension }, source)
    // If the user of a file input has chosen no file, a browser sends an empty file without a name.
    const isNone = fileName === ''
    if (!isNone) {
      if (files.length === rule.max) throw this.#invalid(name, `must be at most ${rule.max} files`)
      if (!isAccepted(facts.type, rule)) throw wrongType(name, rule.types ?? [])
      this.#files.set(name, [...files, file])
    }
    this.#parts.add(source)
    return this.#receive(source, isNone)
  }

  async #receive(source: FilePart, isNone: boolean): Promise<void> {
    const hasBytes = await source.receive()
    if (isNone && hasBytes) throw malformed('has a file without a name')
    if (!isNone) source.checkType()
  }

  #ruleOf(name: string): FileRule {
    const { files, fields } = this.#rules
    const rule = Object.hasOwn(files, name) ? files[name] : undefined
    if (rule !== undefined) return rule
    throw fields.includes(name)
      ? this.#invalid(name, 'must be text, not a file')
      : this.#invalid('', 'has a file with an unknown name')
  }

  #onRead(): void {
    this.#open--
    if (this.#isStreaming) this.#ready.resolve(this.#values())
    if (this.#isParsed) this.#onParsed()
  }

  /** The parser may report the end before all parts are read, and more than once. */
  #onParsed(): void {
    if (!this.#hasHead) throw malformed('has a part without headers')
    this.#isParsed = true
    if (this.#open > 0) return
    this.#complete.resolve()
    this.#ready.resolve(this.#values())
  }

  #values(): FormValues {
    const values: FormValues = Object.assign(Object.create(null), this.#fields.values)
    for (const [name, files] of this.#files) {
      values[name] = this.#rules.files[name]?.max === 1 ? files[0] : files
    }
    return values
  }

  #invalid(path: string, message: string): Error {
    return invalidPart(this.#rules.validationStatus, path, message)
  }

  #late(name: string, isDeclared: boolean): Error {
    return this.#invalid(isDeclared ? name : '', 'has more parts than allowed')
  }
}

function isAccepted(type: string, { types }: FileRule): boolean {
  return types === null || types.includes(type) || types.includes(type.replace(/\/.*$/, '/*'))
}

interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

/**
 * Replaces `Promise.withResolvers`, which Node 20 does not have. An unhandled rejection of this promise does not end
 * the process.
 */
function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
