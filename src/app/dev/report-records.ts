import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import type { CapsuleWriter } from '../../features/capsules/capsule-writer.js'
import { ReceivedBodies, requestSent } from '../../features/capsules/received-bodies.js'
import type { RecordTaker } from '../../features/records/records-plugin.js'
import { isSecretName } from '../../schema/secret-name.js'
import { ResponseComparison } from '../contract/compare-responses.js'
import type { DescribedRoutes } from '../contract/documented-by-route.js'
import type { DevReport } from './dev-report.js'

/** The parts of an application that {@link reportRecords} uses. */
export interface ReportConfig {
  readonly described: () => DescribedRoutes
  /** Writes the capsules of failed requests; `null` if none are written. */
  readonly capsules: CapsuleWriter | null
}

/** The maximum size of a body on the page, in bytes; limited because the command stores many requests. */
const MOST_SHOWN = 65_536

/**
 * Passes the records of an application to `blazon dev`, with the request that the client sent, and the differences
 * between the response and the document.
 */
export function reportRecords(sink: DevReport, { described, capsules }: ReportConfig): RecordTaker {
  const responses = new ResponseComparison(described)
  const { bodies } = capsules ?? { bodies: new ReceivedBodies() }
  return {
    placeIn: sink.placeIn,
    takesAll: true,
    needsBodies: capsules !== null,
    start: (logger) => capsules?.start(logger),
    follow(req) {
      responses.follow(req)
      bodies.follow(req)
    },
    keep: (statement) => capsules?.keep(statement) ?? statement,
    take(taken) {
      const { record, ended, secretsOf, hasFailed } = taken
      const { req } = ended
      if (req === null) return
      const id = hasFailed ? capsules?.write(taken) : undefined
      const capsule = id == null || capsules === null ? null : { id, folder: capsules.folder }
      const hide = bodies.hiderOf(req, secretsOf)
      const sent = requestSent(req, { received: bodies.of(req), hide, most: MOST_SHOWN })
      const mismatches = withoutSecrets(responses.mismatchesOf(ended), { hideIn: hide })
      sink.take({ record, sent, mismatches, capsule })
    },
    close: async () => capsules?.close(),
  }
}

/** Hides response values that are secrets of the request, or whose field has a name that indicates a secret. */
function withoutSecrets(
  violations: readonly ContractViolation[],
  { hideIn }: Pick<RequestSecretTexts, 'hideIn'>,
): ContractViolation[] {
  return violations.map((violation) => ({
    ...violation,
    got: isSecretName(violation.path) ? '[secret]' : hideIn(violation.got),
  }))
}
