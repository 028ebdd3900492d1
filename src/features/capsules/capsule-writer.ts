import { randomBytes } from 'node:crypto'
import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import { CapsuleFolder, type CapsuleSettings } from './capsule-folder.js'
import { capsuleOf, type FailedRequest, MOST_ROWS } from './capsule-of.js'
import { ReceivedBodies } from './received-bodies.js'

const ID_BYTES = 2
/** Parts of a second that an id has. */
const PARTS = 256

interface Failed extends FailedRequest {
  readonly secretsOf: (req: Request) => RequestSecretTexts
}

/** Writes the capsules of an application. Never changes a response: its errors are only logged. */
export class CapsuleWriter {
  readonly placeIn = null
  readonly takesAll = false
  readonly needsBodies = true
  readonly bodies: ReceivedBodies = new ReceivedBodies()
  /** The original value. */
  readonly folder: string
  readonly #files: CapsuleFolder
  #logger: Logger | undefined
  #hasFailed = false

  constructor(settings: CapsuleSettings) {
    this.folder = settings.folder
    this.#files = new CapsuleFolder(settings)
  }

  /** Called before the first request. */
  start(logger: Logger): void {
    this.#logger = logger
  }

  /** Called with each request before any code reads its body. */
  follow(req: Request): void {
    this.bodies.follow(req)
  }

  /** A copy of the statement with its current rows, because a handler may change them. */
  keep(statement: RanStatement): RanStatement {
    const { rows } = statement
    if (rows === null) return statement
    const value = rows.slice(0, MOST_ROWS).map(copied)
    // Not spread, because reading `stack` creates it.
    return Object.create(statement, { rows: { value, enumerable: true } }) as RanStatement
  }

  /** As {@link CapsuleWriter.write}. */
  take(failed: Failed): void {
    this.write(failed)
  }

  /**
   * Writes the capsule of a request, later. Never throws.
   *
   * @returns its id; `null` if none is written.
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

  /** A full disk would log a line for each failed request. */
  readonly #fail = (err: unknown): void => {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const { folder } = this
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
