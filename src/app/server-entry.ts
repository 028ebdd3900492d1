import type { Server } from 'node:http'
import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import { sendRequestId } from '../http/request-id.js'
import { notifyStreamIn } from './closing.js'
import { Connections } from './connections.js'
import type { ErrorPaths } from './error-paths.js'
import { HostedRequests } from './hosted-requests.js'
import { createListener, type Listener } from './listener.js'
import { hostedClasses, type MessageClasses } from './message-classes.js'
import type { RequestObservers } from './observe-requests.js'
import type { RequestChain } from './request-chain.js'
import { createHttpServer } from './server.js'
import type { Settings } from './settings/settings.js'
import { SlowReaders } from './slow-readers.js'
import type { RunningFeatures } from './start-features.js'

/** The server and the listener, and the requests for which closing waits. */
export interface ServerEntry {
  readonly server: Server
  readonly listener: Listener
  readonly connections: Connections
  /** Requests that did not arrive through `server`. */
  readonly hostedRequests: HostedRequests
  /** Closes connections of stalled clients; `null` for no time limit. */
  readonly slowReaders: SlowReaders | null
}

/** The input of {@link buildServerEntry}. */
export interface ServerEntryConfig {
  readonly settings: Settings
  readonly express: Application
  readonly messages: MessageClasses
  readonly features: Pick<RunningFeatures, 'scopes'>
  readonly errors: Pick<ErrorPaths, 'onRefusal' | 'parserErrorResponse'>
  readonly chain: RequestChain
  readonly isClosing: () => boolean
  readonly clock: Clock
  readonly logger: Logger
  /** The observers of all requests; `null` if no plugin observes them. */
  readonly observers: RequestObservers | null
  /** Changes the listener before it is added to the server. */
  readonly wrapListener: (listener: Listener) => Listener
}

/** Creates the listener, and the server that calls it. The server does not listen yet. */
export function buildServerEntry(config: ServerEntryConfig): ServerEntry {
  const { express, settings, messages, chain, features, errors, isClosing, observers, logger } =
    config
  const { limits, timeouts } = settings
  const notifyStream = notifyStreamIn(features.scopes)
  const connections = new Connections(notifyStream)
  const hostedRequests = new HostedRequests(notifyStream)
  const begin = [
    ...(observers === null ? [] : [observers.begin]),
    ...(settings.sendsRequestIds ? [sendRequestId] : []),
  ]
  const created = createListener({
    ...chain,
    app: express,
    classesFor: hostedClasses(express, messages),
    onError: errors.onRefusal,
    parserErrorResponse: errors.parserErrorResponse,
    maxHeaders: limits.headers,
    isClosing,
    hostedRequests,
    begin,
    observers,
    logger,
  })
  const listener = config.wrapListener(created)
  const slowReaders =
    timeouts.responseMs === null
      ? null
      : new SlowReaders({ ...config, connections, ms: timeouts.responseMs })
  const server = createHttpServer({ ...messages, listener, connections, timeouts, slowReaders })
  observers?.watch(server)
  return { server, listener, connections, hostedRequests, slowReaders }
}
