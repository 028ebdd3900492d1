/**
 * The reason of `req.signal` where an application closes whose answer to this request has begun: a stream is to come to its end.
 * It has until `timeouts.close` to say what it has left to say. Any other reason means that nobody waits for the rest.
 *
 * @example
 * req.signal.addEventListener('abort', () => {
 *   if (req.signal.reason instanceof AppClosingError) res.write('event: restart\n\n')
 *   res.end()
 * })
 */
export class AppClosingError extends Error {
  /** Always `AppClosingError`. */
  override readonly name = 'AppClosingError'

  /** Made by the framework. */
  constructor() {
    super('The application is closing')
  }
}
