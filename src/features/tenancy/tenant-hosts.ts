import type { Logger } from '../../contracts/logger.js'
import type { Step } from '../../step/step.js'

/** What is known of an application by the `host` of its scopes. */
export interface TenantHost {
  readonly logger: Logger
  /** Whether it has `authorize`: what a request names is a claim until that has said `true`. */
  readonly authorizes: boolean
  /** Asks the guard, for a tenant, and `authorize`: exactly `true` lets a request pass. `null` without a guard. */
  admit: Step | null
  /** Whether it was said that a middleware goes on in another request's scope. */
  isToldOfStranger: boolean
}

const hosts = new WeakMap<object, TenantHost>()

/** Makes an application known. */
export function noteHost(host: object, facts: Pick<TenantHost, 'logger' | 'authorizes'>): void {
  hosts.set(host, { ...facts, admit: null, isToldOfStranger: false })
}

/** The application of a scope; `undefined` outside of one. */
export function hostOf(
  scope: { readonly host: object | undefined } | undefined,
): TenantHost | undefined {
  return scope?.host === undefined ? undefined : hosts.get(scope.host)
}
