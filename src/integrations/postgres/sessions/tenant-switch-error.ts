import { describeOwner, type Owner } from './owner.js'

/**
 * A statement was about to run for another tenant than the transaction that is open. This is a
 * mistake in the program, so clients get the status 500.
 */
export class TenantSwitchError extends Error {
  /** Always `TenantSwitchError`. */
  override readonly name = 'TenantSwitchError'

  /** Created by the framework. */
  constructor(from: Owner | null, to: Owner | null) {
    super(
      `A transaction of ${describeOwner(from)} is open, and a statement in it would run for ${describeOwner(to)}. End the transaction first; for work that concerns all tenants use withoutTenant(reason, fn).`,
    )
  }
}
