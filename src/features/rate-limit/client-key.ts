import { createHash } from 'node:crypto'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RateLimitBy } from '../../contracts/rate-limit.js'
import { keySchemeOf, schemeOf } from '../../http/admission.js'
import { keyIdOf } from '../../http/key-id.js'
import { tenantOf } from '../../http/tenant-of.js'
import { clientAddress } from './client-address.js'

/** Returns the key under which a request is counted. */
export type ClientKey = (req: Request) => string

/** Longer names are hashed, so that clients cannot fill the memory with long names. */
const MAX_LENGTH = 64

/**
 * Creates the function that returns the counting key of a request. Each kind of key begins with its own letter,
 * so that a user with the name `10.0.0.1` does not use up the limit of that address.
 */
export function clientKey(by: RateLimitBy, logger: Logger): ClientKey {
  if (by === 'ip') return addressKey
  if (by === 'user') return userKey
  if (by === 'tenant') return tenantKey
  if (by === 'key') return heldKey
  return customKey(by, logger)
}

/**
 * Creates the same function for requests without a route. For them the guard has not run, so there is no user
 * and no authorised tenant: they are counted by address, unless `by` is a function.
 */
export function unmatchedClientKey(by: RateLimitBy, logger: Logger): ClientKey {
  return typeof by === 'function' ? customKey(by, logger) : addressKey
}

function addressKey(req: Request): string {
  return `i:${clientAddress(req)}`
}

function userKey(req: Request): string {
  const user = req.user as { id?: unknown; sub?: unknown } | null | undefined
  const id = user?.id ?? user?.sub
  const scheme = schemeOf(req)
  // The users of two guards may have the same id.
  const key = scheme === undefined ? named('u', id) : named(`g:${scheme}`, id)
  return key ?? addressKey(req)
}

function tenantKey(req: Request): string {
  return named('t', tenantOf(req)) ?? addressKey(req)
}

function heldKey(req: Request): string {
  const scheme = keySchemeOf(req)
  // The keys of two guards may have the same id, too.
  const kind = scheme === undefined ? 'a' : `h:${scheme}`
  return named(kind, keyIdOf(req)) ?? addressKey(req)
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
      // A promise may reject later, which would end the process.
      Promise.resolve(name).catch(() => {})
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
