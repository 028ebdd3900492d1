import type { Token, TokenLike } from '../contracts/provider.js'

/** What a token may say beside its name. */
export interface TokenOptions<T> {
  /**
   * Makes the instance where nothing provides the token, once for an application; it may call `inject`, and does not wait for promises.
   * Default: none, and asking for what nobody provides is a boot error.
   */
  readonly useFactory?: () => T
}

/**
 * Names a dependency that is not a class: a configuration, a function, an interface.
 *
 * @example
 * const Now = new InjectionToken<() => Date>('Now', { useFactory: () => () => new Date() })
 * const options = { modules: [{ providers: [{ token: Now, useValue: () => new Date(0) }] }] }
 */
export class InjectionToken<T> implements TokenLike<T> {
  declare readonly _type?: T
  /**
   * Makes the instance where nothing provides the token, once for an application. `undefined`: asking for a token that nothing provides
   * is a boot error.
   */
  readonly useFactory: (() => T) | undefined

  /**
   * Makes a token.
   *
   * @param description Shown in error messages; two tokens may share it.
   * @param options How the instance is made where nothing provides the token. Default: not at all.
   */
  constructor(
    readonly description: string,
    options: TokenOptions<T> = {},
  ) {
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
