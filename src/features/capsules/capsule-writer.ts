import { randomBytes } from 'node:crypto'
import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import { CapsuleFolder, type CapsuleSettings } from './capsule-folder.js'
import { capsuleOf, type FailedRequest, MOST_ROWS } from './capsule-of.js'
import { ReceivedBodies } from './received-bodies.js'

const ID_BYTES = 2
/** The number of parts into which an ID divides a second. */
const PARTS = 256

interface Failed extends FailedRequest {
  readonly secretsOf: (req: Request) => RequestSecretTexts
}

/** Writes the capsules of an application. It never changes a response: its own errors are only logged. */
export class CapsuleWriter {
  readonly placeIn = null
  readonly takesAll = false
  readonly needsBodies = true
  readonly bodies: ReceivedBodies = new ReceivedBodies()
  /** The folder as the option specifies it. */
  readonly folder: string
  readonly #files: CapsuleFolder
  #logger: Logger | undefined
  #hasFailed = false

  constructor(settings: CapsuleSettings) {
    this.folder = settings.folder
    this.#files = new CapsuleFolder(settings)
  }

  /** Sets the logger. Called before the first request. */
  start(logger: Logger): void {
    this.#logger = logger
  }

  /** Follows a request's body. Called for each request before any code reads the body. */
  follow(req: Request): void {
    this.bodies.follow(req)
  }

  /** Returns a copy of the statement with its current rows, because a handler may change them. */
  keep(statement: RanStatement): RanStatement {
    const { rows } = statement
    if (rows === null) return statement
    const value = rows.slice(0, MOST_ROWS).map(copied)
    // The statement is not spread, because reading `stack` would create the stack.
    return Object.create(statement, { rows: { value, enumerable: true } }) as RanStatement
  }

  /** Has the contract of {@link CapsuleWriter.write}. */
  take(failed: Failed): void {
    this.write(failed)
  }

  /**
   * Writes the capsule of a request later. Never throws.
   *
   * @returns the ID of the capsule; `null` if none is written.
   */
  write(failed: Failed): string | null {
    const { req } = failed.ended
    if (req === null || this.#files.isBusy) return null
    try {
      const { startedAt, durationMs } = failed.record
      const id = idAt(startedAt + durationMs)
      const capsule = capsuleOf(failed, {
        id,
        received: this.bodies.of(req),
        hideIn: this.bodies.hiderOf(req, failed.secretsOf),
      })
      this.#files.add(id, `${JSON.stringify(capsule, null, 1)}\n`, this.#fail)
      return id
    } catch (error) {
      this.#fail(error)
      return null
    }
  }

  /** Resolves when all capsules are written. */
  close(): Promise<void> {
    return this.#files.idle()
  }

  /** Logs a failure to write only once, because a full disk would otherwise log a line for each failed request. */
  readonly #fail = (err: unknown): void => {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const { folder } = this
    try {
      this.#logger?.warn({ err, folder }, 'The capsule of a failed request could not be written')
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

/**
 * Returns an ID like `20261126-093000-a1b2c3`, where `a1` is the part of the second, so that the newest of several
 * failures sorts last.
 */
function idAt(time: number): string {
  const date = new Date(time)
  const [day = '', clock = ''] = date.toISOString().split('T')
  const part = Math.floor((date.getUTCMilliseconds() * PARTS) / 1000)
  const digits = `${day.replaceAll('-', '')}-${clock.slice(0, 8).replaceAll(':', '')}`
  return `${digits}-${part.toString(16).padStart(2, '0')}${randomBytes(ID_BYTES).toString('hex')}`
}
