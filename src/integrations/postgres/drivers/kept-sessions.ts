import { Deadline } from './deadline.js'
import type { PgSession } from './pg-session.js'

/** How long a connection that is not in use is kept, in milliseconds; at most twice as long. */
const KEEP_MS = 1000

/**
 * Connections that are not in use, for the next users. The pool of `pg` makes timers, listeners and
 * promises for each loan, so it is left out while there is work. It gets the connections that were
 * not used for a while, and closes those that stay idle.
 */
export class KeptSessions {
  readonly #giveBack: (session: PgSession) => void
  /** The last one was used last. */
  #kept: PgSession[] = []
  /** Those that were not used since the last sweep. */
  #unused = new Set<PgSession>()
  #end: Deadline | undefined

  /** @param giveBack Gives a session back to the pool of `pg`. */
  constructor(giveBack: (session: PgSession) => void) {
    this.#giveBack = giveBack
  }

  put(session: PgSession): void {
    session.place = 'kept'
    this.#kept.push(session)
    this.#end ??= this.#newEnd()
  }

  /** Removes and returns the one that was used last; `undefined` if there is none. */
  take(): PgSession | undefined {
    const session = this.#kept.pop()
    if (session !== undefined) this.#unused.delete(session)
    return session
  }

  /** Forgets one that was closed. */
  remove(session: PgSession): void {
    this.#kept = this.#kept.filter((kept) => kept !== session)
    this.#unused.delete(session)
  }

  /** Gives all back. */
  clear(): void {
    this.#end?.cancel()
    this.#end = undefined
    const kept = this.#kept
    this.#kept = []
    this.#unused = new Set()
    for (const session of kept) this.#giveBack(session)
  }

  #newEnd(): Deadline {
    return new Deadline(KEEP_MS, () => this.#sweep()).unref()
  }

  #sweep(): void {
    const unused = this.#unused
    this.#kept = this.#kept.filter((session) => !unused.has(session))
    this.#unused = new Set(this.#kept)
    this.#end = this.#kept.length > 0 ? this.#newEnd() : undefined
    for (const session of unused) this.#giveBack(session)
  }
}
