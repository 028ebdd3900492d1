import { createHash } from 'node:crypto'
import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RateLimitBy } from '../../contracts/rate-limit.js'
import { keyIdOf, keySchemeOf, schemeOf, tenantOf } from '../../http/request-state.js'
import type { PlannedLimit } from './plan-limits.js'

/** Returns the key under which a request is counted. */
export type ClientKey = (req: Request) => string

/** Returns the client name of a request; `undefined` if the request is counted under its client's address. */
type ClientName = (req: Request) => string | undefined

/** Names longer than this are hashed, so that clients cannot fill the memory. */
const MAX_LENGTH = 64

/**
 * Creates the function that returns the counting key of a request. The name of the limit is encoded, so that two
 * different pairs of name and client never result in the same key. Each kind of client has its own prefix. Otherwise, a
 * user with the name `10.0.0.1` would use up the limit of that address.
 */
export function clientKey(
  { name, by }: Pick<PlannedLimit, 'name' | 'by'>,
  logger: Logger,
): ClientKey {
  const prefix = `${encodeURIComponent(name)}:`
  const byAddress = `${prefix}i:`
  if (by === 'ip') return (req) => addressKey(req, byAddress)
  const nameOf = typeof by === 'string' ? NAMES[by] : customName(by, logger)
  return function keyOf(req) {
    const client = nameOf(req)
    return client === undefined ? addressKey(req, byAddress) : prefix + client
  }
}

/**
 * Like `clientKey`, for requests without a route. The guard has not run for such requests, so there is no user and no
 * authorized tenant. Such a request is counted under its client's address, unless `by` is a function.
 */
export function unmatchedClientKey({ name, by }: PlannedLimit, logger: Logger): ClientKey {
  return clientKey({ name, by: typeof by === 'function' ? by : 'ip' }, logger)
}

const NAMES: Readonly<Record<Exclude<RateLimitBy & string, 'ip'>, ClientName>> = {
  user(req) {
    const user = req.user as { id?: unknown; sub?: unknown } | null | undefined
    const scheme = schemeOf(req)
    // The users of two guards may have the same ID.
    return named(scheme === undefined ? 'u' : `g:${scheme}`, user?.id ?? user?.sub)
  },
  tenant: (req) => named('t', tenantOf(req)),
  key(req) {
    const scheme = keySchemeOf(req)
    // The API keys of two guards may have the same ID.
    return named(scheme === undefined ? 'a' : `h:${scheme}`, keyIdOf(req))
  },
}

function customName(by: Exclude<RateLimitBy, string>, logger: Logger): ClientName {
  let isLogged = false
  const report = (facts: object) => {
    if (!isLogged)
      logger.warn(
        facts,
        "The function `by` of a rate limit returned no key; requests are counted under the client's address instead",
      )
    isLogged = true
  }
  return function byFunction(req) {
    try {
      const name: unknown = by(req)
      const key = typeof name === 'string' ? named('k', name) : undefined
      if (key !== undefined) return key
      // If `name` is a promise that rejects later, the unhandled rejection would end the process.
      Promise.resolve(name).catch(() => {})
      report({ got: typeof name })
    } catch (err) {
      report({ err })
    }
    return undefined
  }
}

function named(kind: string, id: unknown): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return undefined
  const name = String(id)
  if (name === '') return undefined
  if (name.length <= MAX_LENGTH) return `${kind}:${name}`
  return `${kind}#${createHash('sha256').update(name).digest('base64url')}`
}

/** The prefix of an IPv4 address that a dual-stack socket reports as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED = '::ffff:'

/** An address with a port, or in brackets. Some proxies write these forms into `X-Forwarded-For`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * Returns the client key of a request by its address: an IPv4 address in its canonical form, or the /56 network of an
 * IPv6 address. Providers commonly assign a /56 network to one customer. `X-Forwarded-For` is used if `trustProxy`
 * allows it. If the header does not contain an address, the socket's address is used.
 *
 * @param prefix The prefix of the key.
 */
function addressKey(req: Request, prefix: string): string {
  const forwarded = forwardedAddress(req)
  return forwarded === undefined ? keyOfSocket(req.socket, prefix) : `${prefix}${forwarded}`
}

/**
 * The last client key of a connection. The field is created when the first request is counted under its client's
 * address.
 */
const kCounted: unique symbol = Symbol('blazon.countedAddress')

interface Counted extends Partial<Socket> {
  [kCounted]?: { readonly address: string; readonly prefix: string; readonly key: string }
}

/**
 * Returns the client key of a connection, and stores it on the socket. Without storing the key, finding the canonical
 * address took 500 more instructions for an IPv4 address, and 1,100 more for an address of a dual-stack socket, counted
 * in a loop on Node 20. Joining the key and hashing it for the store's map took 1,300 more instructions on Node 20 and
 * 2,100 more on Node 24 (`bench:features -- --count --only limit`).
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
  // The setting is checked first, because `req.ip` parses all forwarding headers. Parsing took 0.8 of the 1.1 µs for
  // counting a request.
  if (!req.app.get('trust proxy')) return undefined
  try {
    return canonical(req.ip)
  } catch {
    // `trust proxy` may be a function in the application's code, which may throw.
    return undefined
  }
}

/** Returns the canonical form of an address; `undefined` if the value is not an address. */
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
  // Compare numbers instead of strings, because `0:0:0:0:0:FFFF:102:304` also means 1.2.3.4.
  if ([a, b, c, d, e].every((group) => group === 0) && f === 0xffff) {
    return [g >> 8, g & 0xff, h >> 8, h & 0xff].join('.')
  }
  return `${[a, b, c, d & 0xff00].map((group) => group?.toString(16)).join(':')}::/56`
}

/**
 * Returns the eight groups of an IPv6 address. The zone is dropped, because it identifies a network interface of this
 * machine, not the client.
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
