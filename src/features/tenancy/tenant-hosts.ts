import type { Logger } from '../../contracts/logger.js'

/** The facts about an application that its scopes refer to by `host`. */
export interface TenantHost {
  readonly logger: Logger
  /**
   * Whether it has `authorize`: then the tenant that a request names is a claim until `authorize` has returned
   * `true`.
   */
  readonly authorizes: boolean
  /** Whether the warning about a `next` in the scope of another request has been logged. */
  hasWarnedOfScope: boolean
}

const hosts = new WeakMap<object, TenantHost>()

/** Registers an application. */
export function noteHost(host: object, facts: Pick<TenantHost, 'logger' | 'authorizes'>): void {
  hosts.set(host, { ...facts, hasWarnedOfScope: false })
}

/** Returns the facts about the application of a scope; `undefined` outside of one. */
export function hostOf(
  scope: { readonly host: object | undefined } | undefined,
): TenantHost | undefined {
  return scope?.host === undefined ? undefined : hosts.get(scope.host)
}
