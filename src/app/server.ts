import { existsSync, lstatSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { dirname } from 'node:path'
import type { RequestClass } from '../http/request.js'
import type { ResponseClass } from '../http/send/response-class.js'
import type { Connections } from './connections.js'
import type { Listener } from './listener.js'
import type { ListenPlace } from './settings/listen-options.js'
import type { TimeoutSettings } from './settings/timeout-options.js'
import type { SlowReaders } from './slow-readers.js'

/**
 * How often Node looks for slow connections. With Node's default of 30 s, a limit of 15 s might take effect only after
 * 45 s.
 */
const CHECK_INTERVAL_MS = 2000

/** The input of {@link createHttpServer}. */
export interface ServerConfig {
  readonly Request: RequestClass
  readonly Response: ResponseClass
  readonly listener: Listener
  readonly connections: Connections
  readonly timeouts: TimeoutSettings
  /** Closes connections of stalled clients; `null` for no time limit. */
  readonly slowReaders: SlowReaders | null
}

/** Creates Node's server. It does not listen yet. */
export function createHttpServer(config: ServerConfig): Server {
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

/** Starts listening. Rejects if the server cannot listen: for example, because the port is in use. */
export function listen(server: Server, { port, host }: ListenPlace): Promise<AddressInfo | string> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => void explainListening(error, port).then(reject, reject)
    server.once('error', refuse)
    const place =
      typeof port === 'string' ? { path: port } : { port, ...(host !== undefined && { host }) }
    try {
      server.listen(place, () => {
        server.off('error', refuse)
        // A server that listens has an address.
        resolve(server.address() as AddressInfo | string)
      })
    } catch (error) {
      server.off('error', refuse)
      reject(error)
    }
  })
}

/**
 * Adds the cause and a remedy to the message of a `server.listen` error. The error remains the same object, with its
 * `code`.
 *
 * @param place The port, or the path of a socket.
 */
async function explainListening(error: unknown, place: number | string): Promise<unknown> {
  if (!(error instanceof Error)) return error
  const { code } = error as NodeJS.ErrnoException
  const reason =
    typeof place === 'string' ? await reasonOfPath(code, place) : reasonOfPort(code, place)
  if (reason !== null) error.message += `. ${reason}`
  return error
}

function reasonOfPort(code: string | undefined, port: number): string | null {
  if (code !== 'EADDRINUSE') return null
  return `Port ${port} is already in use: stop the program that uses it, or choose another port.`
}

async function reasonOfPath(code: string | undefined, path: string): Promise<string | null> {
  // Node reports a missing folder as a missing permission.
  if (code === 'EACCES' && !existsSync(dirname(path))) {
    return `The folder ${dirname(path)} does not exist: create it, or choose another path.`
  }
  if (code !== 'EADDRINUSE') return null
  // Windows does not list pipes as files.
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file !== undefined && !file.isSocket()) {
    return 'The path belongs to a file or folder that is not a socket: choose another path.'
  }
  return (await isStale(path))
    ? 'No program listens on this socket: a killed process left it behind. Remove the file, and start again.'
    : 'This path is already in use: stop the program that uses it, or choose another path.'
}

/** Whether no process is listening on the socket. */
function isStale(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
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
