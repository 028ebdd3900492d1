import type { Token } from '../contracts/provider.js'
import { type BoundContainer, makeAll } from '../di/build-container.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { takeUnread } from '../features/env/unread-file.js'
import { attachOk } from './base-controller.js'
import { checkFieldRoutes } from './check-field-routes.js'
import { logWarnings, throwErrors } from './describe.js'
import type { DescribedApp } from './described-app.js'
import { type MadeGuard, makeGuards } from './make-guards.js'
import { makeInterceptors } from './make-interceptors.js'
import { namedTokens } from './named-tokens.js'
import type { RoutesConfig } from './route-parts.js'
import { readKeys } from './settings/cookie-options.js'

/** Everything that is constructed before the routes are compiled. */
interface Instances extends Pick<RoutesConfig, 'controllers' | 'interceptors'> {
  readonly guards: readonly MadeGuard[]
  /** The application with the keys of its cookies, which a function may return. */
  readonly keyed: DescribedApp
}

/**
 * Creates providers, controllers, guards and interceptors.
 *
 * @param guarding Gets the guards that exist for this application only.
 */
export async function makeInstances(
  app: DescribedApp,
  container: BoundContainer,
  guarding: Set<object>,
): Promise<Instances> {
  const { settings, description, logger } = app
  const { model } = description
  const injector = container.root
  const setup = { get: <T>(token: Token<T>) => injector.resolve(token), logger }
  const controllers = await makeControllers(container, namedTokens(model, settings))
  const unserved = checkFieldRoutes(controllers, injector.made)
  if (unserved.length > 0) throw new ConfigError(unserved)
  warn(app, takeUnread())
  const cookies = await readKeys(settings.cookies, setup)
  app.useKeys(cookies.keys)
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

/** Logs warnings that only a start can find. With `strict`, they end it. */
export function warn({ logger, settings }: DescribedApp, warnings: readonly Problem[]): void {
  logWarnings(logger, throwErrors(warnings, settings))
}

/**
 * Creates every provider and controller.
 *
 * @param tokens Other tokens to create: see {@link namedTokens}.
 * @returns the controllers, by their classes.
 * @throws ConfigError with everything that could not be created.
 */
async function makeControllers(
  container: BoundContainer,
  tokens: readonly Token[],
): Promise<ReadonlyMap<unknown, object>> {
  const { instances, problems, errors } = await makeAll(container, tokens)
  if (problems.length > 0) {
    if (errors.length === 0) throw new ConfigError(problems)
    throw new ConfigError(problems, {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    })
  }
  for (const instance of instances.values()) attachOk(instance as object)
  return instances as ReadonlyMap<unknown, object>
}
