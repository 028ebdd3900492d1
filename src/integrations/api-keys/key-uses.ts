import type { Clock, Logger, Request } from '../../index.js'
import type { ApiKeyRecord } from './api-keys-options.js'

/** The most keys whose reports are remembered. A key that is forgotten early is reported again. */
const MOST = 10_000

/** The parts of {@link KeyUses}. */
export interface KeyUsesParts<TRecord> {
  readonly clock: Clock
  readonly logger: Logger
  readonly useMs: number
  /** Reports to the application that a key was used. It may throw or reject. */
  readonly report: (record: TRecord, req: Request) => unknown
}

/** Reports that keys were used: each one at most once in an interval. */
export class KeyUses<TRecord extends ApiKeyRecord> {
  readonly #parts: KeyUsesParts<TRecord>
  /** When each key was last reported, the oldest first. Only keys that exist are here, and only for an interval. */
  readonly #reported = new Map<string, number>()
  readonly #running = new Set<Promise<void>>()

  constructor(parts: KeyUsesParts<TRecord>) {
    this.#parts = parts
  }

  /** Notes a use. The report runs later, so that the request does not wait for it. */
  note(record: TRecord, req: Request): void {
    const { clock, useMs } = this.#parts
    const now = clock.monotonic()
    const last = this.#reported.get(record.id)
    if (last !== undefined && now - last < useMs) return
    this.#forget(now)
    this.#reported.delete(record.id)
    this.#reported.set(record.id, now)
    const report = this.#report(record, req)
    this.#running.add(report)
    void report.then(() => this.#running.delete(report))
  }

  /** Waits for the reports that are running. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #report(record: TRecord, req: Request): Promise<void> {
    const { logger, report } = this.#parts
    try {
      // The handler of the request may run first.
      await null
      await report(record, req)
    } catch (err) {
      logger.error({ err, apiKey: record.id }, 'apiKeys(): `onUse` failed')
    }
  }

  #forget(now: number): void {
    for (const [id, at] of this.#reported) {
      if (now - at < this.#parts.useMs && this.#reported.size < MOST) return
      this.#reported.delete(id)
    }
  }
}
