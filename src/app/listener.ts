import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NextFunction, Response } from '../contracts/handler.js'
import { refuse } from '../errors/refuse.js'
import { checkHead } from '../http/check-head.js'
import {
  closeWithConnection,
  hasLostConnection,
  isBehindLast,
} from '../http/close-with-connection.js'
import { hasTooManyParameters } from '../http/count-parameters.js'
import { returnBody } from '../http/given-body.js'
import { kPassOn, kTenantScope } from '../http/own-fields.js'
import { adoptRequest, type BlazonRequest } from '../http/request.js'
import { checkForeignTarget, normalizeTarget } from '../http/request-target.js'
import { adoptResponse } from '../http/send/response-class.js'
import { forgetWay, noteReturn } from '../http/ways-on.js'
import type { OnError, RunRoute } from '../step/step.js'
import { handleClientError } from './client-error.js'
import type { MessageClasses } from './message-classes.js'
import type { UnderWay } from './under-way.js'

/** What the way from Node to the pipeline needs. */
export interface ListenerConfig {
  /** For requests of another server, by what their `app` is. */
  readonly classesFor: (host: unknown) => MessageClasses
  /** Middlewares, then the route. */
  readonly run: RunRoute
  /** The same for a query string of too many parameters. */
  readonly runExcessive: RunRoute
  readonly onError: OnError
  /** Most header lines of a request. */
  readonly maxHeaders: number
  readonly isClosing: () => boolean
  /** Counts the requests that come another way than through the application's server. */
  readonly underWay: UnderWay
  /** The identity of the application. */
  readonly app: object
}

/** The two ways in, and what is said to a client that does not speak HTTP. */
export interface Listener {
  /** For requests of the application's server, which are made by its classes. */
  readonly handle: (req: BlazonRequest, res: Response) => void
  /** For requests of any server or Express application; `next` takes those that have no route here. */
  readonly handleForeign: (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void
  readonly handleClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
}

/** Where a request begins that is ours by now. */
interface Entrance {
  readonly open: (req: BlazonRequest, res: Response) => void
  /** For one that Express has read before us: where it is mounted, it has changed `url`. */
  readonly openMounted: (req: BlazonRequest, res: Response) => void
}

function createEntrance(config: ListenerConfig): Entrance {
  const { run, runExcessive, onError, maxHeaders, isClosing } = config
  function enter(req: BlazonRequest, res: Response): void {
    req.res = res
    if (isClosing()) res.shouldKeepAlive = false
    // Two entries a line: name and value.
    if (req.rawHeaders.length > 2 * maxHeaders) {
      const message = `The request has more than ${maxHeaders} header lines`
      return onError(refuse('REQUEST_HEADER_FIELDS_TOO_LARGE', message), req, res)
    }
    if (hasTooManyParameters(req.url)) runExcessive(req, res)
    else run(req, res)
  }
  function refuseTarget(error: unknown, req: BlazonRequest, res: Response): void {
    req.res = res
    // Whoever passed this on may read it otherwise: nothing more is believed of its connection.
    res.shouldKeepAlive = false
    onError(error, req, res)
  }
  function open(req: BlazonRequest, res: Response): void {
    try {
      checkHead(req)
      normalizeTarget(req)
    } catch (error) {
      return refuseTarget(error, req, res)
    }
    req.originalUrl = req.url
    enter(req, res)
  }
  function openMounted(req: BlazonRequest, res: Response): void {
    try {
      checkHead(req)
      checkForeignTarget(req)
    } catch (error) {
      return refuseTarget(error, req, res)
    }
    // `*` asks the application that ours is mounted in; the router would take it for `/`.
    if (req.url === '*') req[kPassOn]?.()
    else enter(req, res)
  }
  return { open, openMounted }
}

/** Connects Node's events with the pipeline. */
export function createListener(config: ListenerConfig): Listener {
  const { open, openMounted } = createEntrance(config)
  const { underWay, app: thisApp } = config
  function handle(req: BlazonRequest, res: Response): void {
    if (res.socket === null && !mayWait(req, res)) return
    // As below: what comes in on a connection that has ended.
    if (req.socket.writable) open(req, res)
  }
  function handleForeign(req: IncomingMessage, res: ServerResponse, next?: NextFunction): void {
    if (res.socket === null && !mayWait(req, res)) return
    // Cut in this very moment. One that has been cut for a while may still be carried out.
    if (hasLostConnection(res) && !res.closed) return
    const reqPrototype = Object.getPrototypeOf(req)
    const resPrototype = Object.getPrototypeOf(res)
    const { app, next: theirNext, [kPassOn]: passOn, [kTenantScope]: scope } = req as BlazonRequest
    const { Request, Response } = config.classesFor(app)
    const body = Object.getOwnPropertyDescriptor(req, 'body')
    const adopted = adoptRequest(req, Request)
    const adoptedRes = adoptResponse(res, Response)
    underWay.add(res)
    if (next === undefined) {
      // Of Vercel and Next.js, with what their own routes have matched in it.
      Reflect.deleteProperty(adopted, 'query')
      return open(adopted, adoptedRes)
    }
    const way = forgetWay(adopted, thisApp)
    adopted[kPassOn] = () => {
      underWay.remove(res)
      Object.setPrototypeOf(req, reqPrototype)
      Object.setPrototypeOf(res, resPrototype)
      Object.assign(req, { next: theirNext, [kPassOn]: passOn, [kTenantScope]: scope })
      returnBody(req, body)
      noteReturn(adopted, { app: thisApp, takeError: next }, way)
      next()
    }
    openMounted(adopted, adoptedRes)
  }
  return { handle, handleForeign, handleClientError }
}

/** Whether a request that waits for others of its connection can ever be answered. */
function mayWait(req: IncomingMessage, res: ServerResponse): boolean {
  if (isBehindLast(req)) return false
  closeWithConnection(req, res)
  return true
}
