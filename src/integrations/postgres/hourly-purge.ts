import type { Clock, Logger } from '../../index.js'

/** Rows that have ended are deleted once in this time. */
const PURGE_MS = 3_600_000

/** Deletes the rows of a table that have ended, every hour, until it is closed. */
export class HourlyPurge {
  readonly close: () => Promise<void>

  /**
   * @param purge Deletes the rows.
   * @param failure The line of the log when that fails. The next hour tries again.
   */
  constructor(
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
    purge: () => Promise<unknown>,
    failure: string,
  ) {
    let purging: Promise<unknown> | undefined
    const timer = clock.setInterval(() => {
      purging = purge().catch((err) => logger.warn({ err }, failure))
    }, PURGE_MS)
    this.close = async () => {
      timer.cancel()
      await purging
    }
  }
}
