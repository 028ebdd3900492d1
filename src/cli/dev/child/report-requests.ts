import { fileURLToPath } from 'node:url'
import type { DevReport, ReportedWork } from '../../../app/dev/dev-report.js'
import { findSourceLine, formatSourceLine } from '../../source-line.js'
import { type ChildMessage, opened, type ParentMessage } from '../protocol.js'

/** See `app/dev/dev-report.ts`. */
const REPORT = Symbol.for('blazon.report')

/** See `metadata/applied.ts`. */
const DECORATORS = Symbol.for('blazon.decorators')

/**
 * Makes the applications in this process report the dashboard's data to the command.
 *
 * @returns the work that their plugins list. The list grows when an application starts.
 */
export function reportRequests(channel: Channel): readonly ReportedWork[] {
  const works: ReportedWork[] = []
  const report: DevReport = {
    placeIn: ownPlaceIn,
    started(explain) {
      // An error in the explanation must not end the application, which works without the explanation.
      explain().then(
        (routes) => channel.send({ kind: 'routes', routes }),
        () => undefined,
      )
    },
    work: (work) => void works.push(work),
    // The process writes log lines at the end of the current turn of the event loop. A report is sent after them, so
    // that the command's own line about the request follows the request's log lines.
    take: (request) => void setImmediate(() => channel.send({ kind: 'request', request })),
  }
  Object.defineProperty(globalThis, REPORT, { value: report })
  Object.defineProperty(globalThis, DECORATORS, { value: [] })
  return works
}

/** The folder of this package. With source maps, its stack frames point to files in `src`. */
const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url))

const OWN_FOLDERS = [`${PACKAGE}dist`, `${PACKAGE}src`]

/**
 * Returns the innermost position in the user's code from a stack, relative to the command's folder; `null` if there is
 * none.
 */
function ownPlaceIn(stack: string): string | null {
  for (const frame of stack.split('\n').slice(1)) {
    const place = findSourceLine(frame)
    const isOfUser =
      place !== undefined && !OWN_FOLDERS.some((folder) => place.path.startsWith(folder))
    if (isOfUser) return formatSourceLine(place, process.cwd())
  }
  return null
}

/** The channel to the command. The application's process ends when the channel closes. */
export class Channel {
  #waiting = 0

  constructor(receive: (message: ParentMessage) => void) {
    process.on('message', (message) => {
      const own = opened<ParentMessage>(message)
      if (own !== undefined) receive(own)
    })
    // The terminal was closed, or the command was killed.
    process.on('disconnect', () => process.exit(0))
    // The channel must not keep a process alive that would otherwise exit.
    process.channel?.unref()
  }

  send(message: ChildMessage): void {
    if (process.connected) process.send?.({ blazon: message }, () => {})
  }

  /** Waits for a message from the command, and keeps the process from exiting meanwhile. */
  async wait<T>(received: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) process.channel?.ref()
    const result = await received
    if (--this.#waiting === 0) process.channel?.unref()
    return result
  }
}
