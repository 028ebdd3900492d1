import type { Capsule } from '../../contracts/capsule.js'
import { ownHeaders } from '../dev/dashboard/curl-text.js'
import { HIDDEN } from '../dev/dashboard/hidden-values.js'

/** Sources of a tenant that are in the host of the request. */
const OF_HOST: readonly unknown[] = ['host', 'subdomain']

/** The headers of a capsule that belong to its request. Secrets are left out. */
export function headersOf(capsule: Capsule): (readonly [string, string])[] {
  const { record, sent } = capsule
  const tenant = record.decisions.find(({ by }) => by === 'tenant')
  const host = OF_HOST.includes(tenant?.facts['source'])
    ? sent.headers.filter(([name]) => name === 'host')
    : []
  // The body of a capsule is decoded.
  const own = ownHeaders({ record, sent, mismatches: [], capsule: null }).filter(
    ([name, value]) => name !== 'content-encoding' && !value.includes(HIDDEN),
  )
  return [...host, ...own]
}

/** The caller as a test names it. The tenant is left out where the request itself names it in a way of its own. */
export function tenantOf({ record, sent }: Pick<Capsule, 'record' | 'sent'>): string | null {
  const decided = record.decisions.find(({ by }) => by === 'tenant')?.facts['source']
  const isInRequest = OF_HOST.includes(decided) || decided === 'path' || decided === 'header'
  const { tenant } = record
  const isSent = sent.headers.some(([, value]) => value === tenant)
  return tenant === null || (isInRequest && (decided !== 'header' || isSent)) ? null : tenant
}
