import { randomBytes } from 'node:crypto'
import type { Request, Response } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RanStatement } from '../../contracts/statement.js'
import { SentBody } from '../../http/sent-body.js'
import { CapsuleFolder, type CapsuleSettings, nameOfApplication } from './capsule-folder.js'
import { capsuleOf, MOST_ROWS } from './capsule-of.js'
import type { FailedRequest } from './failed-request.js'

/** Bytes of a response that a capsule has. */
const MOST_BYTES = 65_536
const ID_BYTES = 2
/** Parts of a second that an id has. */
const PARTS = 256

/** Writes the capsules of an application. Nothing that it does changes a response: its errors are only logged. */
export class CapsuleWriter {
  readonly #folder: CapsuleFolder
  readonly #settings: CapsuleSettings
  readonly #bodies = new WeakMap<Response, SentBody>()
  #logger: Logger | undefined
  #application: string | null = null
  #hasFailed = false

  constructor(settings: CapsuleSettings) {
    this.#settings = settings
    this.#folder = new CapsuleFolder(settings)
  }

  /** As it was given. */
  get folder(): string {
    return this.#settings.folder
  }

  /** Called before the first request. */
  start(logger: Logger): void {
    this.#logger = logger
    this.#application = nameOfApplication()
  }

  /** Begins to follow the response to a request. Later calls change nothing. */
  follow({ res }: Request): void {
    if (res !== undefined && !this.#bodies.has(res)) {
      this.#bodies.set(res, new SentBody(res, MOST_BYTES))
    }
  }

  /** The statement with its rows as they are now: a handler may change them. */
  keep(statement: RanStatement): RanStatement {
    const { rows } = statement
    if (rows === null) return statement
    const value = rows.slice(0, MOST_ROWS).map(copied)
    // Not spread: the stack is made when it is read.
    return Object.create(statement, { rows: { value, enumerable: true } }) as RanStatement
  }

  /**
   * Writes the capsule of a request, later. Never throws.
   *
   * @returns its id; `null` if none is written.
   */
  write(failed: FailedRequest): string | null {
    const { req, res } = failed.ended
    if (req === null || this.#folder.isBusy) return null
    try {
      const { startedAt, durationMs } = failed.record
      const id = idAt(startedAt + durationMs)
      const body = res === null ? undefined : this.#bodies.get(res)
      const capsule = capsuleOf(failed, { id, application: this.#application, body })
      this.#folder.add(id, `${JSON.stringify(capsule, null, 1)}\n`, this.#fail)
      return id
    } catch (error) {
      this.#fail(error)
      return null
    }
  }

  /** Resolves when all capsules are written. */
  close(): Promise<void> {
    return this.#folder.idle()
  }

  /** A full disk would log a line for each failed request. */
  readonly #fail = (err: unknown): void => {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const { folder } = this.#settings
    try {
      this.#logger?.warn({ err, folder }, 'A capsule of a failed request could not be written')
    } catch {
      // A logger that throws must not end the process.
    }
  }
}

function copied(row: unknown): unknown {
  if (Array.isArray(row)) return [...row]
  const isPlain = typeof row === 'object' && row !== null && !(row instanceof Date)
  return isPlain ? { ...row } : row
}

/** `20261126-093000-a1b2c3`, where `a1` is the part of the second: the newest of several failures has the last name. */
function idAt(time: number): string {
  const date = new Date(time)
  const [day = '', clock = ''] = date.toISOString().split('T')
  const part = Math.floor((date.getUTCMilliseconds() * PARTS) / 1000)
  const digits = `${day.replaceAll('-', '')}-${clock.slice(0, 8).replaceAll(':', '')}`
  return `${digits}-${part.toString(16).padStart(2, '0')}${randomBytes(ID_BYTES).toString('hex')}`
}
