import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NextFunction, Response } from '../contracts/handler.js'
import { refused } from '../errors/http-error.js'
import { checkHost } from '../http/check-host.js'
import {
  closeWithConnection,
  hasLostConnection,
  isBehindLast,
} from '../http/close-with-connection.js'
import { adoptRequest, type BlazonRequest, type RequestClass } from '../http/request.js'
import { checkForeignTarget, normalizeTarget } from '../http/request-target.js'
import { adoptResponse, type ResponseClass } from '../http/response.js'
import type { OnError, RunRoute } from '../http/step.js'
import { clientErrorAnswer } from '../pipeline/fail.js'
import type { Harness } from './harness.js'
import { UnderWay } from './under-way.js'

/** What the way from Node to the pipeline needs. */
export interface ListenerConfig {
  readonly Request: RequestClass
  readonly Response: ResponseClass
  /** Middlewares, then the route. */
  readonly run: RunRoute
  readonly onError: OnError
  /** Most header lines of a request. */
  readonly maxHeaders: number
  readonly isClosing: () => boolean
  readonly harness: Harness | undefined
}

/** The two ways in, and what is said to a client that does not speak HTTP. */
export interface Listener {
  /** For requests of our own server, which are ours from the start. */
  readonly handle: (req: BlazonRequest, res: Response) => void
  /** For requests of any server or Express application; `next` takes those that have no route here. */
  readonly handleForeign: (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void
  readonly handleClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** What came another way than through our own listening server. */
  readonly underWay: UnderWay
}

/** Where a request begins that is ours by now. */
interface Entrance {
  readonly open: (req: BlazonRequest, res: Response) => void
  /** For one that Express has read before us: where it is mounted, it has changed `url`. */
  readonly openMounted: (req: BlazonRequest, res: Response) => void
}

function createEntrance({ run, onError, maxHeaders, isClosing }: ListenerConfig): Entrance {
  function enter(req: BlazonRequest, res: Response): void {
    req.res = res
    if (isClosing()) res.shouldKeepAlive = false
    // Two entries a line: name and value.
    if (req.rawHeaders.length > 2 * maxHeaders) {
      const message = `The request has more than ${maxHeaders} header lines`
      return onError(refused('REQUEST_HEADER_FIELDS_TOO_LARGE', message), req, res)
    }
    run(req, res)
  }
  function refuseTarget(error: unknown, req: BlazonRequest, res: Response): void {
    req.res = res
    // Whoever passed this on may read it otherwise: nothing more is believed of its connection.
    res.shouldKeepAlive = false
    onError(error, req, res)
  }
  function open(req: BlazonRequest, res: Response): void {
    try {
      checkHost(req)
      normalizeTarget(req)
    } catch (error) {
      return refuseTarget(error, req, res)
    }
    req.originalUrl = req.url
    enter(req, res)
  }
  function openMounted(req: BlazonRequest, res: Response): void {
    try {
      checkHost(req)
      checkForeignTarget(req)
    } catch (error) {
      return refuseTarget(error, req, res)
    }
    enter(req, res)
  }
  return { open, openMounted }
}

/** Connects Node's events with the pipeline. */
export function createListener(config: ListenerConfig): Listener {
  const { open, openMounted } = createEntrance(config)
  const underWay = new UnderWay()
  function handle(req: BlazonRequest, res: Response): void {
    if (res.socket === null && !mayWait(req, res)) return
    // As below: what comes in on a connection that has ended.
    if (req.socket.writable) open(req, res)
  }
  function handleForeign(req: IncomingMessage, res: ServerResponse, next?: NextFunction): void {
    if (res.socket === null && !mayWait(req, res)) return
    // Cut in this very moment. One that has been cut for a while may still be carried out.
    if (hasLostConnection(res) && !res.closed) return
    const prototypes = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    const { next: theirNext, passOn, tenantScope } = req as BlazonRequest
    const own = adoptRequest(req, config.Request)
    const ownRes = adoptResponse(res, config.Response)
    underWay.add(res)
    if (next === undefined) return open(own, ownRes)
    own.passOn = () => {
      underWay.remove(res)
      Object.setPrototypeOf(req, prototypes[0])
      Object.setPrototypeOf(res, prototypes[1])
      Object.assign(req, { next: theirNext, passOn, tenantScope })
      next()
    }
    openMounted(own, ownRes)
  }
  const listener = { handle, handleForeign, handleClientError, underWay }
  return config.harness === undefined ? listener : watched(listener, config.harness)
}

/** Whether a request that waits for others of its connection can ever be answered. */
function mayWait(req: IncomingMessage, res: ServerResponse): boolean {
  if (isBehindLast(req)) return false
  closeWithConnection(req, res)
  return true
}

/** Connections in memory are none that a server waits for when it closes. */
function watched(listener: Listener, { enter }: Harness): Listener {
  const { handle, handleForeign, underWay } = listener
  return {
    ...listener,
    handle(req, res) {
      underWay.add(res)
      enter(req, () => handle(req, res))
    },
    handleForeign(req, res, next) {
      enter(req, () => handleForeign(req, res, next))
    },
  }
}

function handleClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isGone = error.code === 'ECONNRESET' || !socket.writable
  // An answer has begun: anything written now would be read as part of it.
  const answer = (socket as { _httpMessage?: Response | null })._httpMessage ?? null
  // Or it belongs to an earlier request, whose client would take this answer for its own.
  const isAnswering = answer !== null && (answer.headersSent || answer.req.complete)
  if (isGone || isAnswering) return void socket.destroy()
  socket.end(clientErrorAnswer(error))
}
