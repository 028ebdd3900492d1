import type { Capsule } from '../../contracts/capsule.js'

/** Sources of a tenant that are in the host of the request. */
const OF_HOST: readonly unknown[] = ['host', 'subdomain']

/** Whether the tenant of a request is in its host. */
export function isTenantInHost({ record }: Pick<Capsule, 'record'>): boolean {
  return OF_HOST.includes(sourceOf(record))
}

/** The tenant that a caller has to name; `null` where the request itself names it in a way of its own. */
export function tenantOf({ record, sent }: Pick<Capsule, 'record' | 'sent'>): string | null {
  const source = sourceOf(record)
  const { tenant } = record
  const isSent = sent.headers.some(([, value]) => value === tenant)
  const isInRequest = OF_HOST.includes(source) || source === 'path'
  return isInRequest || (source === 'header' && isSent) ? null : tenant
}

function sourceOf({ decisions }: Capsule['record']): unknown {
  return decisions.find(({ by }) => by === 'tenant')?.facts['source']
}
