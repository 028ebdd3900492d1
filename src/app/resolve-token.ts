import type { Class, Token } from '../contracts/provider.js'
import { originOf, toProblems } from '../di/chain.js'
import type { Injector } from '../di/injector.js'
import { ConfigError } from '../errors/config-error.js'

/**
 * Returns the instance of a token that an option or a decorator names. A class need not be listed in the providers.
 *
 * @throws ConfigError if nothing provides the token.
 */
export async function resolveToken<T>(token: Token<T>, injector: Injector): Promise<T> {
  if (typeof token === 'function') injector.bindOwn(token as Class<T>)
  try {
    return await injector.getAsync(token)
  } catch (error) {
    throw new ConfigError(toProblems(error), { cause: originOf(error) })
  }
}
