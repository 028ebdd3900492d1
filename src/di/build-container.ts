import type { Class, Token } from '../contracts/provider.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { nearNames } from '../errors/near-names.js'
import { originOf, toProblems } from './chain.js'
import { Injector, type ReadInjections } from './injector.js'
import type { Scope } from './modules.js'
import { tokenName } from './token.js'

/** A value that replaces a provider in any module. */
export interface Override {
  /** The token whose value is replaced. */
  readonly token: Token
  /** The value to use instead. */
  readonly useValue: unknown
}

/** The container of an application before any instance is created. */
export interface BoundContainer {
  readonly root: Injector
  readonly scopes: readonly { readonly injector: Injector; readonly scope: Scope }[]
}

/** Binds all providers and controllers without creating them. An override can replace any of them. */
export function bindScopes(
  scopes: readonly Scope[],
  read: ReadInjections,
  overrides: readonly Override[],
): BoundContainer {
  const root = Injector.create(read, new Set(overrides.map(({ token }) => token)))
  for (const { token, useValue } of overrides) root.bindValue(token, useValue)
  return { root, scopes: scopes.map((scope) => ({ scope, injector: bindScope(root, scope) })) }
}

function bindScope(root: Injector, scope: Scope): Injector {
  const injector = scope.exports === null ? root : root.createChild()
  for (const binding of scope.bindings) {
    injector.bind(binding)
    if (scope.exports !== null && !scope.exports.includes(binding.token)) injector.keep(binding)
  }
  for (const controller of scope.controllers) injector.bindOwn(controller)
  for (const token of scope.exports ?? []) root.bindExport(token, injector)
  return injector
}

/** The controllers that {@link makeAll} created, and the problems with providers and controllers that failed. */
export interface MadeContainer {
  readonly instances: ReadonlyMap<Class, unknown>
  readonly problems: readonly Problem[]
  /** The errors from the application's own code that caused the problems. */
  readonly errors: readonly unknown[]
}

/**
 * Creates all providers and controllers, so that every failing class or factory is found at boot. Factories are called
 * first, because a class that depends on an asynchronous factory would otherwise be constructed twice.
 *
 * @param tokens The tokens in options and decorators. A class in this list does not have to be listed as a provider.
 */
export async function makeAll(
  { root, scopes }: BoundContainer,
  tokens: readonly Token[],
): Promise<MadeContainer> {
  const problems = new Map<string, Problem>()
  const errors: unknown[] = []
  const make = async (injector: Injector, token: Token): Promise<boolean> => {
    try {
      await injector.make(token)
      return true
    } catch (error) {
      // A missing provider makes all of its dependents fail. It is reported only once, with its first chain.
      const found = toProblems(error).map(
        (problem) => [`${problem.code} ${problem.subject}`, problem] as const,
      )
      const added = found.filter(([key]) => !problems.has(key))
      const origin = originOf(error)
      // A `ConfigError` is replaced with its cause: its message repeats its problems, so Node would print them twice.
      const cause = origin instanceof ConfigError ? origin.cause : origin
      if (added.length > 0 && cause !== undefined) errors.push(cause)
      for (const [key, problem] of added) problems.set(key, problem)
      return false
    }
  }
  for (const isFactory of [true, false]) {
    for (const { injector, scope } of scopes) {
      const bindings = scope.bindings.filter(({ make }) => (make.kind === 'factory') === isFactory)
      for (const { token } of bindings) await make(injector, token)
    }
  }
  const instances = new Map<Class, unknown>()
  for (const { injector, scope } of scopes) {
    for (const controller of scope.controllers) {
      if (await make(injector, controller)) instances.set(controller, injector.get(controller))
    }
  }
  for (const token of tokens) {
    if (typeof token === 'function') root.bindOwn(token as Class)
    await make(root, token)
  }
  return { instances, problems: [...problems.values()], errors }
}

/**
 * Warns about overrides without effect. No provider has the token of such an override, and no class requested the
 * token.
 */
export function unusedOverrides(
  overrides: readonly Override[],
  requested: ReadonlySet<Token>,
): Problem[] {
  const known = [...requested].map(tokenName)
  return overrides
    .filter(({ token }) => !requested.has(token))
    .map(({ token }) => ({
      code: 'W_OVERRIDE_UNUSED',
      subject: tokenName(token),
      cause: `Nothing provides ${tokenName(token)}, and no class injects it: the override has no effect.`,
      remedy: remedyFor(tokenName(token), known),
    }))
}

function remedyFor(name: string, known: readonly string[]): string {
  if (known.includes(name)) {
    return 'Another token has the same name: import the token that the application uses.'
  }
  const near = nearNames(name, known)
  if (near.length === 0)
    return 'Pass the token that the application injects, or remove the override.'
  return `Did you mean ${near.join(' or ')}?`
}
