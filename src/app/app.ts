import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Application } from 'express'
import type { NextFunction } from '../contracts/handler.js'
import type { OpenApiDocument } from '../contracts/openapi.js'
import type { Token } from '../contracts/provider.js'
import type { RouteTableEntry } from '../contracts/route-model.js'
import { blameCaller } from '../errors/blame-caller.js'
import { type AppParts, createParts } from './app-parts.js'
import { boot } from './boot.js'
import { settlesWithin } from './closing.js'
import { DeclaredApp } from './declared-app.js'
import { describedBy } from './described-by.js'
import { findDescriber, neverStart } from './describer.js'
import type { AppDocument } from './documents.js'
import type { Fetch } from './fetch.js'
import { type Harness, harnessOf, NO_HARNESS } from './harness.js'
import { closedError } from './lifecycle.js'
import { refuseUnstarted } from './listener.js'
import { announceStart, type ListenRequest, readListen, startListening } from './listening.js'
import { prepareApp, type RunningApp } from './prepare-app.js'
import type { AppOptions } from './settings/app-options.js'
import type { ListenOptions, SocketPath } from './settings/listen-options.js'
import { shutDown } from './shut-down.js'
import { ProcessEnd } from './signals.js'

const DEFAULT_PORT = 3000

/**
 * An application: stores the options, compiles the routes and handles requests.
 *
 * @example
 * const app = new App({ controllers: defineControllers(UsersController) })
 * const { port } = await app.listen(3000)
 */
export class App {
  /**
   * The Express application in `req.app`. Use it for settings (`trust proxy`, `query parser`, views). It has no
   * routes.
   */
  readonly express: Application
  readonly #describer = findDescriber()
  readonly #scope = new AsyncResource('BlazonApp')
  readonly #parts: AppParts
  /** The part of the application that plugins receive before the start. */
  readonly #context = { get: <T>(token: Token<T>) => this.get(token) }
  readonly #declared: DeclaredApp
  #starting: Promise<RunningApp> | undefined
  #running: RunningApp | undefined
  #fetching: Promise<Fetch> | undefined
  #startMs = 0
  #listening: Promise<AddressInfo | string> | undefined
  #closing: Promise<void> | undefined
  readonly #isClosing = () => this.#closing !== undefined
  /** Whether closing aborted requests, or ended before the startup had finished. */
  #isForced = false
  #processEnd: ProcessEnd | undefined

  /**
   * Stores the options without starting anything; see {@link App.init} and {@link App.listen}.
   *
   * @param options Default: an application without controllers.
   */
  constructor(options: AppOptions = {}) {
    this.#parts = createParts(() => this.#harness.logger ?? this.#declared.ownLogger)
    this.express = this.#parts.express
    this.#declared = new DeclaredApp({
      ...this.#parts,
      options,
      app: this.#context,
      harnessOf: () => this.#harness,
      isClosing: this.#isClosing,
    })
    this.#describer?.declared(
      this,
      describedBy({ app: this, context: this.#context, declared: this.#declared }),
    )
  }

  /**
   * Creates and starts an application, without listening.
   *
   * @throws ConfigError like {@link App.init}.
   */
  static async create(options: AppOptions = {}): Promise<App> {
    const app = new App(options)
    await blameCaller(App.create, () => app.init())
    return app
  }

  /**
   * Checks the options and the decorators, creates every provider and controller, and runs `setup`, `onInit` and
   * `onReady`. `listen` also does this. A second call waits for the first one.
   *
   * @throws ConfigError with all problems that prevent the start.
   */
  async init(): Promise<void> {
    await blameCaller(App.prototype.init, () => this.#start())
  }

  /**
   * Starts the application if it has not started yet, and listens.
   *
   * @param port A port number; 0 selects any free port. Default: 3000. A string is the path of a Unix socket.
   * @param where A host name or address, or {@link ListenOptions}. Default: all addresses of the machine, without
   * signal handling.
   * @returns the address of the server, or the path of the socket.
   * @throws RangeError if `port` is not a port number; ConfigError as `init`; a Node `Error` if the port is in use.
   * After such a Node error, the application is still started: call `listen` with another port, or `close`.
   * @example
   * await app.listen(Number(process.env.PORT ?? 3000), { signals: true })
   */
  listen(port?: number, where?: string | ListenOptions): Promise<AddressInfo>
  listen(path: SocketPath, options?: ListenOptions): Promise<string>
  async listen(
    port: number | string = DEFAULT_PORT,
    where: string | ListenOptions = {},
  ): Promise<AddressInfo | string> {
    const given = readListen(port, where)
    if (given.options.signals === true && this.#describer === undefined) this.#watchProcess()
    try {
      return await blameCaller(App.prototype.listen, () => this.#listen(given))
    } catch (error) {
      // The signal ends the process, so the promise of the caller never settles.
      if (this.#processEnd?.hasBegun === true) return await new Promise(() => {})
      // If a second `listen` has failed, the server still listens and needs its signal handlers.
      if (this.#running?.server.listening !== true) this.#stopWatching()
      throw error
    }
  }

  /**
   * Handles a request. Pass this function to `http.createServer`, to a serverless platform, or to `app.use` of an
   * Express application. In Express, a request without a route in this application continues with the next middleware
   * of the host. The first request starts the application. If the start fails, requests receive a 503 response; in
   * Express, `next` receives the error instead.
   *
   * @example
   * express().use('/api', app.handler)
   */
  readonly handler = (req: IncomingMessage, res: ServerResponse, next?: NextFunction): void => {
    if (this.#running !== undefined) return this.#running.listener.handleForeign(req, res, next)
    // Boot can open connections and timers, which retain the async context in which they were created. They must not
    // retain the context of this request.
    this.#scope
      .runInAsyncScope(() => this.#start())
      .then(
        ({ listener }) => listener.handleForeign(req, res, next),
        (error) =>
          next === undefined ? refuseUnstarted(error, res, this.#parts.logger) : next(error),
      )
  }

  /**
   * Handles a Fetch API request, for hosts that call such a function and for clients in this process. The function is
   * bound: `export default { fetch: app.fetch }`. The first call starts the application. The request passes through
   * Node's HTTP server on an in-memory connection, so everything behaves as on a port, including streams and
   * backpressure.
   *
   * @param request A request with an absolute URL. When its `signal` aborts, the application treats the client as
   * disconnected.
   * @param info Facts about the client. The type is `object`, because some hosts pass objects of other types, which are
   * ignored.
   * @returns the response, as soon as its head has been sent. Redirects are not followed, and nothing is decompressed.
   * @throws ConfigError like `init`; TypeError if an argument is invalid, or the application sends no response; the
   * error of the request body; the abort reason of the signal; an `Error` after `close`.
   * @see https://fetch.spec.whatwg.org
   * @example
   * const response = await app.fetch(new Request('http://localhost/users/1'))
   */
  readonly fetch: Fetch = async (request, info) => {
    this.#fetching ??= this.#scope.runInAsyncScope(() => this.#openFetch())
    return (await this.#fetching)(request, info)
  }

  /**
   * Node's HTTP server. It listens after `listen` has been called.
   *
   * @throws Error before `init`.
   */
  get server(): Server {
    return this.#started('server').server
  }

  /**
   * Returns the instance for a token.
   *
   * @throws ConfigError if no provider has the token; an `Error` before `init`.
   */
  get<T>(token: Token<T>): T {
    return this.#started('get()').injector.resolve(token)
  }

  /**
   * The OpenAPI document of the application. If there are several documents, this is the first one. It can be read
   * before `init`, even if it is not served.
   *
   * @throws ConfigError like `init`.
   */
  get document(): OpenApiDocument {
    const [first] = this.documents
    return (first as AppDocument).document
  }

  /**
   * All documents of the `swagger` option, with the paths of their pages. Each document is built when it is first read.
   */
  get documents(): readonly AppDocument[] {
    return this.#declared.documents
  }

  /**
   * Returns all routes, in the order of declaration. Can be called before `init`.
   *
   * @throws ConfigError like `init`.
   */
  getRouteTable(): RouteTableEntry[] {
    return this.#declared.routeTable
  }

  /**
   * Closes the application: stops listening, ends idle connections, aborts `req.signal` of streams with an
   * `AppClosingError`, waits for running requests (at most `timeouts.close`), runs `onClose` in reverse order of
   * construction, and ends upgraded connections. It logs the routes of requests that were aborted. A second call
   * returns the same promise.
   *
   * @param signal The name that `onClose` receives, such as `'SIGTERM'`. With a name, it is assumed that clients still
   * send requests: the application first accepts requests for `timeouts.preStop`, and does not end idle connections
   * immediately. Default: none.
   * @throws AggregateError with the errors of `onClose`, after everything has been closed.
   */
  close(signal?: string): Promise<void> {
    this.#closing ??= this.#close(signal).finally(() => {
      this.#parts.logger.close()
      this.#parts.currentRequest.close()
      this.#stopWatching()
    })
    return this.#closing
  }

  /**
   * Closes the application, for `await using app = await App.create(options)` in scripts and jobs.
   *
   * @throws AggregateError like {@link App.close}.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Removes the signal listeners. In a process that is ending, they remain, so that a second signal ends the process
   * immediately.
   */
  #stopWatching(): void {
    if (this.#processEnd?.hasBegun === true) return
    this.#processEnd?.remove()
    this.#processEnd = undefined
  }

  /**
   * The harness is read when it is needed, because the constructor of the subclass `TestApp` sets it after this
   * constructor has run.
   */
  get #harness(): Harness {
    return harnessOf(this)
  }

  async #listen({ place, options }: ListenRequest): Promise<AddressInfo | string> {
    const config = {
      app: this,
      declared: this.#declared,
      start: () => this.#start(),
      isClosing: this.#isClosing,
      earlier: () => this.#listening,
      began: (listening: Promise<AddressInfo | string>) => {
        this.#listening = listening
      },
    }
    const address = await startListening(config, place)
    const { announce = this.#harness === NO_HARNESS } = options
    const [declared, { logger }, startMs] = [this.#declared, this.#parts, this.#startMs]
    if (announce) announceStart({ declared, logger, startMs }, address)
    return address
  }

  #watchProcess(): void {
    this.#processEnd ??= new ProcessEnd({
      close: (signal) => this.close(signal),
      isForced: () => this.#isForced,
      clock: this.#harness.clock,
      logger: this.#parts.logger,
    })
  }

  #start(): Promise<RunningApp> {
    if (this.#describer !== undefined) return neverStart(this.#describer, this)
    if (this.#closing !== undefined) return Promise.reject(closedError())
    this.#starting ??= this.#boot().catch((error) => {
      this.#parts.logger.close()
      throw error
    })
    return this.#starting
  }

  /**
   * Reads the options and decorators (`prepareApp`), then creates the instances, compiles the routes and runs the hooks
   * (`boot`). The server does not listen yet.
   */
  async #boot(): Promise<RunningApp> {
    const harness = this.#harness
    const begin = harness.clock.monotonic()
    const prepared = await prepareApp({
      declared: this.#declared,
      harness,
      ...this.#parts,
      app: this.#context,
      isClosing: this.#isClosing,
    })
    this.#running = await boot(prepared)
    this.#startMs = harness.clock.monotonic() - begin
    this.#declared.reportStart()
    return this.#running
  }

  /** Loads the module here, because only `fetch` uses it. */
  async #openFetch(): Promise<Fetch> {
    const { createFetch } = await import('./fetch.js')
    return createFetch(await this.#start())
  }

  #started(what: string): RunningApp {
    if (this.#running !== undefined) return this.#running
    throw new Error(`${what} is available only after the start: await app.init() first.`)
  }

  async #close(signal: string | undefined): Promise<void> {
    const running = this.#running ?? (await this.#untilStarted())
    if (running === undefined) return
    // A server cannot be closed while its host name is being resolved.
    await this.#listening?.catch(() => {})
    const { hooks, stop, ...entry } = running
    const { closeMs: graceMs, preStopMs } = this.#declared.settings.timeouts
    const leaving = hooks.leave(graceMs)
    const closeRest = async () => {
      await leaving
      stop()
      await hooks.close(signal)
    }
    const { clock } = this.#harness
    const times = { clock, graceMs, preStopMs, isBySignal: signal !== undefined }
    const cut = await shutDown({ ...entry, ...times, logger: this.#parts.logger, closeRest })
    this.#isForced = cut > 0
  }

  /**
   * Waits for a start in progress. If the start fails, it closes everything that it opened, and its caller receives the
   * error.
   */
  async #untilStarted(): Promise<RunningApp | undefined> {
    const starting = this.#starting?.catch(() => undefined)
    // If the settings could not be read, the start has already failed.
    if (starting === undefined || !this.#declared.hasSettings) return undefined
    const limit = { clock: this.#harness.clock, ms: this.#declared.settings.timeouts.closeMs }
    if (await settlesWithin(limit, starting)) return await starting
    this.#isForced = true
    this.#parts.logger.error(
      {},
      'The startup did not finish, so the resources that it opened were not closed',
    )
    return undefined
  }
}

findDescriber()?.loaded({ make: (options) => new App(options) })
