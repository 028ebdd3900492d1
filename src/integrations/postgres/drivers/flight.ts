import type { PgPackage, PgStep, PgWire } from './pg-package.js'

/** Several queries of `pg` that are sent as one. */
export type Flight = new (steps: readonly PgStep[], hooks: FlightHooks) => PgStep

export interface FlightHooks {
  /** One is answered, and the next one's time begins. */
  readonly onStep: () => void
  readonly onEnd: () => void
}

/** What those get that stand behind a failure. Its cause is that failure. */
export class Skipped extends Error {
  constructor(cause: unknown) {
    super('A statement before it has failed.', { cause })
  }
}

const WITHOUT_RESPONSE =
  'The server was ready for the next statement, but had not answered this one.'

/**
 * A flight has one `Sync`, at its end: PostgreSQL skips to that from whatever it refuses (documentation, 55.2.3). Queries of their own have one each, so a server goes on
 * to the second where the first is cancelled. To its client, a flight is one query, and hands on what it is told to the step whose turn it is.
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
      // No server leaves one out, but a pooler before it may, and whoever waits would wait for ever.
      for (const step of this.#settle(wire)) step.handleError(new Error(WITHOUT_RESPONSE), wire)
      super.handleReadyForQuery(wire)
    }

    /** Tells those that are done, and gives the others. Whoever is told has been told all. */
    #settle(wire: PgWire): readonly PgStep[] {
      const at = this.#at
      this.#at = this.#steps.length
      for (const step of this.#steps.slice(0, at)) step.handleReadyForQuery(wire)
      return this.#steps.slice(at)
    }
  }
}

const unsyncedWires = new WeakMap<PgWire, PgWire>()

/** A connection on which a query sends everything but its `Sync`. */
function unsynced(wire: PgWire): PgWire {
  const known = unsyncedWires.get(wire)
  if (known !== undefined) return known
  const made: PgWire = Object.create(wire, { sync: { value: () => {} } })
  unsyncedWires.set(wire, made)
  return made
}
