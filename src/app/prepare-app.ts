import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import type { FrameworkRoute, Plugin } from '../contracts/plugin.js'
import type { Injector } from '../di/injector.js'
import type { RequestLogs } from '../features/logs/log.js'
import type { OutgoingCalls } from '../features/outgoing/outgoing.js'
import { checkPages } from '../features/pages/pages-contract.js'
import type { CurrentRequest } from '../http/contexts.js'
import { OtherDenials } from '../pipeline/log-failure.js'
import { RequestSecrets } from '../pipeline/request-secrets.js'
import type { AppLogger } from './app-logger.js'
import { configureExpressHost } from './app-parts.js'
import type { DeclaredApp } from './declared-app.js'
import { type Description, ignoredOverrides, logWarnings, throwErrors } from './describe.js'
import { loadPlugins } from './features.js'
import type { FrameworkProviders } from './framework-providers.js'
import { listFrameworkRoutes } from './framework-routes.js'
import { type Harness, NO_HARNESS } from './harness.js'
import type { LifecycleHooks } from './lifecycle.js'
import type { ServerEntry } from './server.js'
import type { Settings } from './settings/settings.js'
import type { Features } from './start-features.js'

/** An application before its options and decorators are read. */
interface UnreadApp
  extends Pick<
    DescribedApp,
    'harness' | 'express' | 'isClosing' | 'requestLogs' | 'currentRequest' | 'outgoing'
  > {
  readonly declared: DeclaredApp
  readonly logger: AppLogger
  readonly app: FrameworkProviders['app']
}

/**
 * Reads an application when it starts, before the first instance is created.
 *
 * @throws ConfigError with all errors, including missing providers.
 */
export async function prepareApp(unread: UnreadApp): Promise<DescribedApp> {
  try {
    await unread.declared.loadForeignCheck()
    return await prepare(unread)
  } catch (error) {
    // The module is loaded on demand, because few starts need it.
    const { addMissing } = await import('./find-missing.js')
    throw await addMissing(error, unread.declared, unread.harness)
  }
}

async function prepare({ declared, app, ...unread }: UnreadApp): Promise<DescribedApp> {
  // The options and decorators. Each property is computed when it is first read: `settings` checks the options, and
  // `description` compiles the model.
  const { settings, description, documents, declaredFeatures } = declared
  const { harness, express, requestLogs, outgoing } = unread
  const { model } = description

  // The logger, and everything that the options configure.
  const secrets = new RequestSecrets(settings.converters)
  const { logger } = await unread.logger.open({ settings, harness, model, secrets })
  requestLogs.configure(logger, secrets.hide)
  const tenantHeader = settings.tenant?.header
  outgoing.configure({
    clock: harness.clock,
    logger,
    settings: settings.outgoing,
    credentials: [...settings.auth.credentials.headers, ...(tenantHeader ? [tenantHeader] : [])],
    answer: harness.answerCall,
  })
  configureExpressHost(express, settings)

  // The plugins of the application and of its features, and the routes that no controller declares.
  const denials = new OtherDenials()
  const described = () => ({ model, settings, documents })
  let { keys } = settings.cookies
  const cookieKeys = () => keys
  const given = await loadPlugins(settings, model, { denials, cookieKeys, described })
  const plugins = [...given, ...harness.plugins]
  const { frameworkRoutes, problems } = listFrameworkRoutes({
    documents,
    plugins,
    model,
    app,
    settings,
  })

  // The errors and warnings that are left.
  const isTest = harness !== NO_HARNESS
  // A test is not checked, because its options can omit the keys that a real start receives.
  const keyless = isTest ? [] : checkPages(model, settings.cookies)
  const warnings = throwErrors([...problems, ...keyless], settings)
  const ignored = isTest ? [] : ignoredOverrides(settings)
  logWarnings(logger, [...description.warnings, ...warnings, ...ignored])
  return {
    ...unread,
    settings,
    description,
    logger,
    clock: harness.clock,
    secrets,
    declaredFeatures,
    plugins,
    denials,
    useCookieKeys: (made) => {
      keys = made
    },
    frameworkRoutes,
  }
}

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
  /** Tenants, rate limits and the cache, which are started by `boot`. All other features are among the plugins. */
  readonly declaredFeatures: Features
  /** The pages of the OpenAPI documents, and the routes of plugins. */
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** The plugins of the application, and plugins that its options add. */
  readonly plugins: readonly Plugin[]
  /** Logs failures of the guards of features. */
  readonly denials: OtherDenials
  /** Passes the cookie keys to features after a function in the options has returned them. */
  readonly useCookieKeys: (keys: readonly string[]) => void
  readonly isClosing: () => boolean
  readonly harness: Harness
}

/** The parts of a started application. */
export interface RunningApp extends ServerEntry {
  readonly injector: Injector
  readonly hooks: LifecycleHooks
  /** Stops the timers of the framework itself, and logs the number of errors that were only counted. */
  readonly stop: () => void
}
