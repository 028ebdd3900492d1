import type { WorkerLink } from '../../contracts/worker.js'
import { mergeSnapshots } from './merge-snapshots.js'
import { type Scrape, scrapeOf, takeSnapshot } from './snapshot.js'

/** The metrics of all workers, read in one of them. */
export interface SharedScrape {
  /** Reads the metrics of all workers. */
  read(): Promise<Scrape>
  /** Leaves the counts of this worker with the others. Call it once, after the last request. */
  leave(): Promise<void>
}

/** Shares the metrics of this process with the other workers. */
export function shareScrape(own: Scrape, link: WorkerLink): SharedScrape {
  const peers = link.shareMetrics(() => takeSnapshot(own))
  return {
    async read() {
      const snapshots = await peers.gather(await takeSnapshot(own))
      return scrapeOf(mergeSnapshots(snapshots), own)
    },
    leave: async () => peers.leave(await takeSnapshot(own)),
  }
}
