import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ObservedRequest } from '../http/observed-request.js'

/** The functions that follow one upgraded request. */
export interface UpgradeObserver {
  readonly start: (req: IncomingMessage) => ObservedRequest
  readonly end: (observed: ObservedRequest) => void
}

const EVENTS = ['upgrade', 'connect'] as const

/**
 * Observes `upgrade` and `CONNECT` requests. A listener for them changes how Node treats such requests, so ours exists
 * only while the program has one.
 */
export function observeUpgrades(server: Server, observer: UpgradeObserver): void {
  for (const event of EVENTS) {
    const observe = (req: IncomingMessage, socket: Duplex) => follow(req, socket, observer)
    server.on('newListener', (name, listener) => {
      if (name !== event || listener === observe) return
      if (server.listenerCount(event) === 0) server.on(event, observe)
    })
    server.on('removeListener', (name, listener) => {
      if (name !== event || listener === observe) return
      if (server.listenerCount(event) === 1) server.off(event, observe)
    })
  }
}

/** A request is over when its connection is closed: until then, the program talks over it. */
function follow(req: IncomingMessage, socket: Duplex, { start, end }: UpgradeObserver): void {
  const observed = start(req)
  const { bytesWritten: before = 0 } = socket as { bytesWritten?: number }
  observed.cause = 'upgrade'
  readStatus(socket, (status) => {
    observed.status = status
    observed.outcome = 'sent'
  })
  socket.once('close', () => {
    const { bytesWritten: after = 0 } = socket as { bytesWritten?: number }
    observed.bytes = after - before
    end(observed)
  })
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/

/**
 * Passes on the status of the first bytes that are written to a connection. The program writes the response to an upgrade
 * as text, so there is no other place to read the status from.
 */
function readStatus(socket: Duplex, found: (status: number) => void): void {
  const { write, end } = socket
  const own = ['write', 'end'].filter((name) => Object.hasOwn(socket, name))
  const restore = (chunk: unknown) => {
    Object.assign(socket, { write, end })
    for (const name of ['write', 'end'])
      if (!own.includes(name)) Reflect.deleteProperty(socket, name)
    const status = STATUS_LINE.exec(String(chunk).slice(0, 16))?.[1]
    if (status !== undefined) found(Number(status))
  }
  const methods = {
    write(...args: unknown[]) {
      restore(args[0])
      return Reflect.apply(write, socket, args)
    },
    end(...args: unknown[]) {
      restore(args[0])
      return Reflect.apply(end, socket, args)
    },
  }
  Object.assign(socket, methods)
}
