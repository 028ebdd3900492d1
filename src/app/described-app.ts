import type { Application } from 'express'
import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import type { FrameworkRoute, Plugin } from '../contracts/plugin.js'
import type { Injector } from '../di/injector.js'
import type { RequestLogs } from '../features/logs/log.js'
import type { OutgoingCalls } from '../features/outgoing/outgoing.js'
import type { CurrentRequest } from '../http/contexts.js'
import type { OtherDenials } from '../pipeline/log-failure.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import type { Description } from './describe.js'
import type { Harness } from './harness.js'
import type { LifecycleHooks } from './lifecycle.js'
import type { ServerEntry } from './server-entry.js'
import type { Settings } from './settings/settings.js'
import type { Features } from './start-features.js'

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
  /** Gives the keys of cookies to features, once a function of the options has returned them. */
  readonly useKeys: (keys: readonly string[]) => void
  readonly isClosing: () => boolean
  readonly harness: Harness
}

/** Everything that a started application has. */
export interface RunningApp extends ServerEntry {
  readonly injector: Injector
  readonly hooks: LifecycleHooks
  /** Stops the timers and listeners of the framework itself. */
  readonly stop: () => void
}
