import type { DevReport } from '../../../app/dev/dev-report.js'
import type { Channel } from './channel.js'
import { ownPlaceIn } from './own-place.js'

/** `app/dev/dev-report.ts` explains it. */
const REPORT = Symbol.for('blazon.report')

/** `metadata/applied.ts` explains it. */
const DECORATORS = Symbol.for('blazon.decorators')

/** Makes the applications of this process report the data of the dashboard to the command. */
export function reportRequests(channel: Channel): void {
  const report: DevReport = {
    placeIn: ownPlaceIn,
    started(explain) {
      // A mistake in the explanation must not end the application, which does not need it.
      explain().then(
        (routes) => channel.send({ kind: 'routes', routes }),
        () => undefined,
      )
    },
    // Log lines leave at the end of the turn. The request follows its own, because the command may write a line about it.
    take: (request) => void setImmediate(() => channel.send({ kind: 'request', request })),
  }
  Object.defineProperty(globalThis, REPORT, { value: report })
  Object.defineProperty(globalThis, DECORATORS, { value: [] })
}
