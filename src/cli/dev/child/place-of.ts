import type { Place } from '../protocol.js'

/** The arguments of `server.listen` that this package reads. */
export interface ListenRequest {
  readonly place: Place
  readonly onListening?: (() => void) | undefined
}

/**
 * Reads the arguments of `server.listen`. Returns `null` for everything but a TCP port: a path, a handle, a descriptor, and
 * wrong values, which Node refuses.
 */
export function readListen(args: readonly unknown[]): ListenRequest | null {
  const last = args.at(-1)
  const onListening = typeof last === 'function' ? (last as () => void) : undefined
  const place = placeOf(args.filter((value) => typeof value !== 'function'))
  return place === null ? null : { place, onListening }
}

function placeOf([first, second]: readonly unknown[]): Place | null {
  if (first == null) return { port: 0, host: hostOf(second) }
  if (typeof first === 'object') return placeOfOptions(first as Record<string, unknown>)
  const port = portOf(first)
  return port === null ? null : { port, host: hostOf(second) }
}

function placeOfOptions(options: Record<string, unknown>): Place | null {
  const isOther = ['path', 'fd', '_handle', 'handle'].some((name) => options[name] != null)
  // Cancelling, and sockets of one address family, are rare enough to stay with Node.
  if (isOther || !('port' in options) || options['signal'] !== undefined) return null
  const port = options['port'] == null ? 0 : portOf(options['port'])
  return port === null ? null : { port, host: hostOf(options['host']) }
}

/** Node takes `'3000'` as a port, too. */
function portOf(value: unknown): number | null {
  const port = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535
    ? (port as number)
    : null
}

function hostOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
