import type { Interceptor, InterceptorEntry } from '../contracts/interceptor.js'
import type { Token } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Injector } from '../di/injector.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import { isInterceptor } from '../model/uses.js'
import { guardTokens } from './make-guards.js'
import type { Settings } from './settings/settings.js'

/** Returns the interceptors of a route, the outermost first. */
export type InterceptorsOf = (route: RouteModel) => readonly Interceptor[]

const NONE: readonly never[] = Object.freeze([])

/**
 * Finds the interceptors of all routes, starting with the application's interceptors.
 *
 * @param injector The injector, which has already created the {@link interceptorTokens}.
 * @throws ConfigError if the value of a token is not an interceptor.
 */
export function makeInterceptors(
  model: AppModel,
  settings: Pick<Settings, 'interceptors'>,
  injector: Injector,
): InterceptorsOf {
  const entries = new Set(entriesOf(model, settings))
  if (entries.size === 0) return () => NONE
  const made = new Map([...entries].map((entry) => [entry, find(entry, injector)]))
  return ({ uses }) =>
    [...settings.interceptors, ...(uses?.interceptors ?? NONE)].map(
      (entry) => made.get(entry) as Interceptor,
    )
}

/** The tokens among the interceptors of all routes. */
export function interceptorTokens(
  model: AppModel,
  settings: Pick<Settings, 'interceptors'>,
): Token[] {
  const tokens = entriesOf(model, settings).filter((entry) => !isInterceptor(entry))
  return [...new Set(tokens as Token[])]
}

function entriesOf(
  { routes }: AppModel,
  { interceptors }: Pick<Settings, 'interceptors'>,
): InterceptorEntry[] {
  return [...interceptors, ...routes.flatMap(({ uses }) => uses?.interceptors ?? NONE)]
}

function find(entry: InterceptorEntry, injector: Injector): Interceptor {
  if (isInterceptor(entry)) return entry as Interceptor
  const made = injector.get(entry as Token<Interceptor>)
  if (isInterceptor(made)) return made
  throw new ConfigError([
    invalid(
      'interceptors',
      'The value that a token of @Use or `interceptors` provides has no `intercept` method.',
      'Provide an object with intercept(req, next) under that token.',
    ),
  ])
}

/** The tokens in options and decorators, which need a provider. */
export function namedTokens(model: AppModel, settings: Settings): Token[] {
  return [...guardTokens(settings.auth), ...interceptorTokens(model, settings)]
}
