import cluster, { type Worker } from 'node:cluster'
import type { EventEmitter } from 'node:events'
import { turn } from '../dev/deadline.js'

/** A message between the two parts of `node:cluster`, which its types do not describe. */
interface Handover {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

interface Child extends EventEmitter {
  send(message: Handover, handle?: { close(): void }, ...rest: unknown[]): boolean
}

/**
 * When a worker has ended, gives the connections to others that it has not accepted, or closes them if there are no
 * others. `node:cluster` waits for the reply of the dead worker for ever, and so does the client. Node has not read
 * from these connections. If a version of Node has other messages, nothing is found, and Node does what it does.
 */
export function returnConnections(worker: Worker, hasOthers: () => boolean): void {
  const child = worker.process as EventEmitter as Child
  const waiting = new Map<number | undefined, { close(): void }>()
  const send = child.send.bind(child)
  child.send = (message, handle, ...rest) => {
    if (message.act === 'newconn' && handle) waiting.set(message.seq, handle)
    return send(message, handle, ...rest)
  }
  child.on('internalMessage', ({ ack }: Handover) => void waiting.delete(ack))
  worker.once('exit', async () => {
    // Messages that the worker has sent before its end are read first.
    await turn()
    // Without the reply to a handle, Node may not notice that the channel is closed.
    if (cluster.workers?.[worker.id] !== undefined) child.emit('disconnect')
    for (const [ack, handle] of waiting) {
      if (!hasOthers()) handle.close()
      else child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
    }
  })
}
