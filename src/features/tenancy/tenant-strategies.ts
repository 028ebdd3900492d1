import type { Request } from '../../contracts/handler.js'
import type { TenantStrategy } from '../../contracts/tenant.js'

/**
 * Names the tenant by the host that a request asks for, as the `Host` header says; `X-Forwarded-Host`, which clients can send
 * too, is never read. A proxy must pass the client's `Host` on.
 *
 * @param hosts Tenants by host name, without port.
 * @throws TypeError for what is no host name.
 * @example
 * tenant: { header: false, strategies: [tenantFromHost({ 'shop.acme.example': 'acme' })] }
 */
export function tenantFromHost(hosts: Readonly<Record<string, string>>): TenantStrategy {
  const names = typeof hosts === 'object' && hosts !== null ? Object.keys(hosts) : [hosts]
  for (const name of names) checkHost('tenantFromHost', name)
  const known = new Map(Object.entries(hosts).map(([host, id]) => [host.toLowerCase(), id]))
  return function hostTenant(req) {
    return known.get(hostOf(req))
  }
}

/**
 * Names the tenant by the label in front of a domain: `acme.example.com`. The domain itself, deeper names and other hosts name
 * none. Reads the `Host` header alone, as {@link tenantFromHost}. The label is in lower case, whatever the client writes.
 *
 * @throws TypeError for what is no domain.
 * @example
 * tenant: { header: false, strategies: [tenantFromSubdomain({ domain: 'example.com' })] }
 */
export function tenantFromSubdomain(options: { readonly domain: string }): TenantStrategy {
  // Untyped callers may have given the domain itself, or nothing.
  const domain = (options as { readonly domain: string } | undefined)?.domain as string
  checkHost('tenantFromSubdomain', domain)
  const suffix = `.${domain.toLowerCase()}`
  return function subdomainTenant(req) {
    const host = hostOf(req)
    const label = host.endsWith(suffix) ? host.slice(0, -suffix.length) : ''
    return label === '' || label.includes('.') ? undefined : label
  }
}

/**
 * Names the tenant by a segment of the path. The routes need the segment, too: `@Controller('t/:tenant/orders')`.
 *
 * @param template Literal segments, then `:tenant`: `/t/:tenant`. Paths that do not begin so name none.
 * @throws TypeError for a template without `:tenant` at its end.
 * @example
 * tenant: { header: false, strategies: [tenantFromPath('/t/:tenant')] }
 */
export function tenantFromPath(template: string): TenantStrategy {
  const segments = segmentsOf(String(template).toLowerCase())
  if (segments.pop() !== ':tenant' || segments.some((segment) => segment.startsWith(':'))) {
    throw new TypeError(
      `tenantFromPath('${template}'): give literal segments, then :tenant: '/t/:tenant'.`,
    )
  }
  return function pathTenant(req) {
    const given = segmentsOf(req.path)
    const isOurs = segments.every(
      (segment, index) => decoded(given[index])?.toLowerCase() === segment,
    )
    return isOurs ? decoded(given[segments.length]) : undefined
  }
}

/** Labels of ASCII, or an address, as `Host` has them: with a scheme, a port, a wildcard or a letter of another script, nothing would ever match. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/i

function checkHost(strategy: string, name: unknown): void {
  if (typeof name === 'string' && HOST.test(name)) return
  const given = typeof name === 'string' ? `'${name}'` : String(name)
  throw new TypeError(
    `${strategy}(): ${given} is not a host name. Give one without scheme and port, in ASCII: 'shop.example.com'.`,
  )
}

function hostOf({ headers: { host = '' } }: Request): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/')
}

/** As the router decodes it, which refuses what does not decode. */
function decoded(segment: string | undefined): string | undefined {
  if (segment === undefined || segment === '') return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
