import { describeOwner, type Owner } from './owner.js'

/**
 * A statement in another tenant's name than that of the transaction in which it was meant to run. It is a mistake of the program: clients
 * are answered 500.
 */
export class TenantSwitchError extends Error {
  /** Always `TenantSwitchError`. */
  override readonly name = 'TenantSwitchError'

  /** Made by the framework. */
  constructor(from: Owner | null, to: Owner | null) {
    super(
      `A transaction of ${describeOwner(from)} is open, and a statement in it would run for ${describeOwner(to)}. End the transaction first; for work that concerns all tenants use withoutTenant(reason, fn).`,
    )
  }
}
