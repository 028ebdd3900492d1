import { TenantContext } from '../../../index.js'

/**
 * The owner of statements: one tenant, `nobody` (tenant rows are invisible), or all tenants. The owner is `null` if the
 * application does not use tenants; statements then run as the login role.
 */
export type Owner =
  | { readonly kind: 'tenant'; readonly id: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'all' }

export const NOBODY: Owner = { kind: 'nobody' }
export const ALL_TENANTS: Owner = { kind: 'all' }

/**
 * Returns the owner for which the current code runs.
 *
 * @param usesTenants Whether the application uses tenants. If it does, code outside tenant scopes runs for `nobody`.
 * Otherwise, the owner of such code is `null`.
 */
export function currentOwner(usesTenants: boolean): Owner | null {
  const scope = TenantContext.current()
  if (scope?.id !== undefined) return { kind: 'tenant', id: scope.id }
  if (scope?.isForAll === true) return ALL_TENANTS
  return usesTenants ? NOBODY : null
}

/** Whether two owners are the same. */
export function isSameOwner(one: Owner | null, other: Owner | null): boolean {
  return one?.kind === other?.kind && idOf(one) === idOf(other)
}

function describeOwner(owner: Owner | null): string {
  if (owner === null) return 'without a tenant'
  if (owner.kind === 'tenant') return `for the tenant '${owner.id}'`
  return owner.kind === 'all' ? 'for all tenants' : 'without a tenant'
}

function idOf(owner: Owner | null): string | undefined {
  return owner?.kind === 'tenant' ? owner.id : undefined
}

/**
 * The error for a statement that would have run for a different owner than the open transaction, such as another tenant
 * or no tenant. The bug is in the application, so clients receive the status 500.
 */
export class TenantSwitchError extends Error {
  /** Always `TenantSwitchError`. */
  override readonly name = 'TenantSwitchError'

  /** Only the framework creates this error. */
  constructor(from: Owner | null, to: Owner | null) {
    super(
      `A transaction ${describeOwner(from)} is open, and a statement in it would run ${describeOwner(to)}. End the transaction first; for work on the rows of all tenants, use withoutTenant(reason, fn).`,
    )
  }
}
