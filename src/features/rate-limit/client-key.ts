import { createHash } from 'node:crypto'
import type { Logger } from '../../contracts/logger.js'
import type { RateLimitBy } from '../../contracts/rate-limit.js'
import { kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { disown } from '../../step/thenable.js'
import { clientAddress } from './client-address.js'

/** Who is counted. */
export type ClientKey = (req: BlazonRequest) => string

/** Longer ones are hashed: what clients write must not become memory. */
const MAX_LENGTH = 64

/**
 * Makes the function that says whom a request counts for. Each kind has a letter of its own, so that nobody who is called
 * `10.0.0.1` uses up what that address has left.
 */
export function clientKey(by: RateLimitBy, logger: Logger): ClientKey {
  if (by === 'ip') return addressKey
  if (by === 'user') return userKey
  if (by === 'tenant') return tenantKey
  return customKey(by, logger)
}

/** Whom a request counts for that has no route: nobody has asked who it is. */
export function unmatchedClientKey(by: RateLimitBy, logger: Logger): ClientKey {
  return typeof by === 'function' ? customKey(by, logger) : addressKey
}

function addressKey(req: BlazonRequest): string {
  return `i:${clientAddress(req)}`
}

function userKey(req: BlazonRequest): string {
  const user = req.user as { id?: unknown; sub?: unknown } | null | undefined
  return named('u', user?.id ?? user?.sub) ?? addressKey(req)
}

function tenantKey(req: BlazonRequest): string {
  return named('t', req[kTenantScope]?.id) ?? addressKey(req)
}

function customKey(by: Exclude<RateLimitBy, string>, logger: Logger): ClientKey {
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
      disown(name)
      report({ got: typeof name })
    } catch (err) {
      report({ err })
    }
    return addressKey(req)
  }
}

function named(kind: string, id: unknown): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return undefined
  const name = String(id)
  if (name === '') return undefined
  if (name.length <= MAX_LENGTH) return `${kind}:${name}`
  return `${kind}#${createHash('sha256').update(name).digest('base64url')}`
}
