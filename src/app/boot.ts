import type { Logger } from '../contracts/logger.js'
import type { Plugin, PluginContext } from '../contracts/plugin.js'
import type { Token } from '../contracts/provider.js'
import type { AppModel } from '../contracts/route-model.js'
import { bindScopes, unusedOverrides } from '../di/build-container.js'
import { Metrics } from '../features/metrics/metrics.js'
import { buildSecurity } from '../features/security/security.js'
import { Statements } from '../features/statements/statements.js'
import type { BlazonRequest } from '../http/request.js'
import { REQUEST_ID_HEADER } from '../http/request-id.js'
import { readInjections } from '../metadata/read.js'
import { startReports } from '../pipeline/report-error.js'
import { defineRequestNext } from '../pipeline/steps/handler.js'
import { buildAccess } from './access.js'
import { compileRoutes } from './compile-routes.js'
import { buildErrorPaths, type ErrorPaths } from './error-paths.js'
import { headersOfRoutes } from './features.js'
import { findDecorated } from './find-decorated.js'
import { closedError, LifecycleHooks } from './lifecycle.js'
import { makeInstances, warn, withCookies } from './make-instances.js'
import { createMessageClasses } from './message-classes.js'
import { collectObservers, type ObserverConfig, type RequestObservers } from './observe-requests.js'
import type { DescribedApp, RunningApp } from './prepare-app.js'
import { prepareMiddlewares } from './prepare-middlewares.js'
import { buildRequestChain } from './request-chain.js'
import { buildServer, type ServerEntry } from './server.js'
import type { Settings } from './settings/settings.js'

/** Starts a described application. If any step fails, everything that has been opened is closed. */
export async function boot(described: DescribedApp): Promise<RunningApp> {
  const { settings, description, express, logger, harness, currentRequest } = described
  const { model } = description
  const container = bindScopes(description.scopes, readInjections, harness.overrides)
  const injector = container.root
  const get = <T>(token: Token<T>) => injector.resolve(token)
  const opened: { onClose(): Promise<void> }[] = []
  const setUpPlugins: Plugin[] = []
  const ownGuards = new Set<object>()
  // Members close in reverse order, so the features come first here. A provider can use a feature until the provider
  // itself is closed.
  const members = () => new Set([...opened, ...injector.made, ...ownGuards, ...setUpPlugins])
  const limit = { clock: described.clock, ms: settings.timeouts.onCloseMs }
  const hooks = new LifecycleHooks(members, limit)
  try {
    // The instances: providers, controllers, guards and interceptors, and the stores of features.
    const { cookies, guards, ...instances } = await makeInstances(described, container, ownGuards)
    const app = withCookies(described, cookies)
    const { report, logger: reportingLogger } = startReports(settings.onError, logger)
    const features = await app.declaredFeatures.start({ model, logger: reportingLogger })
    opened.push({ onClose: () => features.close() })

    // Security, the classes of requests and responses, and the middlewares.
    const security = await buildSecurity(settings.security, addedHeaders(settings, model))
    const classes = createMessageClasses(express, { ...app, security, features })
    const middlewares = prepareMiddlewares(settings, { express, features })

    // The observers of all requests, and error handling.
    const observers = observe({ ...app, ...features, get, model })
    const errors = buildErrorPaths({ ...app, report, observers, features, middlewares })
    defineRequestNext(classes.Request, errors.onError)
    await connectCalls(app, { get, errors, observers })

    // The compiled routes. They store the current request if a constructor or an observer has required it.
    const access = buildAccess({ ...app, guards, features, errors })
    const parts = { ...instances, get, features, access, errors, middlewares, observers }
    if (app.requestLogs.isUsed) app.secrets.readNames(model.routes)
    const plugins = [...currentRequest.plugins, ...app.plugins]
    const { beforeHandler, wrapRoutes, wrapListener } = harness
    const routes = wrapRoutes(await compileRoutes({ ...app, plugins, ...parts, beforeHandler }))

    // The functions that pass a request from Node to its route.
    const way = { ...app, features, errors, observers, security, middlewares, routes }
    const chain = buildRequestChain(way)
    const entry = buildServer({ ...way, classes, chain, wrapListener })

    // The hooks of plugins and providers: `setup`, `onInit`, `onReady`.
    const find = findDecorated({ instances: injector.made, modules: settings.modules })
    const { usesTenants } = features
    await setUp(app, setUpPlugins, { get, find, express, logger, model, usesTenants })
    // This check comes after the lines above, because each of them can request a token.
    warn(app, unusedOverrides(harness.overrides, injector.requested))
    await hooks.init(() => goOn(app))
    await hooks.ready(() => goOn(app))
    return { ...entry, injector, hooks, stop: () => stopTimers(errors, entry) }
  } catch (error) {
    await closeAfterFailure(hooks, logger)
    throw error
  }
}

/** Closes everything that a failed start has opened. Never rejects, because the caller receives the error of the start. */
async function closeAfterFailure(hooks: LifecycleHooks, logger: Logger): Promise<void> {
  const message = 'An error occurred while closing after the failed startup'
  await hooks
    .close()
    .catch((err) => logger.error({ err }, message))
    .catch(() => {})
}

/** The response headers that the framework adds for clients, and that CORS must expose. */
function addedHeaders(settings: Settings, model: AppModel): readonly string[] {
  const ofAll = settings.sendsRequestIds ? [REQUEST_ID_HEADER] : []
  return [...ofAll, ...headersOfRoutes(settings, model)]
}

/**
 * Collects the observers. Databases report statements, and the requests to which they belong, only if an observer needs
 * them.
 */
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

/** Connects calls to other hosts with the observers, time limits and metrics of the application. */
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

/**
 * Sets up the plugins in order. Adds each plugin to `begun` before its set-up, so that its `onClose` is called even if
 * the set-up fails.
 */
async function setUp(app: DescribedApp, begun: Plugin[], context: PluginContext): Promise<void> {
  for (const plugin of app.plugins) {
    goOn(app)
    begun.push(plugin)
    await plugin.setup?.(context)
  }
  goOn(app)
}

/** Throws if the application was closed during boot, so that boot ends and closes everything that it opened. */
function goOn({ isClosing }: DescribedApp): void {
  if (isClosing()) throw closedError()
}

function stopTimers(
  { deadlines, closeLog }: Pick<ErrorPaths, 'deadlines' | 'closeLog'>,
  { slowReaders }: Pick<ServerEntry, 'slowReaders'>,
): void {
  deadlines.close()
  closeLog()
  slowReaders?.close()
}
