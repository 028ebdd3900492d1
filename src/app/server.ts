import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import type { RequestClass } from '../http/request.js'
import { sendRequestId } from '../http/request-id.js'
import type { ResponseClass } from '../http/send/response-class.js'
import { notifyStreamIn } from './closing.js'
import { Connections } from './connections.js'
import type { ErrorPaths } from './error-paths.js'
import { HostedRequests } from './hosted-requests.js'
import { createListener, type Listener } from './listener.js'
import { hostedClasses, type MessageClasses } from './message-classes.js'
import type { RequestObservers } from './observe-requests.js'
import type { RequestChain } from './request-chain.js'
import type { Settings } from './settings/settings.js'
import type { TimeoutSettings } from './settings/timeout-options.js'
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

/** The input of {@link buildServer}. */
export interface ServerConfig {
  readonly settings: Settings
  readonly express: Application
  readonly classes: MessageClasses
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
export function buildServer(config: ServerConfig): ServerEntry {
  const { express, settings, classes, chain, features, errors, isClosing, observers, logger } =
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
    classesFor: hostedClasses(express, classes),
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
  const server = createHttpServer({ ...classes, listener, connections, timeouts, slowReaders })
  observers?.watch(server)
  return { server, listener, connections, hostedRequests, slowReaders }
}

/**
 * How often Node looks for slow connections. With Node's default of 30 s, a limit of 15 s might take effect only after
 * 45 s.
 */
const CHECK_INTERVAL_MS = 2000

/** The input of {@link createHttpServer}. */
interface HttpServerConfig {
  readonly Request: RequestClass
  readonly Response: ResponseClass
  readonly listener: Listener
  readonly connections: Connections
  readonly timeouts: TimeoutSettings
  /** Closes connections of stalled clients; `null` for no time limit. */
  readonly slowReaders: SlowReaders | null
}

/** Creates Node's server. It does not listen yet. */
function createHttpServer(config: HttpServerConfig): Server {
  const { Request, Response, listener, connections, timeouts, slowReaders } = config
  const handle = slowReaders?.watchFrom(listener.handle) ?? listener.handle
  const server = createServer(
    {
      IncomingMessage: Request as never,
      ServerResponse: Response as never,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // The listener checks `Host` itself, and responds with an envelope.
      requireHostHeader: false,
    },
    handle as never,
  )
  // Node silently drops headers above its limit, including headers that a proxy adds. The listener counts all headers
  // instead.
  server.maxHeadersCount = 0
  server.on('checkContinue', (req, res) => {
    continueOnRead(req, res)
    handle(req as never, res as never)
  })
  server.on('checkExpectation', listener.handleExpectation as never)
  server.on('clientError', listener.handleClientError)
  server.on('connection', (socket) => connections.add(socket))
  return server
}

/**
 * Sends `100 Continue` when the body is read for the first time. Node would send it immediately. Clients would then
 * send bodies even if a guard or limit refuses the request by its head alone (RFC 9110, section 10.1.1). While a
 * response waits for earlier responses, the `100 Continue` waits too; otherwise Node would write it before the earlier
 * responses.
 */
function continueOnRead(req: IncomingMessage, res: ServerResponse): void {
  const { _read: read } = req
  function sendContinue(): void {
    // If the response has begun, the body is read only to be discarded.
    if (!res.headersSent) res.writeContinue()
  }
  req._read = function readOnce(size) {
    req._read = read
    if (res.socket === null) res.once('socket', sendContinue)
    else sendContinue()
    return read.call(req, size)
  }
}
