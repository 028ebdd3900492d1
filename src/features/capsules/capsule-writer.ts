import { randomBytes } from 'node:crypto'
import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import { CapsuleFolder, type CapsuleSettings } from './capsule-folder.js'
import { capsuleOf, type FailedRequest, MOST_ROWS } from './capsule-of.js'
import { ReceivedBodies } from './received-bodies.js'

const ID_BYTES = 2
/** The number of parts that each second is divided into for an ID. */
const PARTS = 256

interface Failed extends FailedRequest {
  readonly secretsOf: (req: Request) => RequestSecretTexts
}

/** Writes an application's capsules. It never changes a response: errors while writing are only logged. */
export class CapsuleWriter {
  readonly placeIn = null
  readonly takesAll = false
  readonly needsBodies = true
  readonly bodies: ReceivedBodies = new ReceivedBodies()
  /** The folder, as specified in the option. */
  readonly folder: string
  readonly #files: CapsuleFolder
  #logger: Logger | undefined
  #hasFailed = false

  constructor(settings: CapsuleSettings) {
    this.folder = settings.folder
    this.#files = new CapsuleFolder(settings)
  }

  /** Sets the logger. The application calls this before the first request. */
  start(logger: Logger): void {
    this.#logger = logger
  }

  /** Follows a request's body. Call it for each request before any code reads the body. */
  follow(req: Request): void {
    this.bodies.follow(req)
  }

  /** Returns a copy of the statement with its current rows, because the handler may change the rows later. */
  keep(statement: RanStatement): RanStatement {
    const { rows } = statement
    if (rows === null) return statement
    const value = rows.slice(0, MOST_ROWS).map(copied)
    // The statement is not spread, because reading `stack` would create the stack.
    return Object.create(statement, { rows: { value, enumerable: true } }) as RanStatement
  }

  /** The same as {@link CapsuleWriter.write}, but without a result. */
  take(failed: Failed): void {
    this.write(failed)
  }

  /**
   * Schedules the capsule of a request to be written. Never throws.
   *
   * @returns the capsule's ID; `null` if no capsule will be written.
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

  /** Resolves when all capsules have been written. */
  close(): Promise<void> {
    return this.#files.idle()
  }

  /** Logs a write failure only once. Otherwise, a full disk would cause a log line for each failed request. */
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
 * Returns an ID such as `20261126-093000-a1b2c3`, where `a1` is the fraction of the second, so that the newest failure
 * sorts last.
 */
function idAt(time: number): string {
  const date = new Date(time)
  const [day = '', clock = ''] = date.toISOString().split('T')
  const part = Math.floor((date.getUTCMilliseconds() * PARTS) / 1000)
  const digits = `${day.replaceAll('-', '')}-${clock.slice(0, 8).replaceAll(':', '')}`
  return `${digits}-${part.toString(16).padStart(2, '0')}${randomBytes(ID_BYTES).toString('hex')}`
}
