import type { Class, Provider, Token } from '../contracts/provider.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { tokenName } from './token.js'

/** A normalized provider, and the location where it was listed. */
export interface Binding {
  readonly token: Token
  readonly make:
    | { readonly kind: 'class'; readonly class: Class }
    | { readonly kind: 'value'; readonly value: unknown }
    | { readonly kind: 'factory'; readonly create: Factory; readonly inject: readonly Token[] }
    | { readonly kind: 'existing'; readonly token: Token }
  /** The module or option that lists the provider, for messages. */
  readonly origin: string
  /** The original provider. A provider that is listed twice results in one binding. */
  readonly source: Provider
}

type Factory = (...dependencies: unknown[]) => unknown

/** Normalizes a provider. Throws a `ConfigError` if the value is not a provider. */
export function toBinding(source: Provider, origin: string): Binding {
  if (typeof source === 'function') {
    return { token: source, make: { kind: 'class', class: source }, origin, source }
  }
  const token = isObject(source) ? tokenOf(source) : undefined
  const make = isObject(source) ? makeOf(source) : undefined
  if (token === undefined || make === undefined) throw invalid(source, origin)
  return { token, make, origin, source }
}

/** Returns the problem for a token that has two different providers. */
export function duplicateProvider(first: Binding, second: Binding): Problem {
  return {
    code: 'E_PROVIDER_DUPLICATE',
    subject: tokenName(second.token),
    cause: `It is provided by ${first.origin} and, in a different way, by ${second.origin}.`,
    remedy:
      'Remove one of the providers. Or add `exports` without this token to one of the modules, so that its provider is private.',
  }
}

/** Whether two bindings come from two listings of the same provider. */
export function isSameBinding(a: Binding, b: Binding): boolean {
  if (a.source === b.source) return true
  return a.make.kind === 'class' && b.make.kind === 'class' && a.make.class === b.make.class
}

function tokenOf(source: object): Token | undefined {
  const { token, provide } = source as { token?: Token; provide?: Token }
  return token ?? provide
}

function makeOf(source: object): Binding['make'] | undefined {
  const { useClass, useValue, useFactory, useExisting, inject } = source as Record<string, unknown>
  if (typeof useClass === 'function') return { kind: 'class', class: useClass as Class }
  if (typeof useFactory === 'function') {
    return { kind: 'factory', create: useFactory as Factory, inject: (inject as Token[]) ?? [] }
  }
  if (useExisting !== undefined) return { kind: 'existing', token: useExisting as Token }
  return useValue === undefined ? undefined : { kind: 'value', value: useValue }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function invalid(source: unknown, origin: string): ConfigError {
  return new ConfigError([
    {
      code: 'E_PROVIDER_INVALID',
      subject: origin,
      cause: `${describe(source)} is not a provider. An undefined entry often results from a circular import.`,
      remedy:
        'Pass a class, or { token, useClass | useValue | useFactory | useExisting } with a token that is not undefined.',
    },
  ])
}

function describe(source: unknown): string {
  return isObject(source) ? `{ ${Object.keys(source).join(', ')} }` : String(source)
}
