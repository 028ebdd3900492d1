import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '../contracts/logger.js'
import type { Token } from '../contracts/provider.js'
import { closedError } from './lifecycle.js'
import type { Reading } from './reading.js'
import { listen } from './server.js'
import {
  checkPort,
  type ListenOptions,
  type ListenPlace,
  listenOptions,
} from './settings/listen-options.js'
import { logStart } from './start-line.js'
import { findWorkerLink, listenAsWorker } from './worker-link.js'

/** Where an application shall listen, and how. */
export interface ListenRequest {
  readonly place: ListenPlace
  readonly options: ListenOptions
}

/**
 * Reads the arguments of `listen`.
 *
 * @throws RangeError if `port` is neither a port number nor the path of a socket.
 */
export function readListen(port: number | string, where: string | ListenOptions): ListenRequest {
  checkPort(port)
  const options = listenOptions(where, findWorkerLink())
  return { place: { port, host: options.host }, options }
}

/** The application that listens. */
export interface ListeningApp {
  readonly app: { get<T>(token: Token<T>): T }
  readonly reading: Reading
  /** Starts the application, if it has not started yet. */
  readonly start: () => Promise<{ readonly server: Server }>
  readonly isClosing: () => boolean
  /** Called with the promise of the address, so that closing can wait for it. */
  readonly began: (listening: Promise<AddressInfo | string>) => void
}

/** Starts an application and listens; in a worker of `blazon start`, when its turn comes. */
export async function startListening(
  { app, reading, start, isClosing, began }: ListeningApp,
  place: ListenPlace,
): Promise<AddressInfo | string> {
  return await listenAsWorker(
    app,
    () => reading.settings.timeouts,
    async () => {
      const { server } = await start()
      // `close` may have been called during the start.
      if (isClosing()) throw closedError()
      const listening = listen(server, place)
      began(listening)
      return await listening
    },
  )
}

/** The application whose start is logged. */
export interface StartedApp {
  readonly reading: Reading
  readonly logger: Logger
  readonly startMs: number
}

/** Logs where an application listens. */
export function announceStart(
  { reading, logger, startMs }: StartedApp,
  address: AddressInfo | string,
): void {
  const routes = reading.description.model.routes.length
  logStart({ logger, address, routes, startMs, documents: reading.documents })
}
