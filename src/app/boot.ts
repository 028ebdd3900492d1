import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { Logger } from '../contracts/logger.js'
import type { Plugin } from '../contracts/plugin.js'
import type { Token } from '../contracts/provider.js'
import { bindScopes } from '../di/build-container.js'
import type { Injector } from '../di/injector.js'
import { unusedOverrides } from '../di/unused-overrides.js'
import { buildSecurity } from '../features/security/security.js'
import { readInjections } from '../metadata/read.js'
import { defineNext } from '../pipeline/define-next.js'
import { buildAccess } from './access.js'
import { compileRoutes } from './compile-routes.js'
import { type Description, logWarnings, throwErrors } from './describe.js'
import { buildEntrance, type Entrance } from './entrance.js'
import { buildErrorPaths } from './error-paths.js'
import type { Features } from './features.js'
import { findDecorated } from './find-decorated.js'
import { buildFront } from './front.js'
import type { Harness } from './harness.js'
import { LifecycleHooks } from './lifecycle.js'
import { makeControllers, makeGuard } from './make-controllers.js'
import { makeInterceptors } from './make-interceptors.js'
import { createMessageClasses } from './message-classes.js'
import { prepareMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'

/** An application that has been read. No provider or controller has been created yet. */
export interface DescribedApp {
  readonly settings: Settings
  readonly description: Description
  readonly express: Application
  readonly logger: Logger
  readonly clock: Clock
  readonly declaredFeatures: Features
  /** The pages of the OpenAPI documents. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
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

/** Starts a described application. If a line fails, everything that has been opened is closed again. */
export async function boot(app: DescribedApp): Promise<RunningApp> {
  const { settings, description, express, logger, harness } = app
  const { model } = description
  const container = bindScopes(description.scopes, readInjections, harness.overrides)
  const injector = container.root
  const get = <T>(token: Token<T>) => injector.resolve(token)
  const opened: { onClose(): Promise<void> }[] = []
  const plugins: Plugin[] = []
  // Members close in reverse order, so the features come first here. A provider may use a feature until the
  // provider itself is closed.
  const hooks = new LifecycleHooks(() => [...opened, ...injector.made, ...plugins])
  try {
    // The instances: providers, controllers, the guard and interceptors, and the stores of features.
    const controllers = await makeControllers(container)
    const guard = harness.wrapGuard(await makeGuard(settings.auth.guard, injector))
    const interceptors = await makeInterceptors(model, settings, injector)
    const features = await app.declaredFeatures.start({ model, logger })
    opened.push({ onClose: () => features.close() })

    // The functions that run for every request.
    const security = await buildSecurity(settings.security)
    const messages = createMessageClasses(express, { security, features })
    const middlewares = prepareMiddlewares(settings, { express, features })

    // Error handling.
    const errors = buildErrorPaths({ ...app, features, middlewares })
    defineNext(messages.Request, errors.onError)

    // The compiled routes.
    const access = buildAccess({ ...app, guard, features, errors })
    const { beforeHandler, wrapRoutes, wrapListener } = harness
    const instances = { controllers, interceptors, get }
    const made = { ...instances, features, access, errors, middlewares, beforeHandler }
    const routes = wrapRoutes(await compileRoutes({ ...app, ...made }))

    // The way of a request from Node to its route.
    const front = buildFront({ ...app, security, features, middlewares, errors, routes })
    const entrance = buildEntrance({ ...app, messages, features, front, errors, wrapListener })

    // The hooks of plugins and providers: `setup`, `onInit`, `onReady`.
    const find = findDecorated({ instances: injector.made, modules: settings.modules })
    for (const plugin of settings.plugins) {
      plugins.push(plugin)
      const { usesTenants } = features
      await plugin.setup?.({ get, find, express, logger, model, usesTenants })
    }
    // The check runs last, because any line above may request a token.
    const unused = unusedOverrides(harness.overrides, injector.requested)
    logWarnings(logger, throwErrors(unused, settings))
    await hooks.init()
    await hooks.ready()
    return { ...entrance, injector, hooks, stop: () => errors.deadlines?.close() }
  } catch (error) {
    await hooks
      .close()
      .catch((failure) => logger.error({ err: failure }, 'Closing after a failed start'))
    throw error
  }
}
