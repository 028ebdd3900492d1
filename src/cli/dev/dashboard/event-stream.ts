import type { ServerResponse } from 'node:http'
import { every } from '../deadline.js'
import type { Journal } from './journal.js'

/** A comment in the stream shows both sides that the connection still exists. */
const HEARTBEAT_MS = 15_000
/** A page that reads so slowly is hidden or stopped: it connects again, and begins with everything. */
const MOST_BYTES_WAITING = 4_000_000

/** Sends the state of a journal, then its changes, until the client leaves. Returns a function that ends the stream. */
export function sendEvents(journal: Journal, res: ServerResponse): () => void {
  const send = (name: string, data: unknown) => {
    res.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    if (res.writableLength > MOST_BYTES_WAITING) res.destroy()
  }
  send('snapshot', journal.snapshot)
  const stopWatching = journal.watch(({ name, data }) => send(name, data))
  const stopHeartbeat = every(HEARTBEAT_MS, () => void res.write(': still there\n\n'))
  const stop = () => {
    stopWatching()
    stopHeartbeat()
  }
  res.once('close', stop)
  return () => {
    stop()
    res.end()
  }
}
