import type { Application } from 'express'
import type { Middleware } from './handler.js'
import type { Logger } from './logger.js'
import type { Lifecycle, Provider, Token } from './provider.js'
import type { AppModel } from './route-model.js'

/** What a plugin sees of the application while it is set up. */
export interface PluginContext {
  /** The instance behind a token. Throws a `ConfigError` when nothing provides it. */
  get<T>(token: Token<T>): T
  /** The Express application behind `req.app`; for settings. */
  readonly express: Application
  readonly logger: Logger
  /** Every route, frozen. */
  readonly model: AppModel
}

/**
 * An extension of an application.
 *
 * @example
 * const clock: Plugin = {
 *   name: 'clock',
 *   providers: [{ token: 'now', useValue: () => new Date() }],
 * }
 */
export interface Plugin extends Lifecycle {
  /** Used in error messages. */
  readonly name: string
  readonly providers?: readonly Provider[]
  /** Run after the application's own `middlewares`. */
  readonly middlewares?: readonly Middleware[]
  /** Called once, after every provider is constructed and before any request. Awaited. */
  setup?(context: PluginContext): unknown
}
