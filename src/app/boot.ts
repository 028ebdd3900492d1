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
import { buildFront } from './front.js'
import type { Harness } from './harness.js'
import { LifecycleHooks } from './lifecycle.js'
import { makeControllers, makeGuard } from './make-controllers.js'
import { createMessageClasses } from './message-classes.js'
import { prepareMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'

/** An application that is described, and of which nothing is made yet. */
export interface DescribedApp {
  readonly settings: Settings
  readonly description: Description
  readonly express: Application
  readonly logger: Logger
  readonly clock: Clock
  readonly declaredFeatures: Features
  /** The pages of the documentation. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
  readonly isClosing: () => boolean
  readonly harness: Harness
}

/** Everything of an application that exists once it runs. */
export interface RunningApp extends Entrance {
  readonly injector: Injector
  readonly hooks: LifecycleHooks
  /** Stops what the framework itself keeps going. */
  readonly stop: () => void
}

/** Makes an application out of its description. When a line fails, everything that has begun is closed again. */
export async function boot(app: DescribedApp): Promise<RunningApp> {
  const { settings, description, express, logger, harness } = app
  const { model } = description
  const container = bindScopes(description.scopes, readInjections, harness.overrides)
  const injector = container.root
  const get = <T>(token: Token<T>) => injector.resolve(token)
  const opened: { onClose(): Promise<void> }[] = []
  const plugins: Plugin[] = []
  // They close from the last to the first: providers may use what features have opened until they are closed themselves.
  const hooks = new LifecycleHooks(() => [...opened, ...injector.made, ...plugins])
  try {
    // The instances: providers, controllers, the guard, and what features keep.
    const controllers = await makeControllers(container)
    const guard = harness.wrapGuard(await makeGuard(settings.auth.guard, injector))
    const features = await app.declaredFeatures.start({ model, logger })
    opened.push({ onClose: () => features.close() })

    // What all requests meet, whatever their route.
    const security = await buildSecurity(settings.security)
    const messages = createMessageClasses(express, { security, features })
    const middlewares = prepareMiddlewares(settings, { express, features })

    // What handles errors.
    const errors = buildErrorPaths({ ...app, features, middlewares })
    defineNext(messages.Request, errors.onError)

    // What compiles routes.
    const access = buildAccess({ ...app, guard, features, errors })
    const { beforeHandler, wrapRoutes, wrapListener } = harness
    const made = { controllers, get, features, access, errors, middlewares, beforeHandler }
    const routes = wrapRoutes(await compileRoutes({ ...app, ...made }))

    // The way in, from Node to the routes.
    const front = buildFront({ ...app, security, features, middlewares, errors, routes })
    const entrance = buildEntrance({ ...app, messages, features, front, errors, wrapListener })

    // What the author runs at the start: `setup`, `onInit`, `onReady`.
    for (const plugin of settings.plugins) {
      plugins.push(plugin)
      const { usesTenants } = features
      await plugin.setup?.({ get, express, logger, model, usesTenants })
    }
    // Only now has every token been asked for.
    const unused = unusedOverrides(harness.overrides, injector.asked)
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
