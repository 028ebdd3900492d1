import type { RouteModel } from '../contracts/route-model.js'
import { ConfigError } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import type { Stage } from '../step/step.js'

/**
 * Makes the steps that parse cookies. Their module, and the parser, are loaded only if a route has `@Cookies`.
 *
 * @throws ConfigError that names the routes with signed cookies, if the application has no keys.
 */
export async function compileCookies(
  routes: readonly RouteModel[],
  keys: readonly string[],
): Promise<(route: RouteModel) => Stage | null> {
  if (routes.every(({ cookies }) => cookies === null)) return () => null
  const unsigned = routes.filter(({ cookies }) => keys.length === 0 && cookies?.signed.length)
  if (unsigned.length > 0) {
    const cause = 'Its @Cookies names signed cookies, and the application has no keys for them.'
    const remedy =
      'Set the option cookies: { keys: ({ get }) => get(Env).COOKIE_KEYS }, or a list of keys.'
    throw new ConfigError(unsigned.map(({ name }) => invalid(name, cause, remedy)))
  }
  const { cookiesStage } = await import('../pipeline/steps/cookies.js')
  return ({ cookies }) => (cookies === null ? null : cookiesStage({ ...cookies, keys }))
}
