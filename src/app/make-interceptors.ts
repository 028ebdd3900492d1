import type { Interceptor, InterceptorEntry } from '../contracts/interceptor.js'
import type { Token } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Injector } from '../di/injector.js'
import { ConfigError } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { isInterceptor } from '../model/use-entries.js'
import { resolveToken } from './resolve-token.js'
import type { Settings } from './settings/settings.js'

/** Returns the interceptors of a route, the outermost first. */
export type InterceptorsOf = (route: RouteModel) => readonly Interceptor[]

const NONE: readonly never[] = Object.freeze([])

/**
 * Finds the interceptors of all routes, those of the application first. The container creates classes, which need not be
 * listed as providers.
 *
 * @throws ConfigError if nothing provides a token, or its value is not an interceptor.
 */
export async function makeInterceptors(
  { routes }: AppModel,
  { interceptors: ofApp }: Pick<Settings, 'interceptors'>,
  injector: Injector,
): Promise<InterceptorsOf> {
  const made = new Map<InterceptorEntry, Interceptor>()
  const entries = [...ofApp, ...routes.flatMap(({ uses }) => uses?.interceptors ?? NONE)]
  for (const entry of entries) {
    if (!made.has(entry)) made.set(entry, await make(entry, injector))
  }
  if (made.size === 0) return () => NONE
  return ({ uses }) =>
    [...ofApp, ...(uses?.interceptors ?? NONE)].map((entry) => made.get(entry) as Interceptor)
}

async function make(entry: InterceptorEntry, injector: Injector): Promise<Interceptor> {
  if (isInterceptor(entry)) return entry as Interceptor
  const token = entry as Token<Interceptor>
  const made = await resolveToken(token, injector)
  if (isInterceptor(made)) return made
  throw new ConfigError([
    invalid(
      'interceptors',
      'The value that a token of @Use or `interceptors` provides has no method intercept.',
      'Provide an object with intercept(req, next) under that token.',
    ),
  ])
}
