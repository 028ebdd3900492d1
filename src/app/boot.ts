import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { Logger } from '../contracts/logger.js'
import type { Plugin, PluginContext } from '../contracts/plugin.js'
import type { Token } from '../contracts/provider.js'
import type { AppModel } from '../contracts/route-model.js'
import { type BoundContainer, bindScopes } from '../di/build-container.js'
import type { Injector } from '../di/injector.js'
import { unusedOverrides } from '../di/unused-overrides.js'
import type { Problem } from '../errors/config-error.js'
import { takeUnread } from '../features/env/unread-file.js'
import type { RequestLogs } from '../features/logs/log.js'
import { Metrics } from '../features/metrics/metrics.js'
import type { OutgoingCalls } from '../features/outgoing/outgoing.js'
import { buildSecurity } from '../features/security/security.js'
import { Statements } from '../features/statements/statements.js'
import type { CurrentRequest } from '../http/current-request.js'
import type { BlazonRequest } from '../http/request.js'
import { REQUEST_ID_HEADER } from '../http/request-id.js'
import { readInjections } from '../metadata/read.js'
import { defineNext } from '../pipeline/define-next.js'
import type { OtherDenials } from '../pipeline/log-denials.js'
import { startReports } from '../pipeline/report-error.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { buildAccess } from './access.js'
import { compileRoutes } from './compile-routes.js'
import { type Description, logWarnings, throwErrors } from './describe.js'
import { buildEntrance, type Entrance } from './entrance.js'
import { buildErrorPaths, type ErrorPaths } from './error-paths.js'
import { type Features, featureHeaders, INNER_PLUGINS } from './features.js'
import { findDecorated } from './find-decorated.js'
import { buildFront } from './front.js'
import type { Harness } from './harness.js'
import { closedError, LifecycleHooks } from './lifecycle.js'
import { makeControllers } from './make-controllers.js'
import { makeGuards } from './make-guards.js'
import { makeInterceptors } from './make-interceptors.js'
import { createMessageClasses } from './message-classes.js'
import { namedTokens } from './named-tokens.js'
import { collectObservers, type ObserverConfig, type RequestObservers } from './observe-requests.js'
import { prepareMiddlewares } from './prepare-middlewares.js'
import { readKeys } from './settings/cookie-options.js'
import type { Settings } from './settings/settings.js'

/** An application that has been read. No provider or controller has been created yet. */
export interface DescribedApp {
  readonly settings: Settings
  readonly description: Description
  readonly express: Application
  readonly logger: Logger
  readonly requestLogs: RequestLogs
  readonly currentRequest: CurrentRequest
  readonly outgoing: OutgoingCalls
  readonly secrets: RequestSecrets
  readonly clock: Clock
  readonly declaredFeatures: Features
  /** The pages of the OpenAPI documents, and the routes of plugins. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** The plugins of the application, and plugins that options add. */
  readonly plugins: readonly Plugin[]
  /** Logs failures of the guards of those options. */
  readonly denials: OtherDenials
  readonly isClosing: () => boolean
  readonly harness: Harness
}

/** Everything that a started application has. */
export interface RunningApp extends Entrance {
  readonly injector: Injector
  readonly hooks: LifecycleHooks
  /** Stops the timers and listeners of the framework itself. */
  readonly stop: () => void
}

/** Adds the plugin that carries the request into its route, if the logger of requests or an observer needs it. */
function withCurrentRequest(app: DescribedApp): DescribedApp {
  const { settings, secrets, description, requestLogs, currentRequest } = app
  if (requestLogs.isUsed) secrets.readNames(description.model.routes)
  const { plugin } = currentRequest
  if (plugin === null) return app
  return { ...app, settings: { ...settings, plugins: [plugin, ...settings.plugins] } }
}

/**
 * Adds the plugins of features that have steps. From the outermost to the innermost: the options' plugins, the plugin
 * of the current request, and the plugins of pages and policies, if a route has pages or policies.
 */
async function withPlugins(given: DescribedApp): Promise<DescribedApp> {
  const app = withCurrentRequest(given)
  const { settings, description } = app
  const { routes } = description.model
  const own = given.plugins.filter((each) => each.steps && !given.settings.plugins.includes(each))
  const isInner = ({ name }: Plugin) => INNER_PLUGINS.includes(name)
  const [inner, outer] = [own.filter(isInner), own.filter((each) => !isInner(each))]
  const plugins = [...outer, ...settings.plugins, ...inner]
  if (routes.some(({ pages }) => pages !== null)) {
    const { pagesPlugin } = await import('../features/pages/pages-plugin.js')
    plugins.push(pagesPlugin(settings.cookies.keys))
  }
  if (routes.some(({ checks }) => checks !== null)) {
    const { policiesPlugin } = await import('../features/policies/policies-plugin.js')
    plugins.push(policiesPlugin)
  }
  return plugins.length === settings.plugins.length
    ? app
    : { ...app, settings: { ...settings, plugins } }
}

/** Starts a described application. If a line fails, everything that has been opened is closed again. */
export async function boot(app: DescribedApp): Promise<RunningApp> {
  const { settings, description, express, logger, harness } = app
  const { model } = description
  const container = bindScopes(description.scopes, readInjections, harness.overrides)
  const injector = container.root
  const get = <T>(token: Token<T>) => injector.resolve(token)
  const opened: { onClose(): Promise<void> }[] = []
  const plugins: Plugin[] = []
  // With the guards that exist for this application only.
  const guarding = new Set<object>()
  // Members close in reverse order, so the features come first here. A provider may use a feature until the
  // provider itself is closed.
  const members = () => new Set([...opened, ...injector.made, ...guarding, ...plugins])
  const hooks = new LifecycleHooks(members, { clock: app.clock, ms: settings.timeouts.onCloseMs })
  try {
    // The instances: providers, controllers, the guard and interceptors, and the stores of features.
    const { keyed, guards, ...instances } = await makeInstances(app, container, guarding)
    const { report, logger: background } = startReports(settings.onError, logger)
    const features = await app.declaredFeatures.start({ model, logger: background })
    opened.push({ onClose: () => features.close() })

    // The functions that run for every request.
    const security = await buildSecurity(settings.security, addedHeaders(settings, model))
    const messages = createMessageClasses(express, { ...keyed, security, features })
    const middlewares = prepareMiddlewares(settings, { express, features })

    // The observers of all requests, and error handling.
    const observers = observe({ ...app, ...features, get, model })
    const errors = buildErrorPaths({ ...app, report, observers, features, middlewares })
    defineNext(messages.Request, errors.onError)
    await connectCalls(app, { get, errors, observers })

    // The compiled routes.
    const { beforeHandler, wrapRoutes, wrapListener } = harness
    const access = buildAccess({ ...app, guards, features, errors })
    const parts = { ...instances, get, features, access, errors, middlewares, observers }
    const withSteps = { ...(await withPlugins(keyed)), ...parts, beforeHandler }
    const routes = wrapRoutes(await compileRoutes(withSteps))

    // The way of a request from Node to its route.
    const way = { ...app, features, errors, observers, security, middlewares, routes }
    const entrance = buildEntrance({ ...way, messages, front: buildFront(way), wrapListener })

    // The hooks of plugins and providers: `setup`, `onInit`, `onReady`.
    const find = findDecorated({ instances: injector.made, modules: settings.modules })
    const { usesTenants } = features
    await setUp(app, plugins, { get, find, express, logger, model, usesTenants })
    // The check runs last, because any line above may request a token.
    warn(app, unusedOverrides(harness.overrides, injector.requested))
    await hooks.init(() => goOn(app))
    await hooks.ready(() => goOn(app))
    return { ...entrance, injector, hooks, stop: () => stopTimers(errors, entrance) }
  } catch (error) {
    await hooks.close().catch((err) => logger.error({ err }, 'Closing after a failed start'))
    throw error
  }
}

/**
 * Creates providers, controllers, guards and interceptors.
 *
 * @param guarding Gets the guards that exist for this application only.
 * @returns Also the application with the keys of its cookies, which a function may return.
 */
async function makeInstances(app: DescribedApp, container: BoundContainer, guarding: Set<object>) {
  const { settings, description, logger } = app
  const { model } = description
  const injector = container.root
  const setup = { get: <T>(token: Token<T>) => injector.resolve(token), logger }
  const controllers = await makeControllers(container, namedTokens(model, settings))
  warn(app, takeUnread())
  const cookies = await readKeys(settings.cookies, setup)
  const onMade = (each: object) => guarding.add(each)
  const guards = await makeGuards(settings.auth, { injector, setup, onMade })
  const interceptors = makeInterceptors(model, settings, injector)
  return {
    controllers,
    guards,
    interceptors,
    keyed: { ...app, settings: { ...settings, cookies } },
  }
}

function stopTimers(
  { deadlines, closeLog }: Pick<ErrorPaths, 'deadlines' | 'closeLog'>,
  { slowReaders }: Pick<Entrance, 'slowReaders'>,
): void {
  deadlines.close()
  closeLog()
  slowReaders?.close()
}

/** Collects the observers. Databases report their statements, with their requests, if an observer needs them. */
function observe(
  config: ObserverConfig & Pick<DescribedApp, 'currentRequest' | 'harness'>,
): RequestObservers | null {
  const observers = collectObservers(config)
  const report = observers?.onStatement ?? null
  if (observers === null || report === null) return observers
  const { harness, currentRequest } = config
  config.get(Statements).start(report, { hasStacks: observers.needs.stacks })
  if (harness.currentRequest !== null) currentRequest.setUnderTest(harness.currentRequest)
  if (observers.needs.currentRequest) currentRequest.need()
  return observers
}

/** Connects the calls to other hosts with the observers, the time limits and the metrics of the application. */
async function connectCalls(
  { outgoing }: DescribedApp,
  {
    get,
    errors,
    observers,
  }: Pick<PluginContext, 'get'> & {
    readonly errors: ErrorPaths
    readonly observers: RequestObservers | null
  },
): Promise<void> {
  await outgoing.connect({
    onCall: observers?.onCall ?? null,
    needs: observers?.needs ?? { stacks: false, bodies: false },
    restOf: (req) => errors.deadlines.restOf(req as BlazonRequest),
    addMetric: (metric) => get(Metrics).add(metric),
  })
}

/** Logs warnings that only a start can find. With `strict`, they end it. */
function warn({ logger, settings }: DescribedApp, warnings: readonly Problem[]): void {
  logWarnings(logger, throwErrors(warnings, settings))
}

/** The headers that the framework adds to responses for clients to read, and that CORS has to expose. */
function addedHeaders({ sendsRequestIds }: Settings, model: AppModel): readonly string[] {
  return [...(sendsRequestIds ? [REQUEST_ID_HEADER] : []), ...featureHeaders(model)]
}

/** Sets the plugins up, in order. `begun` gets each one before, so that `onClose` of its plugins is called. */
async function setUp(app: DescribedApp, begun: Plugin[], context: PluginContext): Promise<void> {
  for (const plugin of app.plugins) {
    goOn(app)
    begun.push(plugin)
    await plugin.setup?.(context)
  }
  goOn(app)
}

/** Ends the boot of an application that is closed meanwhile: everything that was opened is closed again. */
function goOn({ isClosing }: DescribedApp): void {
  if (isClosing()) throw closedError()
}
