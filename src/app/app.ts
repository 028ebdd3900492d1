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
import { findDescriber, startNever } from './announce.js'
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
 * An application.
 *
 * @example
 * const app = new App({ controllers: defineControllers(UsersController) })
 * const { port } = await app.listen(3000)
 */
export class App {
  /** The Express application behind `req.app`, for settings (`trust proxy`, `query parser`, views). It routes nothing. */
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

  /** Starts nothing; see {@link App.init} and {@link App.listen}. */
  constructor(options: AppOptions = {}) {
    keepTickShape()
    this.#options = options
    this.express = createExpressHost()
    this.#describer?.declared(this, {
      documents: () => this.documents,
      routes: () => this.getRouteTable(),
      warnings: () => this.#describe().warnings,
    })
  }

  /** Makes and starts an application, without listening. Throws as {@link App.init}. */
  static async create(options: AppOptions = {}): Promise<App> {
    const app = new App(options)
    await blameCaller(App.create, () => app.init())
    return app
  }

  /**
   * Checks the declaration, makes every provider and controller, and runs `setup`, `onInit` and
   * `onReady`. Called by `listen`; calling it again does nothing.
   *
   * @throws ConfigError with everything that keeps the application from starting.
   */
  async init(): Promise<void> {
    await blameCaller(App.prototype.init, () => this.#start())
  }

  /**
   * Starts the application if need be, and listens.
   *
   * @param port 0 for any free one. Default 3000.
   * @param host Default: every address of the machine.
   * @returns the address it listens on.
   * @throws RangeError when `port` is none; ConfigError as `init`; an `Error` of Node's when the port is taken. The
   * application then stays started: listen elsewhere, or `close` it.
   */
  async listen(port: number = DEFAULT_PORT, host?: string): Promise<AddressInfo> {
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new RangeError(
        `listen(): ${String(port)} is not a port. Give a whole number, 0 to 65535.`,
      )
    }
    const { server } = await blameCaller(App.prototype.listen, () => this.#start())
    // It may have been closed while it started.
    if (this.#closing !== undefined) throw closed()
    this.#listening = listen(server, port, host)
    return await this.#listening
  }

  /**
   * Answers a request: for `http.createServer`, for serverless platforms, and for mounting in an
   * Express application, where requests without a route here go on to what follows.
   *
   * @example
   * express().use('/api', app.handler)
   */
  readonly handler = (req: IncomingMessage, res: ServerResponse, next?: NextFunction): void => {
    if (this.#running !== undefined) return this.#running.listener.handleForeign(req, res, next)
    // What boot opens would keep the context of this request for as long as the application lives.
    this.#scope
      .runInAsyncScope(() => this.#start())
      .then(
        ({ listener }) => listener.handleForeign(req, res, next),
        (error) => (next === undefined ? this.#refuse(error, res) : next(error)),
      )
  }

  /** Node's server, which listens once `listen` was called. Throws before `init`. */
  get server(): Server {
    return this.#started('server').server
  }

  /**
   * The instance behind a token.
   *
   * @throws ConfigError when nothing provides it; an `Error` before `init`.
   */
  get<T>(token: Token<T>): T {
    return this.#started('get()').injector.resolve(token)
  }

  /**
   * The OpenAPI 3.0.3 document of the whole application: the first one, where `swagger` lists several. Works before
   * `init`, and where it is not served. Throws a `ConfigError` as `init` does.
   */
  get document(): OpenApiDocument {
    const [first] = this.documents
    return (first as AppDocument).document
  }

  /** Every document of the `swagger` option, with the path of its page. Built when it is first read. */
  get documents(): readonly AppDocument[] {
    this.#documents ??= listDocuments(this.#describe().model, this.#settings, this.express)
    return this.#documents
  }

  /** Every route, in order of declaration. Works before `init`. Throws a `ConfigError` as `init` does. */
  getRouteTable(): RouteTableEntry[] {
    return routeTable(this.#describe().model)
  }

  /**
   * Stops listening, ends connections on which nothing is under way, aborts `req.signal` of streams with an
   * `AppClosingError`, waits for requests under way (`timeouts.close`), runs `onClose` in the reverse order of
   * construction, and ends upgraded connections. Calling it again waits for the same end.
   *
   * @param signal Named to `onClose`.
   * @throws AggregateError of what `onClose` threw, once everything is closed.
   */
  close(signal?: string): Promise<void> {
    this.#closing ??= this.#close(signal)
    return this.#closing
  }

  /** There is nothing yet that could answer, and nobody else who would hear of it. */
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

  /** A constructor of a subclass puts it there, so it is not known in the constructor. */
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

  #health(): Health {
    return new Health(this.#settings.plugins, { get: (token) => this.get(token) })
  }

  #start(): Promise<RunningApp> {
    if (this.#describer !== undefined) return startNever(this.#describer, this)
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
    // A start that fails has closed what it opened, and told its caller why.
    const running = await this.#starting?.catch(() => undefined)
    if (running === undefined) return
    // A server that is looking up its host cannot be stopped yet.
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

findDescriber()?.loaded((options) => new App(options))
