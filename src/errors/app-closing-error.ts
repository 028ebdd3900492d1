/**
 * The reason of `req.signal` when the application closes after the response to this request has begun. A handler that
 * streams should end its stream; it has until `timeouts.close` to send the rest. Any other reason of the signal means
 * that no client waits for the rest of the response.
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
