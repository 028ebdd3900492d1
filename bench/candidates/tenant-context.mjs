// The tenant in an asynchronous context, as applications of the other frameworks keep it.
import { AsyncLocalStorage } from 'node:async_hooks'

const tenants = new AsyncLocalStorage()

/** Calls something in the context of a tenant. */
export function runAs(tenant, callback) {
  return tenants.run(tenant, callback)
}

export function currentTenant() {
  return tenants.getStore()
}
