import type { Request } from '../../contracts/handler.js'
import type { TenantStrategy } from '../../contracts/tenant.js'

/**
 * Creates a strategy that reads the tenant from the `Host` header. The strategy never reads `X-Forwarded-Host`, because
 * clients can also send that header. A proxy must forward the client's `Host` header.
 *
 * @param hosts The tenant IDs, by host name without port.
 * @throws TypeError if a key is not a host name.
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
 * Creates a strategy that reads the tenant from the label in front of a domain: `acme` in `acme.example.com`. The
 * domain itself, names with further labels, and other hosts specify no tenant. The strategy reads only the `Host`
 * header, like {@link tenantFromHost}. The ID is always in lower case.
 *
 * @throws TypeError if `domain` is not a host name.
 * @example
 * tenant: { header: false, strategies: [tenantFromSubdomain({ domain: 'example.com' })] }
 */
export function tenantFromSubdomain(options: { readonly domain: string }): TenantStrategy {
  // A caller in JavaScript may pass the domain itself, or no argument.
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
 * Creates a strategy that reads the tenant from a segment of the path. The routes must also contain the segment:
 * `@Controller('t/:tenant/orders')`.
 *
 * @param template Literal segments, then `:tenant`: `/t/:tenant`. A path that does not begin with these segments
 * specifies no tenant.
 * @throws TypeError if the template does not end with `:tenant`, or if it has another parameter.
 * @example
 * tenant: { header: false, strategies: [tenantFromPath('/t/:tenant')] }
 */
export function tenantFromPath(template: string): TenantStrategy {
  const segments = segmentsOf(String(template).toLowerCase())
  if (segments.pop() !== ':tenant' || segments.some((segment) => segment.startsWith(':'))) {
    throw new TypeError(
      `tenantFromPath('${template}'): pass literal segments that are followed by :tenant, such as '/t/:tenant'.`,
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

/**
 * Matches ASCII labels or an IP address, as in the `Host` header. A name with a scheme, a port, a wildcard or non-ASCII
 * letters would never match.
 */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/i

function checkHost(strategy: string, name: unknown): void {
  if (typeof name === 'string' && HOST.test(name)) return
  const given = typeof name === 'string' ? `'${name}'` : String(name)
  throw new TypeError(
    `${strategy}(): ${given} is not a host name. Pass a host name without a scheme or a port, in ASCII, such as 'shop.example.com'.`,
  )
}

function hostOf({ headers: { host = '' } }: Request): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/')
}

/**
 * Decodes a segment in the same way as the router. Returns `undefined` if the segment cannot be decoded, because the
 * router refuses such a path.
 */
function decoded(segment: string | undefined): string | undefined {
  if (segment === undefined || segment === '') return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
