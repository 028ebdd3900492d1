import { promises as dns } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { refuse } from '../../errors/refuse.js'

/** An address, as Node's look-ups return it. */
export interface Address {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
}

/** Looks up all addresses of a name, as `dns.promises.lookup` with `all: true`. */
export type LookUp = (host: string) => Promise<readonly Address[]>

/** Addresses of IPv4 that no public host has (RFC 6890 and its registry), by their prefixes. */
const NOT_PUBLIC_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
] as const

/** All public addresses of IPv6 begin so. Addresses of IPv4 in IPv6, NAT64, `fc00::/7`, `fe80::/10` and `ff00::/8` do not. */
const PUBLIC_6 = ['2000::', 3] as const
/** Tunnels, which lead to addresses of IPv4, and addresses of documentation. */
const NOT_PUBLIC_6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const refused = new BlockList()
for (const [net, prefix] of NOT_PUBLIC_4) refused.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of NOT_PUBLIC_6) refused.addSubnet(net, prefix, 'ipv6')
const global6 = new BlockList()
global6.addSubnet(...PUBLIC_6, 'ipv6')

/** Whether an address is one of a public host. Text that is no address is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}

const DEFAULT_PORTS = [80, 443]
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
/** RFC 6761: such names are this machine, also if a resolver answers otherwise. */
const LOCAL = /(?:^|\.)localhost$/

/**
 * Checks everything of a stranger's URL that shows without a look-up.
 *
 * @throws HttpError with the status 400.
 */
export function checkPublicUrl(url: URL, ports: readonly number[] = DEFAULT_PORTS): void {
  const { protocol } = url
  const usual = PORTS[protocol]
  if (usual === undefined) throw notPublic(`The URL has the scheme ${protocol}`)
  const port = url.port === '' ? usual : Number(url.port)
  if (!ports.includes(port)) throw notPublic(`The URL has the port ${port}`)
  const host = hostOf(url)
  if (LOCAL.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw notPublic(NOT_PUBLIC)
}

/**
 * Looks up the addresses of a stranger's URL once. Only these addresses are called.
 *
 * @throws HttpError with the status 400 if one of them is not public; the error of the look-up.
 */
export async function publicAddresses(
  url: URL,
  lookUp: LookUp = lookUpAll,
): Promise<readonly Address[]> {
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family === 0 ? await lookUp(host) : [{ address: host, family }]
  // A name with a public and another address wants that the second one is tried after the first.
  const isPublic = addresses.length > 0 && addresses.every((each) => isPublicAddress(each.address))
  if (isPublic) return addresses
  throw notPublic(NOT_PUBLIC)
}

function lookUpAll(host: string): Promise<readonly Address[]> {
  return dns.lookup(host, { all: true })
}

/** The parser of URLs has turned every spelling of an address into one. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** The same text for names and addresses: a stranger must not learn what a name leads to in this network. */
const NOT_PUBLIC = 'The URL does not lead to a public host'

function notPublic(message: string): Error {
  return refuse('URL_NOT_PUBLIC', message, { stack: true })
}
