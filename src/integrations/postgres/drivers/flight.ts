import type { PgPackage, PgStep, PgWire } from './pg-package.js'

/** Several queries of `pg` that are sent together. */
export type Flight = new (steps: readonly PgStep[], hooks: FlightHooks) => PgStep

export interface FlightHooks {
  /** Called after each response; the time limit of the next statement begins then. */
  readonly onStep: () => void
  readonly onEnd: () => void
}

/** The error of the statements after a failed one. Its cause is the failure. */
export class Skipped extends Error {
  constructor(cause: unknown) {
    super('A statement before it has failed.', { cause })
  }
}

const WITHOUT_RESPONSE =
  'The server was ready for the next statement, but had not responded to this one.'

/**
 * A flight has one `Sync`, at its end. After a refused statement, PostgreSQL skips everything up to
 * that `Sync` (documentation, 55.2.3). Separate queries have one `Sync` each, so the server would
 * run the second query after the first was cancelled. For its `pg` client a flight is one query; it
 * forwards each message to the step whose turn it is.
 */
export function flightOf({ Query }: Pick<PgPackage, 'Query'>): Flight {
  return class extends Query {
    readonly #steps: readonly PgStep[]
    readonly #onStep: () => void
    #at = 0

    constructor(steps: readonly PgStep[], { onStep, onEnd }: FlightHooks) {
      super({ text: '' }, onEnd)
      this.#steps = steps
      this.#onStep = onStep
    }

    override submit(wire: PgWire): null {
      const within = unsynced(wire)
      for (const step of this.#steps) step.submit(within)
      wire.sync()
      return null
    }

    override handleRowDescription(message: unknown): void {
      this.#steps[this.#at]?.handleRowDescription(message)
    }

    override handleDataRow(message: unknown): void {
      this.#steps[this.#at]?.handleDataRow(message)
    }

    override handleCommandComplete(message: unknown, wire: PgWire): void {
      this.#steps[this.#at++]?.handleCommandComplete(message, wire)
      this.#onStep()
    }

    override handleEmptyQuery(wire: PgWire): void {
      this.#steps[this.#at++]?.handleEmptyQuery(wire)
      this.#onStep()
    }

    override handleError(error: Error, wire: PgWire): void {
      const [failed, ...skipped] = this.#settle(wire)
      failed?.handleError(error, wire)
      for (const step of skipped) step.handleError(new Skipped(error), wire)
      super.handleError(error, wire)
    }

    override handleReadyForQuery(wire: PgWire): void {
      // Servers respond to every statement, but a pooler may not. Without this error, the caller
      // would wait without end.
      for (const step of this.#settle(wire)) step.handleError(new Error(WITHOUT_RESPONSE), wire)
      super.handleReadyForQuery(wire)
    }

    /** Notifies the steps that are done and returns the others. Each step is notified once. */
    #settle(wire: PgWire): readonly PgStep[] {
      const at = this.#at
      this.#at = this.#steps.length
      for (const step of this.#steps.slice(0, at)) step.handleReadyForQuery(wire)
      return this.#steps.slice(at)
    }
  }
}

const unsyncedWires = new WeakMap<PgWire, PgWire>()

/** Wraps a connection so that queries on it send everything except their `Sync`. */
function unsynced(wire: PgWire): PgWire {
  const known = unsyncedWires.get(wire)
  if (known !== undefined) return known
  const made: PgWire = Object.create(wire, { sync: { value: () => {} } })
  unsyncedWires.set(wire, made)
  return made
}
