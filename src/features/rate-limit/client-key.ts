import { createHash } from 'node:crypto'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RateLimitBy } from '../../contracts/rate-limit.js'
import { keySchemeOf, schemeOf } from '../../http/auth-result.js'
import { keyIdOf } from '../../http/key-id.js'
import { tenantOf } from '../../http/tenant-of.js'
import { addressKey } from './client-address.js'
import type { PlannedLimit } from './plan-limits.js'

/** Returns the key under which a request is counted. */
export type ClientKey = (req: Request) => string

/** Returns the name of the client of a request; `undefined` if it is counted by its address. */
type ClientName = (req: Request) => string | undefined

/** Longer names are hashed, so that clients cannot fill the memory with long names. */
const MAX_LENGTH = 64

/**
 * Creates the function that returns the counting key of a request. The name of the limit is encoded, so that two different pairs
 * of name and client never give the same key. Each kind of client begins with its own letter, so that a user with the name
 * `10.0.0.1` does not use up the limit of that address.
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
 * Creates the same function for requests without a route. For them the guard has not run, so there is no user
 * and no authorised tenant: they are counted by address, unless `by` is a function.
 */
export function unmatchedClientKey({ name, by }: PlannedLimit, logger: Logger): ClientKey {
  return clientKey({ name, by: typeof by === 'function' ? by : 'ip' }, logger)
}

const NAMES: Readonly<Record<Exclude<RateLimitBy & string, 'ip'>, ClientName>> = {
  user(req) {
    const user = req.user as { id?: unknown; sub?: unknown } | null | undefined
    const scheme = schemeOf(req)
    // The users of two guards may have the same id.
    return named(scheme === undefined ? 'u' : `g:${scheme}`, user?.id ?? user?.sub)
  },
  tenant: (req) => named('t', tenantOf(req)),
  key(req) {
    const scheme = keySchemeOf(req)
    // The keys of two guards may have the same id, too.
    return named(scheme === undefined ? 'a' : `h:${scheme}`, keyIdOf(req))
  },
}

function customName(by: Exclude<RateLimitBy, string>, logger: Logger): ClientName {
  let isLogged = false
  const report = (facts: object) => {
    if (!isLogged)
      logger.warn(
        facts,
        'The function `by` of a rate limit returned no key; the client address is counted instead',
      )
    isLogged = true
  }
  return function byFunction(req) {
    try {
      const name: unknown = by(req)
      const key = typeof name === 'string' ? named('k', name) : undefined
      if (key !== undefined) return key
      // A promise may reject later, which would end the process.
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
