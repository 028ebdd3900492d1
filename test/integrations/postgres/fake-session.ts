import { EventEmitter } from 'node:events'
import { vi } from 'vitest'
import { PgConnection } from '../../../src/integrations/postgres/drivers/pg-connection.js'
import { PgSession } from '../../../src/integrations/postgres/drivers/pg-session.js'
import { turns } from '../../journeys/turns.js'

export const LIMIT_MS = 1000

interface Step {
  readonly isSimple: boolean
  complete(tag: string): void
  settle(explain: (error: unknown) => Error): void
  fail(error: unknown, explain: (error: unknown) => Error): void
}

interface Hooks {
  onWrite(): void
  onStep(): void
  onEnd(): void
  onUnwritten(error: Error): void
  explain(error: unknown): Error
}

/** A flight that a test answers. */
export class Flight {
  constructor(
    readonly steps: readonly Step[],
    readonly hooks: Hooks,
  ) {}
}

/** A client of `pg` whose server is the test. */
class FakeClient extends EventEmitter {
  readonly flights: Flight[] = []
  readonly scripts: { text: string; resolve(): void; reject(error: Error): void }[] = []
  readonly events: string[] = []
  status = 'I'
  readonly secretKey = null
  readonly connection = {
    stream: {
      destroy: () => this.events.push('destroyed'),
      cork: () => this.events.push('cork'),
      uncork: () => this.events.push('uncork'),
    },
  }

  // No request to cancel a statement is sent without this number.
  get processID() {
    this.events.push('cancel')
    return null
  }

  query(sent: Flight | { readonly text: string }) {
    if (sent instanceof Flight) return void this.flights.push(sent)
    return new Promise<void>((resolve, reject) => this.scripts.push({ ...sent, resolve, reject }))
  }

  getTransactionStatus() {
    return this.status
  }
}

export function open({ isCleanable = true } = {}) {
  const client = new FakeClient()
  const ends: boolean[] = []
  let readOnly = 0
  const session = new PgSession(client as never, {
    Flight: Flight as never,
    limitMs: LIMIT_MS,
    statementMs: 900,
    isCleanable,
    onReadOnly: () => readOnly++,
    onEnd: (ended) => ends.push(ended.isRetired),
  })
  const lend = () => {
    session.isLent = true
    return new PgConnection(session)
  }
  /** Answers the oldest flight, and reports that the server is ready for the next statement. */
  const answer = (error?: Error) => {
    const { steps, hooks } = client.flights.shift() as Flight
    for (const step of steps) {
      if (error !== undefined) step.fail(error, hooks.explain)
      else {
        step.complete('SELECT 0')
        hooks.onStep()
        step.settle(hooks.explain)
      }
    }
    hooks.onEnd()
    client.emit('drain')
  }
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await turns(5)
  }
  return { client, session, ends, lend, answer, pass, readOnly: () => readOnly }
}

export const refusal = (code: string) =>
  Object.assign(new Error('refused'), { code, severity: 'ERROR' }) as Error

export const query = (connection: PgConnection, text = 'select 1') => {
  const result = connection.query({ text })
  result.catch(() => undefined)
  return result
}
