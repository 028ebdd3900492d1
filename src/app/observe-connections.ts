import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ObservedRequest } from '../http/observed-request.js'
import { kSentBytes } from '../http/symbol-fields.js'

/** The observer functions of one upgraded request. */
export interface UpgradeObserver {
  readonly start: (req: IncomingMessage) => ObservedRequest
  readonly end: (observed: ObservedRequest) => void
}

const EVENTS = ['upgrade', 'connect'] as const

/**
 * Observes `upgrade` and `CONNECT` requests. A listener changes how Node handles such requests, so our listener exists
 * only while the program has a listener.
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

/** Observes an upgraded request, which ends when its connection closes. */
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
 * Reports the status in the first bytes that are written to a connection. The program writes the response to an upgrade
 * as text, so the status cannot be read anywhere else.
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

/**
 * A connection, with the number of bytes that it had sent when its last observed request ended. The field is set only
 * if an application counts bytes, because reading the number in Node 20 takes as long as all other work of observing.
 */
export interface ObservedSocket extends Socket {
  [kSentBytes]?: number
}

/** Counts the bytes of a connection from now on. On a serverless platform, there may be no connection. */
export function countBytesFrom(socket: ObservedSocket | null): void {
  if (socket && socket[kSentBytes] === undefined) socket[kSentBytes] = socket.bytesWritten ?? 0
}

/** Returns the number of bytes that a connection has sent since its last observed request; 0 if it is not counted. */
export function sentBytes(socket: ObservedSocket | null): number {
  const before = socket?.[kSentBytes]
  if (!socket || before === undefined) return 0
  const sent = socket.bytesWritten
  if (!(sent > 0)) return 0
  socket[kSentBytes] = sent
  return sent - before
}
