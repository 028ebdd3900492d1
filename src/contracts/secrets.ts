import type { MaybePromise } from './cache.js'
import type { Logger } from './logger.js'
import type { Token } from './provider.js'

/**
 * Secrets, or a function that returns them: the one form of all options with secrets (`jwt`, `@Webhook`, `cookies.keys`). A
 * function is called once for each application, when it starts, and gets its secrets where only the running application has
 * them. A command that reads the application, such as `blazon routes`, does not call it.
 *
 * @example
 * const keys: SecretSource<readonly string[]> = ({ get }) => get(Env).COOKIE_KEYS
 */
export type SecretSource<T> =
  | T
  | ((app: { get<I>(token: Token<I>): I; readonly logger: Logger }) => MaybePromise<T>)
