import type { DevReport } from '../../../app/dev/dev-report.js'
import type { RecordSink } from '../../../app/dev/record-sink.js'
import { REPORT_VARIABLE } from '../protocol.js'
import type { Channel } from './channel.js'
import { ownPlaceIn } from './own-place.js'

/** `app/dev/dev-report.ts` explains it. */
const REPORT = Symbol.for('blazon.report')
/** `app/dev/record-sink.ts` explains it. */
const SINK = Symbol.for('blazon.records')

/** Whether the command has a dashboard. Programs that the application starts do not report to it. */
export function isAskedToReport(): boolean {
  const isAsked = process.env[REPORT_VARIABLE] !== undefined
  delete process.env[REPORT_VARIABLE]
  return isAsked
}

/** Has the applications of this process report to the command what its dashboard shows. */
export function reportRequests(channel: Channel): void {
  const report: DevReport = {
    warned: (warnings) => channel.send({ kind: 'warnings', warnings }),
    // A mistake in the explanation must not end the application, which does not need it.
    started: (explain) =>
      void explain().then(
        (routes) => channel.send({ kind: 'routes', routes }),
        () => undefined,
      ),
  }
  const sink: RecordSink = {
    take: (request) => channel.send({ kind: 'request', request }),
    placeIn: ownPlaceIn,
  }
  Object.defineProperty(globalThis, REPORT, { value: report })
  Object.defineProperty(globalThis, SINK, { value: sink })
}
