import type { EventEmitter } from 'node:events'
import type { TenantScope } from '../contracts/tenant.js'
import { kTenantScope } from './symbol-fields.js'

/** The properties of a request that identify its scope. */
interface Scoped {
  readonly [kTenantScope]: TenantScope | undefined
}

/**
 * Separates the scopes of requests where Node's async context does not separate them. A feature implements this
 * interface.
 */
export interface RequestScopes {
  /** Returns the current scope of a request; `undefined` until the scope is known. */
  of(req: Scoped): TenantScope | undefined
  /** Returns the scope of the running code. */
  current(): TenantScope | undefined
  run<T>(scope: TenantScope, fn: () => T): T
  /** Runs a function in the scope of a request. If that scope is already active, the function is called directly. */
  keep<T>(req: { [kTenantScope]: TenantScope | undefined }, fn: () => T): T
}

/** Runs a function, such as the callback of a timer, in the scope of a request. */
export function inScopeOf(scopes: RequestScopes | null, req: Scoped, fn: () => void): void {
  const scope = scopes?.of(req)
  if (scopes === null || scope === undefined) fn()
  else scopes.run(scope, fn)
}

// biome-ignore lint/suspicious/noExplicitAny: an event may carry any values
type Listener = (...args: any[]) => void
type AddListener = (this: EventEmitter, event: string | symbol, listener: Listener) => EventEmitter

/**
 * Makes listeners of requests or responses run in the scope in which they were added. Node emits `end`, `finish` and
 * `close` from the connection, whose async context belongs to an earlier request or to no request.
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

/** Returns the request of an emitter; `undefined` if the listener needs no scope. */
type RequestOf = (emitter: EventEmitter, event: string | symbol) => Scoped | undefined

interface Binding {
  readonly prototype: EventEmitter
  readonly scopes: RequestScopes
  readonly requestOf: RequestOf
}

interface Adding {
  /** Node's own method. */
  readonly add: AddListener
  /** Adds a bound listener. Node's `once` would wrap it again, and `off` could not find the original. */
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
      // A scope that is already active is not entered again, because entering it copies the whole async context.
      if (scopes.current() === scope) listener.apply(this, args)
      else scopes.run(scope, () => listener.apply(this, args))
    }
    // Node reads this property to remove or list the original listener.
    bound.listener = listener
    return bind.call(this, event, bound)
  }
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
}
