import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Application } from 'express'
import type { NextFunction } from '../contracts/handler.js'
import type { OpenApiDocument } from '../contracts/openapi.js'
import type { Token } from '../contracts/provider.js'
import type { RouteTableEntry } from '../contracts/route-model.js'
import { Clock } from '../di/clock.js'
import { blameCaller } from '../errors/blame-caller.js'
import { recordDecorators } from '../metadata/read.js'
import { findDescriber, neverStart } from './announce.js'
import { boot, type RunningApp } from './boot.js'
import { checkDocsRoutes } from './check-docs.js'
import {
  type Description,
  describeApp,
  ignoredOverrides,
  logWarnings,
  throwErrors,
} from './describe.js'
import { type AppDocument, buildDocsRoutes, listDocuments } from './documents.js'
import type { ExplainResult, RouteQuery } from './explain/explanation.js'
import { configureExpressHost, createExpressHost } from './express-host.js'
import { declareFeatures, type Features } from './features.js'
import { type Harness, harnessOf, NO_HARNESS } from './harness.js'
import { Health } from './health.js'
import { keepTickShape } from './keep-tick-shape.js'
import { routeTable } from './route-table.js'
import { listen } from './server.js'
import type { AppOptions } from './settings/app-options.js'
import { loggerOf } from './settings/logger-option.js'
import { type Resolved, resolveSettings } from './settings/resolve-settings.js'
import type { Settings } from './settings/settings.js'
import { shutDown } from './shut-down.js'

const DEFAULT_PORT = 3000

/**
 * An application: it has the options, compiles the routes and handles the requests.
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
  readonly #options: AppOptions
  readonly #describer = findDescriber()
  readonly #scope = new AsyncResource('BlazonApp')
  #resolved: Resolved | undefined
  #description: Description | undefined
  #declared: Features | undefined
  #documents: readonly AppDocument[] | undefined
  #starting: Promise<RunningApp> | undefined
  #running: RunningApp | undefined
  #listening: Promise<AddressInfo> | undefined
  #closing: Promise<void> | undefined

  /**
   * Stores the options. It starts nothing; see {@link App.init} and {@link App.listen}.
   *
   * @param options Default: an application without controllers.
   */
  constructor(options: AppOptions = {}) {
    keepTickShape()
    this.#options = options
    this.express = createExpressHost()
    this.#describer?.declared(this, {
      documents: () => this.documents,
      routes: () => this.getRouteTable(),
      warnings: () => this.#describe().warnings,
      explain: (query) => this.#explain(query),
    })
  }

  /**
   * Creates and starts an application, without listening.
   *
   * @throws ConfigError as {@link App.init}.
   */
  static async create(options: AppOptions = {}): Promise<App> {
    const app = new App(options)
    await blameCaller(App.create, () => app.init())
    return app
  }

  /**
   * Checks the options and the decorators, creates every provider and controller, and runs `setup`, `onInit`
   * and `onReady`. `listen` calls it. A second call waits for the same start.
   *
   * @throws ConfigError with everything that prevents the start.
   */
  async init(): Promise<void> {
    await blameCaller(App.prototype.init, () => this.#start())
  }

  /**
   * Starts the application if it has not started yet, and listens.
   *
   * @param port A port number; 0 takes any free port. Default: 3000.
   * @param host A host name or address. Default: all addresses of the machine.
   * @returns the address of the server.
   * @throws RangeError if `port` is not a port number; ConfigError as `init`; an `Error` of Node if the port is
   * in use. After that last error the application stays started: call `listen` with another port, or `close`.
   */
  async listen(port: number = DEFAULT_PORT, host?: string): Promise<AddressInfo> {
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new RangeError(
        `listen(): ${String(port)} is not a port. Give a whole number, 0 to 65535.`,
      )
    }
    const { server } = await blameCaller(App.prototype.listen, () => this.#start())
    // `close` may have been called during the start.
    if (this.#closing !== undefined) throw closed()
    this.#listening = listen(server, port, host)
    return await this.#listening
  }

  /**
   * Handles a request. Pass it to `http.createServer`, to a serverless platform, or to `app.use` of an Express
   * application. In Express, a request without a route in this application goes on to the next middleware of
   * the host.
   *
   * @example
   * express().use('/api', app.handler)
   */
  readonly handler = (req: IncomingMessage, res: ServerResponse, next?: NextFunction): void => {
    if (this.#running !== undefined) return this.#running.listener.handleForeign(req, res, next)
    // Boot may open connections and timers, which keep the async context of their creation. The context of this
    // request must not live as long as the application.
    this.#scope
      .runInAsyncScope(() => this.#start())
      .then(
        ({ listener }) => listener.handleForeign(req, res, next),
        (error) => (next === undefined ? this.#refuse(error, res) : next(error)),
      )
  }

  /**
   * Node's HTTP server. It listens after `listen` was called.
   *
   * @throws Error before `init`.
   */
  get server(): Server {
    return this.#started('server').server
  }

  /**
   * Returns the instance that is provided for a token.
   *
   * @throws ConfigError if nothing provides the token; an `Error` before `init`.
   */
  get<T>(token: Token<T>): T {
    return this.#started('get()').injector.resolve(token)
  }

  /**
   * The OpenAPI 3.0.3 document of the application. If `swagger` is a list, it is the first document. It can be
   * read before `init`, and also if it is not served.
   *
   * @throws ConfigError as `init` does.
   */
  get document(): OpenApiDocument {
    const [first] = this.documents
    return (first as AppDocument).document
  }

  /** Every document of the `swagger` option, with the path of its page. Each is built when it is first read. */
  get documents(): readonly AppDocument[] {
    this.#documents ??= listDocuments(this.#describe().model, this.#settings, this.express)
    return this.#documents
  }

  /**
   * Returns every route, in order of declaration. It works before `init`.
   *
   * @throws ConfigError as `init` does.
   */
  getRouteTable(): RouteTableEntry[] {
    return routeTable(this.#describe().model)
  }

  /**
   * Closes the application: stops listening, ends idle connections, aborts `req.signal` of streams with an
   * `AppClosingError`, waits for requests under way (at most `timeouts.close`), runs `onClose` in reverse order
   * of construction, and ends upgraded connections. A second call returns the same promise.
   *
   * @param signal The name that `onClose` receives, such as `'SIGTERM'`. Default: none.
   * @throws AggregateError with the errors of `onClose`, after everything is closed.
   */
  close(signal?: string): Promise<void> {
    this.#closing ??= this.#close(signal)
    return this.#closing
  }

  /**
   * Ends a request if the start has failed. There are no routes yet that could send a response, and no caller
   * receives the error, so it is logged.
   */
  #refuse(err: unknown, res: ServerResponse): void {
    loggerOf(this.#options.logger).error({ err }, 'The application did not start')
    res.destroy()
  }

  #resolve(): Resolved {
    this.#resolved ??= resolveSettings(this.#options)
    return this.#resolved
  }

  get #settings(): Settings {
    return this.#resolve().settings
  }

  /**
   * Read when it is needed: the constructor of the subclass `TestApp` sets the harness after this constructor.
   */
  get #harness(): Harness {
    return harnessOf(this)
  }

  get #features(): Features {
    this.#declared ??= declareFeatures(this.#settings, this.#harness)
    return this.#declared
  }

  #describe(): Description {
    this.#description ??= describeApp(this.#resolve(), [
      { token: Clock, useValue: this.#harness.clock },
      { token: Health, useValue: this.#health() },
      ...this.#features.providers,
    ])
    return this.#description
  }

  /** Its code is loaded here, because only the command line uses it. */
  async #explain(query: RouteQuery): Promise<ExplainResult> {
    const { model } = this.#describe()
    const { explainQuery } = await import('./explain/explain-route.js')
    const app = { settings: this.#settings, model, express: this.express, cwd: process.cwd() }
    return explainQuery(query, app)
  }

  #health(): Health {
    return new Health(this.#settings.plugins, { get: (token) => this.get(token) })
  }

  #start(): Promise<RunningApp> {
    if (this.#describer !== undefined) return neverStart(this.#describer, this)
    if (this.#closing !== undefined) return Promise.reject(closed())
    this.#starting ??= this.#boot()
    return this.#starting
  }

  async #boot(): Promise<RunningApp> {
    const settings = this.#settings
    const harness = this.#harness
    const logger = harness.logger ?? settings.logger
    const description = this.#describe()
    configureExpressHost(this.express, settings)
    const served = this.documents.filter(({ isEnabled }) => isEnabled)
    const problems = served.flatMap((each) => each.problems)
    problems.push(...checkDocsRoutes(description.model, served))
    const warnings = throwErrors(problems, settings)
    const ignored = harness === NO_HARNESS ? ignoredOverrides(settings) : []
    logWarnings(logger, [...description.warnings, ...warnings, ...ignored])
    this.#running = await boot({
      settings,
      description,
      harness,
      express: this.express,
      logger,
      clock: harness.clock,
      declaredFeatures: this.#features,
      frameworkRoutes: buildDocsRoutes(served),
      isClosing: () => this.#closing !== undefined,
    })
    return this.#running
  }

  #started(what: string): RunningApp {
    if (this.#running !== undefined) return this.#running
    throw new Error(`${what} needs a started application: await app.init() first.`)
  }

  async #close(signal: string | undefined): Promise<void> {
    // A failed start has closed what it had opened, and its caller has received the error.
    const running = await this.#starting?.catch(() => undefined)
    if (running === undefined) return
    // A server cannot be closed while it resolves its host name.
    await this.#listening?.catch(() => {})
    const { hooks, stop, ...entrance } = running
    const closeRest = () => {
      stop()
      return hooks.close(signal)
    }
    await shutDown({ ...entrance, graceMs: this.#settings.timeouts.closeMs, closeRest })
  }
}

function closed(): Error {
  return new Error('The application is closed.')
}

findDescriber()?.loaded({ make: (options) => new App(options), recordDecorators })
