import { Refusal } from '../../plugin/index.js'
import type { AnyJwtOptions } from './jwt-options.js'

/** The reasons for which the guard refuses a request. Each has its own challenge (RFC 6750, 3.1). */
export type BearerError = 'expired' | 'invalid' | 'missing' | 'scope'

const TEXTS: Readonly<Record<BearerError, string>> = {
  missing: 'Authentication is required',
  invalid: 'The token is not valid',
  expired: 'The token has expired',
  scope: 'The token lacks a scope',
}

/**
 * Creates the errors with which the guard refuses requests. They have no stack, because clients can cause many of them.
 */
export class Challenges {
  readonly #challenges: Readonly<Record<BearerError, string>>
  readonly #lacking: (scopes: readonly string[]) => string

  constructor({ scheme = 'Bearer', resource, requiredScopes = [] }: AnyJwtOptions) {
    const metadata = resource === undefined ? [] : [`resource_metadata="${metadataUrl(resource)}"`]
    const write = (...fields: string[]) =>
      [scheme, [...fields, ...metadata].join(', ')].join(' ').trim()
    const invalid = 'error="invalid_token"'
    this.#lacking = (more) => {
      const scopes = [...new Set([...requiredScopes, ...more])]
      const named = scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]
      return write('error="insufficient_scope"', ...named)
    }
    this.#challenges = {
      // RFC 6750, 3.1: a request without a credential gets no error code.
      missing: write(),
      invalid: write(invalid),
      expired: write(invalid, `error_description="${TEXTS.expired}"`),
      scope: this.#lacking([]),
    }
  }

  /** The challenge for a request without a token. */
  get missing(): string {
    return this.#challenges.missing
  }

  /**
   * Returns the challenge of a 403 response for a token that lacks an ability, which is a role or a permission.
   * Abilities that are not valid scopes are omitted.
   */
  lacking(abilities: readonly string[]): string {
    return this.#lacking(abilities.filter(isScope))
  }

  /** Returns the error for a request: 403 for a missing scope, otherwise 401. */
  refuse(error: BearerError): unknown {
    const headers = { 'WWW-Authenticate': this.#challenges[error] }
    return Refusal.of(error === 'scope' ? 403 : 401, TEXTS[error], { headers }).error
  }
}

/**
 * Whether a string is a valid scope (RFC 6749, 3.3). Scopes contain no spaces, quotation marks or backslashes, so they
 * need no escaping in a header.
 */
export function isScope(text: string): boolean {
  return /^[!#-[\]-~]+$/.test(text)
}

/**
 * Returns the URL of a protected resource's metadata: `/.well-known/…` precedes the path of the resource (RFC 9728,
 * 3.1).
 */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
}
