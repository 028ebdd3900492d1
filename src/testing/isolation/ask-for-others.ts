import type { Asked, Exchanged, IsolationSession, Question } from './isolation-session.js'
import type { Side } from './isolation-side.js'
import { isSafe, isSuccess } from './replay.js'
import type { MadeRequest } from './request-maker.js'

/** A read of a side's own things that was answered. */
interface Read {
  readonly question: Question
  readonly made: MadeRequest
}

/** Answers that say no more than that a request is not as it should be. */
const MALFORMED = [400, 422]

/** Who asks, for whose things. */
export interface Trespass {
  readonly session: IsolationSession
  readonly by: Side
  readonly of: Side
  readonly round: number
  /** What its owner may have a look with. */
  readonly readers: readonly Asked[]
}

/** What a side can read of its own by its ids. */
export async function readOwn(
  session: IsolationSession,
  readers: readonly Asked[],
  side: Side,
): Promise<Read[]> {
  const reads: Read[] = []
  for (const asked of readers) {
    const plan = { round: 0, target: null, ids: { of: side.name } }
    const question = { asked, side, plan, phase: 'when everybody reads its own' }
    const { made, answer } = await session.ask(question)
    if (isSuccess(answer.status) && made.ids.length > 0) reads.push({ question, made })
  }
  return reads
}

/** Lets a side ask for things of another by their ids, as if they were its own. */
export async function askForOthers(asked: Asked, trespass: Trespass): Promise<void> {
  const { session, by, of, round } = trespass
  const phase = phaseOf(trespass)
  const ask = (plan: Omit<Question['plan'], 'round'>) =>
    session.ask({ asked, side: by, plan: { round, ...plan }, phase })
  const reads = isSafe(asked) ? [] : await readOwn(session, trespass.readers, of)
  const foreign = await ask({ target: null, ids: { of: of.name } })
  if (!foreign.made.isShared) await findLosses({ asked, trespass, foreign, reads })
  // Without ids there is nothing to ask for.
  if (foreign.made.ids.length === 0) return
  const absent = await ask({ target: null, ids: { of: of.name, isAbsent: true } })
  compare({ asked, side: by, phase }, of.name, { session, foreign, absent })
  if (isSafe(asked)) await ask({ target: of.name, ids: { of: of.name } })
}

/** Lets each side remove what is its own. */
export async function removeOwn(
  session: IsolationSession,
  asked: Asked,
  round: number,
): Promise<void> {
  for (const side of session.config.sides) {
    const plan = { round, target: side.name, ids: { of: side.name } }
    const question = { asked, side, plan, phase: 'when everybody removes its own' }
    const { made, answer } = await session.ask(question)
    if (isSuccess(answer.status) && made.ids.length > 0) asked.observation.served(side.name)
  }
}

interface Comparison {
  readonly session: IsolationSession
  readonly foreign: Exchanged
  readonly absent: Exchanged
}

/** What is somebody else's must be answered as what is nobody's: a difference tells that it exists. */
function compare(
  question: Pick<Question, 'asked' | 'side' | 'phase'>,
  from: string,
  { session, foreign, absent }: Comparison,
): void {
  const { asked, side } = question
  const [status, unknown] = [foreign.answer.status, absent.answer.status]
  if (foreign.made.isShared || MALFORMED.includes(status) || MALFORMED.includes(unknown)) return
  if (status === unknown) {
    if (status >= 400 && status < 500) asked.observation.keptOut(side.name)
    return
  }
  const where = `is answered ${status} for an id of ${from}'s, and ${unknown} for one that nobody has`
  session.report(question, { kind: 'existence', from, where, origin: '' }, foreign.made)
}

interface Aftermath {
  readonly asked: Asked
  readonly trespass: Trespass
  readonly foreign: Exchanged
  /** What the owner could read before. */
  readonly reads: readonly Read[]
}

/** Whether the owner can still read what somebody else has asked to change. */
async function findLosses({ asked, trespass, foreign, reads }: Aftermath): Promise<void> {
  const { session, by, of } = trespass
  const ids = new Set(foreign.made.ids.map(String))
  const phase = phaseOf(trespass)
  for (const { question, made } of reads) {
    if (!made.ids.some((id) => ids.has(String(id)))) continue
    const { status } = await session.repeat(made, { ...question, phase })
    if (isSuccess(status)) continue
    const { name } = question.asked.maker.documented
    const where = `has made ${name} answer ${status} for an id of ${of.name}'s`
    const fact = { kind: 'loss', from: of.name, where, origin: '' } as const
    session.report({ asked, side: by, phase }, fact, foreign.made)
  }
}

function phaseOf({ by, of }: Trespass): string {
  return `when ${by.name} asks for what is ${of.name}'s`
}
