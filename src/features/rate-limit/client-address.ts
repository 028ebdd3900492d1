import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { Request } from '../../contracts/handler.js'

/** The prefix of an IPv4 address that a dual-stack socket reports as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED = '::ffff:'

/** An address with its port, as some proxies write it into `X-Forwarded-For`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * Returns the key of the client of a request, by its address: an IPv4 address in its canonical form, or the /56 network of an
 * IPv6 address, because a provider commonly assigns a /56 to one customer. `X-Forwarded-For` is used as `trustProxy` allows.
 * When the value there is not an address, the address of the socket is used.
 *
 * @param prefix The start of the key.
 */
export function addressKey(req: Request, prefix: string): string {
  const forwarded = forwardedAddress(req)
  return forwarded === undefined ? keyOfSocket(req.socket, prefix) : `${prefix}${forwarded}`
}

/** The last key of the client of a connection. The field does not exist until a request is counted by it. */
const kCounted: unique symbol = Symbol('blazon.countedAddress')

interface Counted extends Partial<Socket> {
  [kCounted]?: { readonly address: string; readonly prefix: string; readonly key: string }
}

/**
 * Kept for the connection. Finding the canonical address each time took 500 instructions more for an IPv4 address, and 1,100
 * for one of a dual-stack socket, counted in a loop on Node 20. Joining the key, and hashing it for the map of the store, took
 * 1,300 more on Node 20, and 2,100 on Node 24 (`bench:features -- --count --only limit`).
 */
function keyOfSocket(socket: Counted | null | undefined, prefix: string): string {
  const address = socket?.remoteAddress
  if (!socket || address === undefined) return `${prefix}unknown`
  const known = socket[kCounted]
  if (known?.address === address && known.prefix === prefix) return known.key
  const key = `${prefix}${canonical(address) ?? 'unknown'}`
  socket[kCounted] = { address, prefix, key }
  return key
}

function forwardedAddress(req: Request): string | undefined {
  // The setting is checked first because `req.ip` parses all forwarding headers: 0.8 of the 1.1 µs that
  // counting a request took.
  if (!req.app.get('trust proxy')) return undefined
  try {
    return canonical(req.ip)
  } catch {
    // `trust proxy` may be a function of the application, and that function may throw.
    return undefined
  }
}

/** Returns the canonical form of an address; `undefined` when the value is not an address. */
function canonical(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  if (isIPv4(address)) return address
  const last = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : ''
  if (isIPv4(last)) return last
  if (isIPv6(address)) return networkOf(address)
  const [, bracketed, plain] = WITH_PORT.exec(address) ?? []
  return canonical(bracketed ?? plain)
}

function networkOf(address: string): string {
  const groups = groupsOf(address)
  const [a, b, c, d = 0, e, f, g = 0, h = 0] = groups
  // Compare the numbers, not the text: `0:0:0:0:0:FFFF:102:304` is 1.2.3.4, too.
  if ([a, b, c, d, e].every((group) => group === 0) && f === 0xffff) {
    return [g >> 8, g & 0xff, h >> 8, h & 0xff].join('.')
  }
  return `${[a, b, c, d & 0xff00].map((group) => group?.toString(16)).join(':')}::/56`
}

/**
 * Returns the eight groups of an IPv6 address. The zone is dropped: it names an interface of this machine, not
 * the client.
 */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%', 1)
  const hex = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number]
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [left = [], right = []] = hex.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = new Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}
