import { inspect } from 'node:util'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'

/** The options of `listen`. */
export interface ListenOptions {
  /** A host name or address. Default: all addresses of the machine. */
  readonly host?: string
  /**
   * Whether SIGTERM and SIGINT (on Windows also SIGBREAK) close the application and end the process. The exit code is
   * 0, or 1 if requests were aborted, the startup did not finish, or an `onClose` failed. A second signal ends the
   * process immediately. An uncaught error is logged, closes the application, and ends the process with exit code 1.
   * Default `false`: the program handles signals. In a worker of `blazon start`, the default is `true`.
   */
  readonly signals?: boolean
  /**
   * Whether to log one line with the address of the application. Default `true`; `false` in a `TestApp` and in all
   * workers except one.
   */
  readonly announce?: boolean
}

const NAMES: OptionNames<ListenOptions> = { host: true, signals: true, announce: true }

/**
 * The path of a Unix socket, or of a Windows pipe. A string of digits is not a path but a port that was not converted,
 * so `listen(process.env.PORT)` is a type error.
 */
export type SocketPath = `/${string}` | `./${string}` | `\\\\${string}`

/** Where to listen. */
export interface ListenPlace {
  /** A port number, or the path of a Unix socket or Windows pipe. */
  readonly port: number | string
  readonly host: string | undefined
}

/** @throws RangeError if `port` is neither a port number nor the path of a socket. */
export function checkPort(port: unknown): void {
  const isPort = Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535
  // A string of digits is a port that was not converted. Node would create a socket with that name.
  const isPath = typeof port === 'string' && /[/\\]/.test(port)
  if (isPort || isPath) return
  const given = inspect(port, { depth: 0 })
  const range = 'a whole number from 0 to 65535'
  throw new RangeError(
    typeof port === 'string'
      ? `listen(): ${given} is not a port, because it is a string. A port must be ${range}: Number(process.env.PORT). A socket path must contain a slash, such as './app.sock'.`
      : `listen(): ${given} is not a port. It must be ${range}, or a socket path.`,
  )
}

/**
 * The options of `listen`, from its second argument. Workers have other defaults: the primary process of `blazon start`
 * ends its workers with signals, and one worker logs the address for all workers.
 */
export function listenOptions(
  where: string | ListenOptions,
  worker: { readonly isSpeaker: boolean } | undefined,
): ListenOptions {
  const given = typeof where === 'string' ? { host: where } : where
  refuseUnknown('listen()', given, NAMES)
  return worker === undefined ? given : { signals: true, announce: worker.isSpeaker, ...given }
}
