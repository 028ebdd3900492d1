import { inject as needleInject } from '@needle-di/core'
import type { Token } from '../contracts/provider.js'
import { type Injector, kInjector } from './injector.js'

/**
 * Returns the instance of a token. Call it in a field, or in the default value of a constructor parameter, of a class
 * that the container constructs.
 *
 * @param token A class, an `InjectionToken`, a string or a symbol.
 * @throws Error if it is called outside construction by the container.
 * @throws ConfigError if no provider has the token. The error contains the chain of tokens that led to it.
 * @example
 * class UserService {
 *   private readonly users = inject(UserRepository)
 *   constructor(private readonly clock = inject(Clock)) {}
 * }
 */
export function inject<T>(token: Token<T>): T
/**
 * Returns the instance of a token, or `undefined` if no provider has the token.
 *
 * @param token A class, an `InjectionToken`, a string or a symbol.
 * @param options `optional: true`, so that a missing provider results in `undefined` instead of an error.
 * @throws Error if it is called outside construction by the container.
 * @example
 * class Mailer {
 *   private readonly templates = inject(Templates, { optional: true })
 * }
 */
export function inject<T>(token: Token<T>, options: { readonly optional: true }): T | undefined
export function inject<T>(
  token: Token<T>,
  options?: { readonly optional?: boolean },
): T | undefined {
  return currentInjector(token).get(token, options)
}

function currentInjector(token: Token): Injector {
  const injector = needleInject<Injector>(kInjector, { optional: true })
  if (injector !== undefined) return injector
  const name = typeof token === 'function' ? token.name : String(token)
  throw new Error(
    `inject(${name}) was called outside construction. ` +
      'Call it in a field, or in the default value of a constructor parameter. In a test, use app.get().',
  )
}
