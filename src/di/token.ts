import type { Token, TokenLike } from '../contracts/provider.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'

/** Options of an `InjectionToken`. */
export interface TokenOptions<T> {
  /**
   * Creates the instance when nothing provides the token, once for each application. It may call `inject`; promises
   * are not awaited. Default: none, and injecting a token that nothing provides is a boot error.
   */
  readonly useFactory?: () => T
}

const NAMES: OptionNames<TokenOptions<unknown>> = { useFactory: true }

/**
 * A token for a dependency that is not a class: a configuration, a function, an interface.
 *
 * @example
 * const Now = new InjectionToken<() => Date>('Now', { useFactory: () => () => new Date() })
 * const options = { modules: [{ providers: [{ token: Now, useValue: () => new Date(0) }] }] }
 */
export class InjectionToken<T> implements TokenLike<T> {
  declare readonly _type?: T
  /**
   * Creates the default instance, once for an application, if nothing provides the token. `undefined` means that the
   * token has no default: a missing provider is a boot error.
   */
  readonly useFactory: (() => T) | undefined

  /**
   * Makes a token.
   *
   * @param description Shown in error messages; two tokens may share it.
   * @param options How the instance is made if nothing provides the token. Default: not at all.
   */
  constructor(
    readonly description: string,
    options: TokenOptions<T> = {},
  ) {
    refuseUnknown(`InjectionToken '${description}'`, options, NAMES)
    this.useFactory = options.useFactory
  }

  toString(): string {
    return this.description
  }
}

/** A token as error messages show it. */
export function tokenName(token: Token): string {
  if (typeof token === 'function') return token.name || 'an anonymous class'
  if (typeof token === 'symbol') return token.toString()
  return typeof token === 'string' ? `'${token}'` : String(token?.description ?? token)
}
