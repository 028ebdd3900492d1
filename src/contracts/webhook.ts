import type { IncomingHttpHeaders } from 'node:http'
import type { MaybePromise } from './cache.js'
import type { Duration } from './limits.js'
import type { Logger } from './logger.js'
import type { Token } from './provider.js'

/**
 * Secrets, or a function that returns them: the type of all options with secrets (`jwt`, `@Webhook`, `cookies.keys`).
 * The function is called once for each application, at startup, so that it can read secrets that only a running
 * application has. Commands that only read the application, such as `blazon routes`, do not call it.
 *
 * @example
 * const keys: SecretSource<readonly string[]> = ({ get }) => get(Env).COOKIE_KEYS
 */
export type SecretSource<T> =
  | T
  | ((app: { get<I>(token: Token<I>): I; readonly logger: Logger }) => MaybePromise<T>)

/** A request that a webhook sender has sent. */
export interface WebhookDelivery {
  /** The headers; names are in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The bytes of the request body. */
  readonly body: Buffer
  /** The time on the application's clock, in milliseconds since 1970. */
  readonly nowMs: number
}

/** Verifies the requests of a sender whose scheme is not built in. */
export interface WebhookVerifier {
  /** The names of the headers that `verify` reads, for the OpenAPI document. Default: none. */
  readonly headers?: readonly string[]
  /**
   * Returns whether the signature of the sender is valid. Only `true` accepts the request. Compare in constant time.
   */
  verify(delivery: WebhookDelivery): MaybePromise<boolean>
}

/** Stores handled deliveries, so that repeated deliveries are refused. */
export interface WebhookReplays {
  /**
   * Claims the key. Returns `false` if it is already claimed.
   *
   * @param key The key that identifies one delivery.
   * @param seconds The time after which the key can be removed.
   */
  claim(key: string, seconds: number): MaybePromise<boolean>
  /** Releases a key, because its delivery was not handled: the sender will send the delivery again. */
  release(key: string): unknown
}

/** Options of webhook schemes. */
export interface WebhookOptions {
  /**
   * The maximum difference between the time of a delivery and the application's clock: a duration. The option does not
   * affect GitHub's deliveries, which contain no time. Default `'5m'`.
   */
  readonly tolerance?: Duration
  /** Where handled deliveries are stored. Default: the memory of the process. */
  readonly replays?: WebhookReplays
}

/**
 * Secrets that a sender and the application share. Several secrets allow rotation: a delivery can be signed with any of
 * them. A function is called once, at startup: `({ get }) => get(Env).STRIPE_SECRET`.
 */
export type WebhookSecrets = SecretSource<string | readonly string[]>

/** A built-in scheme, as data. */
export interface WebhookScheme {
  /** The name of the scheme. */
  readonly scheme: 'standard' | 'stripe' | 'github'
  /** The secrets, or the function that returns them. */
  readonly secrets: WebhookSecrets
  /** The options of the scheme. */
  readonly options: WebhookOptions
}
