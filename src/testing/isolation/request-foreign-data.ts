import {
  type Exchanged,
  type IsolationSession,
  isSafe,
  isSuccess,
  type PlannedRequest,
  type TestedOperation,
} from './isolation-session.js'
import type { Side } from './isolation-side.js'
import { REMEMBERED } from './records.js'
import type { MadeRequest } from './request-maker.js'

/** A successful read of a side's own data. */
interface Read {
  readonly planned: PlannedRequest
  readonly made: MadeRequest
}

/** Statuses that mean only that the request is malformed. */
const MALFORMED = [400, 422]

/** The side that requests data, and the side that owns the data. */
export interface ForeignAccess {
  readonly session: IsolationSession
  readonly by: Side
  readonly of: Side
  readonly round: number
  /** The read operations with which the owner checks that its data still exists. */
  readonly readers: readonly TestedOperation[]
}

/** Reads the data of a side by its own IDs. Returns the successful reads. */
export async function readOwn(
  session: IsolationSession,
  readers: readonly TestedOperation[],
  side: Side,
): Promise<Read[]> {
  const reads: Read[] = []
  for (const tested of readers) {
    const plan = { round: 0, target: null, ids: { of: side.name } }
    const planned = { tested, side, plan, phase: 'when each tenant reads its own data' }
    const { made, response } = await session.send(planned)
    if (isSuccess(response.status) && made.ids.length > 0) reads.push({ planned, made })
  }
  return reads
}

/** Requests data of another side by its IDs. */
export async function requestForeignData(
  tested: TestedOperation,
  access: ForeignAccess,
): Promise<void> {
  const { session, by, of, round } = access
  const phase = phaseOf(access)
  const send = (plan: Omit<PlannedRequest['plan'], 'round'>) =>
    session.send({ tested, side: by, plan: { round, ...plan }, phase })
  const reads = isSafe(tested) ? [] : await readOwn(session, access.readers, of)
  const foreign = await send({ target: null, ids: { of: of.name } })
  if (!foreign.made.isShared) await findLosses({ tested, access, foreign, reads })
  // Without IDs, the request does not refer to the other side's data.
  if (foreign.made.ids.length === 0) return
  const absent = await send({ target: null, ids: { of: of.name, isAbsent: true } })
  compare({ tested, side: by, phase }, of.name, { session, foreign, absent })
  if (isSafe(tested)) await send({ target: of.name, ids: { of: of.name } })
}

/** Deletes each side's own data: its latest record, or an earlier record if that fails. */
export async function removeOwn(
  session: IsolationSession,
  tested: TestedOperation,
  round: number,
): Promise<void> {
  for (const side of session.config.sides) {
    for (let before = 0; before < REMEMBERED; before++) {
      const plan = { round, target: side.name, ids: { of: side.name, before } }
      const planned = { tested, side, plan, phase: 'when each tenant deletes its own data' }
      const { made, response } = await session.send(planned)
      if (made.ids.length === 0) break
      if (!isSuccess(response.status)) continue
      tested.observation.served(side.name)
      break
    }
  }
}

interface Comparison {
  readonly session: IsolationSession
  readonly foreign: Exchanged
  readonly absent: Exchanged
}

/**
 * Compares the responses for an ID of another side and for an unknown ID. Different statuses reveal to the caller that
 * the data exists.
 */
function compare(
  planned: Pick<PlannedRequest, 'tested' | 'side' | 'phase'>,
  from: string,
  { session, foreign, absent }: Comparison,
): void {
  const { tested, side } = planned
  const [status, unknown] = [foreign.response.status, absent.response.status]
  const malformed = [...MALFORMED, tested.maker.documented.errors.validationStatus]
  if (foreign.made.isShared || malformed.includes(status) || malformed.includes(unknown)) return
  if (status === unknown) {
    if (status >= 400 && status < 500) tested.observation.keptOut(side.name)
    return
  }
  const where = `gets ${status} for an ID of ${from}, but ${unknown} for an unknown ID`
  session.report(planned, { kind: 'existence', from, where, origin: '' }, foreign.made)
}

interface Attempt {
  readonly tested: TestedOperation
  readonly access: ForeignAccess
  readonly foreign: Exchanged
  /** The successful reads before the other side's request. */
  readonly reads: readonly Read[]
}

/** Checks that the owner can still read its data after the other side tried to change it. */
async function findLosses({ tested, access, foreign, reads }: Attempt): Promise<void> {
  const { session, by, of } = access
  const ids = new Set(foreign.made.ids.map(String))
  const phase = phaseOf(access)
  for (const { planned, made } of reads) {
    if (!made.ids.some((id) => ids.has(String(id)))) continue
    const { status } = await session.repeat(made, { ...planned, phase })
    if (isSuccess(status)) continue
    const { name } = planned.tested.maker.documented
    const where = `made ${name} respond ${status} to ${of.name} for its own ID`
    const fact = { kind: 'loss', from: of.name, where, origin: '' } as const
    session.report({ tested, side: by, phase }, fact, foreign.made)
  }
}

function phaseOf({ by, of }: ForeignAccess): string {
  return `when ${by.name} requests data of ${of.name}`
}

/**
 * Sends requests in which one side specifies the tenant of another side in the header. The credentials still belong to
 * the sender, so the application must not return data of the specified tenant. Pairs of sides that differ only in this
 * header are left out, because only the header would identify the caller.
 *
 * @param tenantHeader The tenant header, in lower case.
 */
export async function nameOtherTenants(
  session: IsolationSession,
  all: readonly TestedOperation[],
  tenantHeader: string,
): Promise<void> {
  const { sides } = session.config
  for (const by of sides) {
    for (const of of sides) {
      if (by === of || of.id === undefined || !isKnownApart(by, of, tenantHeader)) continue
      const impostor: Side = { ...by, headers: new Map(by.headers).set(tenantHeader, of.id) }
      const phase = `when ${by.name} names ${of.name} as its tenant`
      for (const tested of all.filter(isSafe)) {
        for (const target of [null, of.name]) {
          const plan = { round: 0, target, ids: { of: of.name } }
          await session.send({ tested, side: impostor, plan, phase })
        }
      }
    }
  }
}

function isKnownApart(one: Side, other: Side, tenantHeader: string): boolean {
  return one.principal !== other.principal || credentials(one) !== credentials(other)
  function credentials({ headers }: Side): string {
    return JSON.stringify([...headers].filter(([name]) => name !== tenantHeader))
  }
}
