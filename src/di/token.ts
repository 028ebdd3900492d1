import type { Token, TokenLike } from '../contracts/provider.js'

/**
 * Names a dependency that is not a class: a configuration, a function, an interface.
 *
 * @example
 * const Now = new InjectionToken<() => Date>('Now')
 * const options = { modules: [{ providers: [{ token: Now, useValue: () => new Date() }] }] }
 */
export class InjectionToken<T> implements TokenLike<T> {
  declare readonly _type?: T

  /** @param description Shown in error messages; two tokens may share it. */
  constructor(readonly description: string) {}

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
