import type { IncomingMessage } from 'node:http'
import type { Listener } from '../app/listener.js'

/** Runs the functions that take requests from Node within another one. */
export function wrapListener(
  listener: Listener,
  enter: (req: IncomingMessage, run: () => void) => void,
): Listener {
  const { handle, handleForeign } = listener
  return {
    ...listener,
    handle: (req, res) => enter(req, () => handle(req, res)),
    handleForeign: (req, res, next) => enter(req, () => handleForeign(req, res, next)),
  }
}
