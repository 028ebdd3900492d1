import type { Connection, QueryResult, SessionStatement, Statement } from '../driver.js'
import { noteRefused } from '../refused-statement.js'
import { unavailable } from './failures.js'
import type { PgSession } from './pg-session.js'

/** One checkout of a session. After the checkout ends, another user can receive the session. */
export class PgConnection implements Connection {
  readonly #session: PgSession
  #state: 'lent' | 'released' | 'destroyed' = 'lent'

  constructor(session: PgSession) {
    this.#session = session
  }

  query(statement: Statement): Promise<QueryResult> {
    const error = this.#lateError
    if (error !== undefined) return Promise.reject(noteRefused(error, statement))
    return this.#session.query(statement)
  }

  sendTogether(statements: readonly SessionStatement[]): Promise<QueryResult>[] {
    const error = this.#lateError
    if (error === undefined) return this.#session.sendTogether(statements)
    return statements.map(() => handled(Promise.reject(error)))
  }

  async script(text: string): Promise<void> {
    const error = this.#lateError
    if (error !== undefined) throw error
    await this.#session.script(text)
  }

  get isLost(): boolean {
    return this.#state === 'destroyed' || this.#lost !== undefined
  }

  release(): void {
    if (this.#state !== 'lent') return
    this.#state = 'released'
    this.#session.leave()
  }

  destroy(): void {
    if (this.#state !== 'lent') return
    this.#state = 'destroyed'
    this.#session.destroy()
  }

  get #lost(): Error | undefined {
    return this.#state === 'released' ? undefined : this.#session.failure
  }

  get #lateError(): Error | undefined {
    if (this.#state === 'lent') return this.#lost
    return this.#lost ?? unavailable(new Error('The connection has already been released.'))
  }
}

/** Marks the promise as handled, because the caller may await it later. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
