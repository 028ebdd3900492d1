import { TenantContext } from '../../../index.js'

/**
 * In whose name statements run: a tenant, nobody (what belongs to tenants cannot be seen), or all tenants. `null` where tenants are no
 * matter: statements then run as whoever has logged in.
 */
export type Owner =
  | { readonly kind: 'tenant'; readonly id: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'all' }

export const NOBODY: Owner = { kind: 'nobody' }
export const ALL_TENANTS: Owner = { kind: 'all' }

/**
 * In whose name the code runs.
 *
 * @param usesTenants Whether code that runs in no tenant's name is nobody's.
 */
export function currentOwner(usesTenants: boolean): Owner | null {
  const scope = TenantContext.current()
  if (scope?.id !== undefined) return { kind: 'tenant', id: scope.id }
  if (scope?.isForAll === true) return ALL_TENANTS
  return usesTenants ? NOBODY : null
}

/** Whether two names are the same one. */
export function isSameOwner(one: Owner | null, other: Owner | null): boolean {
  return one?.kind === other?.kind && idOf(one) === idOf(other)
}

/** For messages. */
export function describeOwner(owner: Owner | null): string {
  if (owner === null) return 'no tenant'
  if (owner.kind === 'tenant') return `the tenant '${owner.id}'`
  return owner.kind === 'all' ? 'all tenants' : 'nobody'
}

function idOf(owner: Owner | null): string | undefined {
  return owner?.kind === 'tenant' ? owner.id : undefined
}
