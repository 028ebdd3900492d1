import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NextFunction, Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import { refuse } from '../errors/refuse.js'
import { returnBody } from '../http/body-descriptor.js'
import {
  closeWithConnection,
  hasLostConnection,
  isAfterLast,
} from '../http/close-with-connection.js'
import { noteReturn, takeContinuation } from '../http/continuations.js'
import { adoptRequest, type BlazonRequest } from '../http/request.js'
import {
  checkForeignTarget,
  checkHead,
  hasTooManyParameters,
  normalizeTarget,
} from '../http/request-head.js'
import { takeAuthResult } from '../http/request-state.js'
import { adoptResponse } from '../http/send/response-class.js'
import { kPassOn, kTenantScope } from '../http/symbol-fields.js'
import { respondWithoutApp } from '../pipeline/fail.js'
import type { OnError, RunRoute } from '../step/step.js'
import { handleClientError, type ResponseText } from './client-error.js'
import type { HostedRequests } from './hosted-requests.js'
import type { MessageClasses } from './message-classes.js'
import type { Around, RequestObservers } from './observe-requests.js'

/** The input of {@link createListener}. */
export interface ListenerConfig {
  /** Returns the classes for a request from another server, by its `req.app`. */
  readonly classesFor: (host: unknown) => MessageClasses
  /** Runs the middlewares, then the route. */
  readonly run: RunRoute
  /** Like `run`, for a request with too many query parameters. */
  readonly runExcessive: RunRoute
  readonly onError: OnError
  /** Creates the responses to errors of Node's parser. */
  readonly parserErrorResponse: ResponseText
  /** The maximum number of header lines in a request. */
  readonly maxHeaders: number
  readonly isClosing: () => boolean
  /** Counts the requests that did not arrive through the application's own server. */
  readonly hostedRequests: HostedRequests
  /** The functions that are called first for each request, in this order. */
  readonly begin: readonly ((req: BlazonRequest, res: Response) => void)[]
  /** Identifies the application. */
  readonly app: object
  /** The observers of all requests; `null` if no plugin observes them. */
  readonly observers: RequestObservers | null
  readonly logger: Logger
}

/** The functions that receive requests and parse errors from Node. */
export interface Listener {
  /** Receives requests from the application's own server, which are instances of the application's classes. */
  readonly handle: (req: BlazonRequest, res: Response) => void
  /**
   * Receives requests from any server or Express application. Calls `next` for requests without a route in this
   * application.
   */
  readonly handleForeign: (req: IncomingMessage, res: ServerResponse, next?: NextFunction) => void
  /** Refuses requests with an `Expect` header that the server does not support (RFC 9110, 10.1.1). */
  readonly handleExpectation: (req: BlazonRequest, res: Response) => void
  readonly handleClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
}

/** The first functions to process a request that has the application's prototype. */
interface OpenFunctions {
  readonly open: Open
  /**
   * Opens a request that an Express application has handled before, and whose `url` Express has changed to the part
   * below the mount path.
   */
  readonly openMounted: Open
  readonly refuseExpectation: Open
}

type Open = (req: BlazonRequest, res: Response) => void

function createOpenFunctions(config: ListenerConfig): OpenFunctions {
  const { run, runExcessive, onError, maxHeaders, isClosing, begin } = config
  function refuseHead(error: unknown, req: BlazonRequest, res: Response): void {
    req.res = res
    // A proxy may have parsed this request differently, so later requests on the connection cannot be trusted.
    res.shouldKeepAlive = false
    onError(error, req, res)
  }
  function enter(req: BlazonRequest, res: Response): void {
    req.res = res
    if (isClosing()) res.shouldKeepAlive = false
    // `rawHeaders` has two entries for each header line: name and value.
    if (req.rawHeaders.length > 2 * maxHeaders) {
      const message = `The request has more than ${maxHeaders} header lines`
      return refuseHead(refuse('REQUEST_HEADER_FIELDS_TOO_LARGE', message), req, res)
    }
    if (hasTooManyParameters(req.url)) runExcessive(req, res)
    else run(req, res)
  }
  function open(req: BlazonRequest, res: Response): void {
    try {
      checkHead(req)
      normalizeTarget(req)
    } catch (error) {
      return refuseHead(error, req, res)
    }
    req.originalUrl = req.url
    enter(req, res)
  }
  function openMounted(req: BlazonRequest, res: Response): void {
    try {
      checkHead(req)
      checkForeignTarget(req)
    } catch (error) {
      return refuseHead(error, req, res)
    }
    // The request target `*` means the host application. The router would interpret it as `/`.
    if (req.url === '*') req[kPassOn]?.()
    else enter(req, res)
  }
  const refuseExpectation: Open = (req, res) => {
    req.originalUrl = req.url
    refuseHead(refuse('EXPECTATION_FAILED', EXPECTATION), req, res)
  }
  const around = config.observers?.around ?? null
  const from = (first: Open) => beginning(begin, around === null ? first : inside(around, first))
  return {
    open: from(open),
    openMounted: from(openMounted),
    refuseExpectation: from(refuseExpectation),
  }
}

function inside(around: Around, open: Open): Open {
  return function openInside(req, res) {
    around(req, () => open(req, res))
  }
}

const EXPECTATION = 'The server supports only the expectation 100-continue'

function beginning(begin: ListenerConfig['begin'], open: Open): Open {
  return begin.reduceRight<Open>(
    (next, each) =>
      function beginAndOpen(req, res) {
        req.res = res
        each(req, res)
        next(req, res)
      },
    open,
  )
}

/** Creates the functions that connect Node's events to the pipeline. */
export function createListener(config: ListenerConfig): Listener {
  const { open, openMounted, refuseExpectation } = createOpenFunctions(config)
  const { hostedRequests, app: thisApp, parserErrorResponse, observers } = config
  const refuseHttp2 = createHttp2Refusal(config.logger)
  const taking = (start: Open): Open =>
    function handle(req, res) {
      if (res.socket === null && !mayWait(req, res)) return
      // Do not start a request on a connection that has ended.
      if (req.socket.writable) start(req, res)
    }
  function handleForeign(req: IncomingMessage, res: ServerResponse, next?: NextFunction): void {
    if (isHttp2(req, res)) return refuseHttp2(res)
    if (res.socket === null && !mayWait(req, res)) return
    // Drop a request whose connection has just been destroyed. If its response has already been closed, it can still
    // run.
    if (hasLostConnection(res) && !res.closed) return
    const reqPrototype = Object.getPrototypeOf(req)
    const resPrototype = Object.getPrototypeOf(res)
    const { app, next: theirNext, [kPassOn]: passOn, [kTenantScope]: scope } = req as BlazonRequest
    const { Request, Response } = config.classesFor(app)
    const body = Object.getOwnPropertyDescriptor(req, 'body')
    const adopted = adoptRequest(req, Request)
    const returnAuthResult = takeAuthResult(adopted)
    const adoptedRes = adoptResponse(res, req, Response)
    hostedRequests.add(res)
    if (next === undefined) {
      // Vercel and Next.js set a `query` that contains the parameters of their own routes, so it is removed.
      Reflect.deleteProperty(adopted, 'query')
      return open(adopted, adoptedRes)
    }
    const continuation = takeContinuation(adopted, thisApp)
    adopted[kPassOn] = () => {
      hostedRequests.remove(res)
      observers?.forget(adoptedRes)
      Object.setPrototypeOf(req, reqPrototype)
      Object.setPrototypeOf(res, resPrototype)
      Object.assign(req, { next: theirNext, [kPassOn]: passOn, [kTenantScope]: scope })
      returnBody(req, body)
      returnAuthResult?.()
      noteReturn(adopted, { app: thisApp, takeError: next }, continuation)
      next()
    }
    openMounted(adopted, adoptedRes)
  }
  return {
    handle: taking(open),
    handleForeign,
    handleExpectation: taking(refuseExpectation),
    handleClientError: (error, socket) =>
      handleClientError(error, socket, { responseTo: parserErrorResponse, observers }),
  }
}

/**
 * Whether the response of a pipelined request, which waits for earlier responses, can ever be sent. If so, also makes
 * the response close when its connection closes.
 */
function mayWait(req: IncomingMessage, res: ServerResponse): boolean {
  if (isAfterLast(req, res)) return false
  closeWithConnection(req, res)
  return true
}

/**
 * Responds to a request if the start has failed. There are no routes yet, and no caller receives the error, so it is
 * logged.
 */
export function refuseUnstarted(
  err: unknown,
  res: ServerResponse,
  logger: Pick<Logger, 'error'>,
): void {
  logger.error({ err }, 'The application did not start')
  respondWithoutApp(res, 'SERVICE_UNAVAILABLE')
}

/**
 * Returns a function that refuses requests received through Node's HTTP/2 server, because such requests have other
 * classes. The error is in the program, not in a request, so only the first request is logged.
 */
function createHttp2Refusal(logger: Pick<Logger, 'error'>): (res: ServerResponse) => void {
  let isLogged = false
  return function refuseHttp2(res) {
    if (!isLogged) logger.error({}, HTTP2)
    isLogged = true
    respondWithoutApp(res, 'HTTP_VERSION_NOT_SUPPORTED')
  }
}

const HTTP2 =
  'app.handler cannot handle HTTP/2 requests: they get a 505 response. Use http.createServer or https.createServer, and terminate HTTP/2 at a proxy.'

/** An HTTP/1 client can write any version in its request, so the type of the response is also checked. */
function isHttp2({ httpVersionMajor }: { httpVersionMajor: number }, res: object): boolean {
  return httpVersionMajor === 2 && 'stream' in res
}
