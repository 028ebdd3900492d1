import type { EventEmitter } from 'node:events'
import type { TenantScope } from '../contracts/tenant.js'
import { kTenantScope } from './own-fields.js'

/** As much of a request as its scope is known by. */
interface Scoped {
  readonly [kTenantScope]: TenantScope | undefined
}

/** Keeps requests apart where Node's async context does not: what a feature provides for an application that uses it. */
export interface RequestScopes {
  /** In whose name the code runs that works for a request now; `undefined` before that is known. */
  of(req: Scoped): TenantScope | undefined
  run<T>(scope: TenantScope, fn: () => T): T
  /** Runs a function for a request in its scope: at once, where the code runs in that already. */
  keep<T>(req: { [kTenantScope]: TenantScope | undefined }, fn: () => T): T
}

// biome-ignore lint/suspicious/noExplicitAny: whatever an event carries
type Listener = (...args: any[]) => void
type AddListener = (this: EventEmitter, event: string | symbol, listener: Listener) => EventEmitter

/**
 * Makes listeners of requests or responses run in the scope they were added in. Node emits `end`, `finish` and `close`
 * from the connection, whose context is nobody's, or that of whoever was served before.
 */
export function bindListeners(
  prototype: EventEmitter,
  scopes: RequestScopes,
  requestOf: RequestOf,
): void {
  const { on, once, addListener, prependListener, prependOnceListener } = prototype
  const binding = { prototype, scopes, requestOf }
  define(binding, 'on', { add: on, bind: on })
  define(binding, 'addListener', { add: addListener, bind: addListener })
  define(binding, 'prependListener', { add: prependListener, bind: prependListener })
  define(binding, 'once', { add: once, bind: on, isOnce: true })
  define(binding, 'prependOnceListener', {
    add: prependOnceListener,
    bind: prependListener,
    isOnce: true,
  })
}

/** The request that an emitter belongs to; `undefined` for a listener that needs no scope. */
type RequestOf = (emitter: EventEmitter, event: string | symbol) => Scoped | undefined

interface Binding {
  readonly prototype: EventEmitter
  readonly scopes: RequestScopes
  readonly requestOf: RequestOf
}

interface Adding {
  /** Node's own. */
  readonly add: AddListener
  /** Adds what is bound. Node's `once` would wrap it once more, and then find neither of the two. */
  readonly bind: AddListener
  readonly isOnce?: boolean
}

function define(
  { prototype, scopes, requestOf }: Binding,
  name: string,
  { add, bind, isOnce = false }: Adding,
): void {
  const value: AddListener = function (event, listener) {
    const req = requestOf(this, event)
    const scope = req === undefined ? undefined : scopes.of(req)
    if (scope === undefined || typeof listener !== 'function') {
      return add.call(this, event, listener)
    }
    const bound: Listener & { listener?: Listener } = (...args) => {
      if (isOnce) this.removeListener(event, bound)
      scopes.run(scope, () => listener.apply(this, args))
    }
    // Where Node looks when the original is to be removed, or listed.
    bound.listener = listener
    return bind.call(this, event, bound)
  }
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
}
