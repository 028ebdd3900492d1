import { promises as dns } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { refuse } from '../../errors/refuse.js'

/** An address that Node's look-up returned. */
export interface Address {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
}

/** Looks up all addresses of a host name, like `dns.promises.lookup` with `all: true`. */
export type LookUp = (host: string) => Promise<readonly Address[]>

/** The addresses that no public host has (RFC 6890 and its registries), by IP version. */
const REFUSED = {
  // The last range contains multicast, reserved and broadcast addresses.
  4: listOf(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
    192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`),
  // All addresses outside 2000::/3. They include IPv4 in IPv6, NAT64, fc00::/7, fe80::/10 and ff00::/8. The list also
  // contains the ranges within 2000::/3 for tunnels to IPv4 and for documentation.
  6: listOf('::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20'),
}

function listOf(subnets: string): BlockList {
  const list = new BlockList()
  for (const subnet of subnets.split(/\s+/)) {
    const [net = '', prefix] = subnet.split('/')
    list.addSubnet(net, Number(prefix), isIP(net) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Whether a string is a public IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address) as 0 | 4 | 6
  return version !== 0 && !REFUSED[version].check(address, `ipv${version}`)
}

const DEFAULT_PORTS = [80, 443]
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
/** According to RFC 6761, such names always mean this machine, even if a resolver returns another address. */
const LOCAL = /(?:^|\.)localhost$/

/**
 * Checks an untrusted URL as far as this is possible without a look-up.
 *
 * @throws HttpError with the status 400.
 */
export function checkPublicUrl(url: URL, ports: readonly number[] = DEFAULT_PORTS): void {
  const { protocol } = url
  const usual = PORTS[protocol]
  if (usual === undefined) throw notPublic(`The scheme ${protocol} is not allowed in this URL`)
  const port = url.port === '' ? usual : Number(url.port)
  if (!ports.includes(port)) throw notPublic(`The port ${port} is not allowed in this URL`)
  const host = hostOf(url)
  if (LOCAL.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw notPublic(NOT_PUBLIC)
}

/**
 * Looks up the addresses of an untrusted URL once. Only these addresses are called.
 *
 * @throws HttpError with the status 400 if one of the addresses is not public; the error of the look-up.
 */
export async function publicAddresses(
  url: URL,
  lookUp: LookUp = (host) => dns.lookup(host, { all: true }),
): Promise<readonly Address[]> {
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family === 0 ? await lookUp(host) : [{ address: host, family }]
  // Every address must be public, because after a failed attempt with a public address, the next address would be
  // called.
  const isPublic = addresses.length > 0 && addresses.every((each) => isPublicAddress(each.address))
  if (isPublic) return addresses
  throw notPublic(NOT_PUBLIC)
}

/** Returns the host of a URL. The URL parser has already normalized the spelling of addresses. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** The message is the same for names and addresses, so that it does not reveal which names have internal addresses. */
const NOT_PUBLIC = 'The URL does not point to a public host'

function notPublic(message: string): Error {
  return refuse('URL_NOT_PUBLIC', message, { stack: true })
}
