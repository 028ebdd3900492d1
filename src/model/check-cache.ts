import { validateHeaderName } from 'node:http'
import type { CacheDecoratorOptions } from '../contracts/cache.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { toSeconds } from '../http/units.js'
import { type FactsByKind, factsOf, inputWrittenAs } from './facts-by-kind.js'

/**
 * The methods that `@Cache` supports. `@All` also handles read requests; requests with other methods bypass the cache.
 */
const READS = ['GET', 'QUERY', 'HEAD', 'ALL']

/**
 * From this value on, a multiple of 1000 is probably meant in milliseconds, as in other libraries. In seconds, it would
 * be hours long.
 */
const SUSPICIOUS_FROM = 3600

const NAMES: OptionNames<CacheDecoratorOptions> = {
  ttl: true,
  key: 'sync',
  shared: true,
  tags: 'sync',
  staleWhileRevalidate: true,
  headers: true,
}

/** Checks the `@Cache` of one method. */
export function checkCache(subject: string, facts: FactsByKind): Problem[] {
  const caches = factsOf(facts, 'cache')
  if (caches.length === 0) return []
  const twice: Problem = {
    code: 'E_DECORATOR_CONFLICT',
    subject,
    cause: `It has ${caches.length} @Cache decorators, but only one can set how long its responses are cached.`,
    remedy: 'Remove all but one.',
  }
  return [
    ...(caches.length > 1 ? [twice] : []),
    ...checkMethods(subject, facts),
    ...checkBody(subject, facts),
    ...caches.flatMap(({ options }) => checkOptions(subject, options)),
  ]
}

function checkMethods(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'route')
    .filter(({ method }) => !READS.includes(method))
    .map(({ method }) => ({
      code: 'E_CACHE_METHOD',
      subject,
      cause: `It has @Cache and handles ${method}: a request that changes something must reach its handler.`,
      remedy: 'Use @Cache only on methods that handle GET or QUERY.',
    }))
}

/**
 * The cache is read before the body, so even a custom key cannot contain the body. Only the key of a `QUERY` request
 * contains a digest of the body.
 */
function checkBody(subject: string, facts: FactsByKind): Problem[] {
  const parts = [...factsOf(facts, 'input'), ...factsOf(facts, 'parameter')]
  const isKept = factsOf(facts, 'cache').some(({ options }) => toSeconds(options?.ttl) !== 0)
  if (isKept && facts.webhook !== undefined) return [cachedWebhook(subject)]
  const isRead =
    (facts.body ?? facts.upload) !== undefined || parts.some(({ source }) => source === 'body')
  const isQuery = factsOf(facts, 'route').every(({ method }) => method === 'QUERY')
  if (!isKept || !isRead || (isQuery && facts.upload === undefined)) return []
  return [
    {
      code: 'E_CACHE_BODY',
      subject,
      cause: `It has @Cache and ${inputWrittenAs(facts, 'body')}: the cache is read before the body, so the response to one body would be sent for another body.`,
      remedy:
        'Read the input from the URL, with @Query; or remove @Cache and cache the value with CacheManager.getOrSet(), under a key built from the validated body.',
    },
  ]
}

/**
 * Reports `@Cache` on a webhook route: the signature covers the body, so it would be verified only after the cache is
 * read.
 */
function cachedWebhook(subject: string): Problem {
  return {
    code: 'E_CACHE_BODY',
    subject,
    cause:
      'It has @Cache and @Webhook: the cache is read before the signature is verified, so an unsigned request would receive the response to a signed one.',
    remedy: 'Remove @Cache.',
  }
}

function checkOptions(
  subject: string,
  options: Partial<CacheDecoratorOptions> | undefined,
): Problem[] {
  if (typeof options !== 'object' || options === null) {
    return [invalid(subject, '@Cache was called without options.', "Pass at least { ttl: '60s' }.")]
  }
  const { ttl, staleWhileRevalidate, key, shared, tags, headers } = options
  const problems = unknownNames(`${subject} @Cache `, options, NAMES)
  const refuse = (cause: string, remedy: string) => problems.push(invalid(subject, cause, remedy))
  for (const [name, value] of Object.entries({ ttl, staleWhileRevalidate })) {
    if (value === undefined && name !== 'ttl') continue
    if (!isDuration(value)) {
      refuse(
        `The ${name} of its @Cache is ${shown(value)}, which is not a duration.`,
        "Pass seconds (0 or more), or a string such as '90s'.",
      )
    } else problems.push(...checkUnit(subject, name, value))
  }
  if (key !== undefined && typeof key !== 'function') {
    refuse('The key of its @Cache is not a function.', 'Pass (req) => string.')
  }
  if (shared !== undefined && typeof shared !== 'boolean') {
    refuse('The option `shared` of its @Cache is not a boolean.', 'Pass true or false.')
  }
  if (tags !== undefined && typeof tags !== 'function' && !isStrings(tags)) {
    refuse(
      'The tags of its @Cache are not a list of strings.',
      'Pass strings, or (req) => strings.',
    )
  }
  if (headers !== undefined && !(isStrings(headers) && headers.every(isKeepable))) {
    refuse(
      'The headers of its @Cache are not a list of header names that can be cached.',
      "Pass names such as 'X-Total-Count'. Set-Cookie is never cached.",
    )
  }
  return problems
}

function isDuration(value: unknown): value is number | string {
  const isReadable = typeof value === 'number' || typeof value === 'string'
  return isReadable && toSeconds(value) !== undefined
}

function checkUnit(subject: string, name: string, value: number | string): Problem[] {
  const isSuspicious = typeof value === 'number' && value >= SUSPICIOUS_FROM && value % 1000 === 0
  if (!isSuspicious) return []
  return [
    {
      code: 'W_CACHE_UNIT',
      subject,
      cause: `The ${name} of its @Cache is ${value} seconds, which is ${hoursOf(value)} hours.`,
      remedy: `Did you mean '${value / 1000}s'? If not, write '${value}s'.`,
    },
  ]
}

function hoursOf(seconds: number): number {
  return Math.round(seconds / 360) / 10
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isKeepable(name: string): boolean {
  try {
    validateHeaderName(name)
  } catch {
    return false
  }
  return name.toLowerCase() !== 'set-cookie'
}
