import { ConfigError, type Duration } from '../../index.js'
import { type OptionNames, type Problem, toSeconds, unknownOptions } from '../../plugin/index.js'
import type { RedisClient, RedisCluster } from './driver.js'

/**
 * The address of Redis, and its timeout. Set at most one of `url`, `cluster` and `client`; the default is
 * `redis://127.0.0.1:6379`. Pass the same object to `redisCache` and `redisLimits` to share one connection. If
 * `timeout` is set, `redisSessions` and `redisIdempotency` can also share this connection.
 */
export interface RedisOptions {
  /** A URL with `redis://` or, for TLS, `rediss://`: `rediss://user:password@host:6380/0`. */
  readonly url?: string
  /** Options for node-redis's `createClient`, except the URL: `socket`, `username`, `password`, `database`, … */
  readonly clientOptions?: Readonly<Record<string, unknown>>
  /** Options for node-redis's `createCluster`. Options for every node (password, TLS) belong in `defaults`. */
  readonly cluster?: RedisClusterOptions
  /**
   * Your own client, created by `createClient` or `createCluster` from `redis`. If it is not connected, Blazon connects
   * it and later closes it. If it is already connected, Blazon leaves it open. Set `disableOfflineQueue` on the client.
   */
  readonly client?: RedisClient | RedisCluster
  /** The prefix of every key. Default: `'blazon:'`. */
  readonly prefix?: string
  /**
   * The maximum wait for a reply, as seconds or as a string with a unit. Default: `'50ms'`; for `redisSessions` and
   * `redisIdempotency`, `'500ms'`.
   */
  readonly timeout?: Duration
}

/** Options for node-redis's `createCluster`, passed unchanged. */
export interface RedisClusterOptions {
  /** The nodes from which the client reads the list of all nodes at startup. List at least three. */
  readonly rootNodes: readonly Readonly<Record<string, unknown>>[]
  /** Options for the connection to every node. */
  readonly defaults?: Readonly<Record<string, unknown>>
  readonly [option: string]: unknown
}

/**
 * The names of all options, including the options of `redisLimits`, because one object can be passed to several
 * functions. Unknown names cause an error: with a misspelt `prefix`, two applications would share their keys.
 */
const NAMES: OptionNames<RedisOptions & { readonly fallback: unknown }> = {
  url: true,
  clientOptions: true,
  cluster: true,
  client: true,
  prefix: true,
  timeout: true,
  fallback: true,
}

export const DEFAULT_URL = 'redis://127.0.0.1:6379'
const DEFAULT_PREFIX = 'blazon:'
const DEFAULT_TIMEOUT = '50ms'
/** The maximum duration of a timer, in seconds. Node treats a longer timer as 1 millisecond. */
const LONGEST_S = (2 ** 31 - 1) / 1000

/** Returns the prefix of every key. */
export function prefixOf(options: RedisOptions): string {
  return options.prefix ?? DEFAULT_PREFIX
}

/** Returns the maximum wait for a reply, in milliseconds. */
export function timeoutOf(options: RedisOptions): number {
  return Math.max(1, Math.round((toSeconds(options.timeout ?? DEFAULT_TIMEOUT) as number) * 1000))
}

/**
 * Checks the options that were passed to the function `subject`.
 *
 * @throws ConfigError with all problems.
 */
export function checkRedisOptions(subject: string, options: RedisOptions): void {
  if (typeof options !== 'object' || options === null) {
    const remedy = "Pass { url: 'redis://host:6379' }."
    throw new ConfigError([invalid(subject, 'Its options must be an object.', remedy)])
  }
  const problems = [
    ...unknownOptions('', options, NAMES),
    ...checkPlace(options),
    ...checkUrl(options.url),
    ...checkCluster(options.cluster),
    ...checkClient(options.client),
    ...checkPrefix(options.prefix),
    ...checkTimeout(options.timeout),
    ...checkFallback((options as { fallback?: unknown }).fallback),
  ]
  if (problems.length === 0) return
  throw new ConfigError(
    problems.map((problem) => ({ ...problem, subject: `${subject}: ${problem.subject}` })),
  )
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

function checkPlace({ url, cluster, client }: RedisOptions): Problem[] {
  const given = Object.entries({ url, cluster, client }).filter(([, value]) => value !== undefined)
  if (given.length < 2) return []
  const names = given.map(([name]) => name).join(' and ')
  return [
    invalid(
      names,
      'They specify the Redis address more than once.',
      'Pass one of url, cluster and client.',
    ),
  ]
}

// No message contains the URL, because it may contain a password.
function checkUrl(url: unknown): Problem[] {
  if (url === undefined) return []
  const remedy = "Pass 'redis://host:6379', or 'rediss://host:6380' for TLS."
  if (typeof url !== 'string' || !URL.canParse(url)) {
    const advice = `${remedy} A password with special characters must be percent-encoded.`
    return [invalid('url', 'It is not a URL.', advice)]
  }
  const { protocol, pathname } = new URL(url)
  if (protocol !== 'redis:' && protocol !== 'rediss:') {
    return [invalid('url', `Its scheme is ${protocol}//.`, remedy)]
  }
  if (/^\/?\d*$/.test(pathname)) return []
  return [
    invalid('url', 'Its path is not a database number.', `${remedy} For database 1, append /1.`),
  ]
}

function checkCluster(cluster: RedisClusterOptions | undefined): Problem[] {
  if (cluster === undefined) return []
  if (!Array.isArray(cluster.rootNodes) || cluster.rootNodes.length === 0) {
    const remedy = "Pass { rootNodes: [{ url: 'redis://host:6379' }, …] }."
    return [invalid('cluster.rootNodes', 'It must list at least one node.', remedy)]
  }
  return cluster.rootNodes.flatMap(({ url }, index) =>
    checkUrl(url).map((problem) => ({ ...problem, subject: `cluster.rootNodes[${index}].url` })),
  )
}

function checkClient(client: unknown): Problem[] {
  if (client === undefined || hasMethod(client, 'sendCommand')) return []
  const remedy = 'Pass the result of createClient() or createCluster() from the package redis.'
  return [invalid('client', 'It is not a node-redis client.', remedy)]
}

function checkFallback(fallback: unknown): Problem[] {
  if (fallback === undefined || hasMethod(fallback, 'consume')) return []
  const remedy = 'Pass memoryRateLimit(), or another RateLimitStore.'
  return [invalid('fallback', 'It has no `consume` method.', remedy)]
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === 'function'
}

function checkPrefix(prefix: unknown): Problem[] {
  if (prefix === undefined || (typeof prefix === 'string' && prefix.length <= 100)) return []
  return [
    invalid(
      'prefix',
      'It is not a string, or it is too long.',
      "Use at most 100 characters: 'shop:'.",
    ),
  ]
}

function checkTimeout(timeout: Duration | undefined): Problem[] {
  if (timeout === undefined) return []
  const seconds = toSeconds(timeout)
  if (seconds !== undefined && seconds > 0 && seconds <= LONGEST_S) return []
  const cause = `${String(timeout)} is not a duration of more than 0 seconds and at most 24 days.`
  return [invalid('timeout', cause, "Pass seconds, or a string such as '50ms'.")]
}
