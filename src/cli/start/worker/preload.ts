// Loaded before the application, in a worker: `node --import preload.js main.js`.
import cluster from 'node:cluster'
import { isMainThread } from 'node:worker_threads'
import { PLACE_VARIABLE, type WorkerPlace } from '../protocol.js'
import { PrimaryLink } from './primary-link.js'

/** `app/worker-link.ts` explains it. */
const LINK = Symbol.for('blazon.worker')

const place = process.env[PLACE_VARIABLE]
// Threads and programs that the application starts inherit Node's options, and load this file, too.
if (cluster.isWorker && isMainThread && place !== undefined) {
  delete process.env[PLACE_VARIABLE]
  const link = new PrimaryLink(JSON.parse(place) as WorkerPlace)
  Object.defineProperty(globalThis, LINK, { value: link })
  // For the primary, which restarts: a terminal sends it to all processes.
  process.on('SIGHUP', () => {})
}
