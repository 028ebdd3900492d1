// What is read from lanes: a lane is what one candidate did with one workload.
import { CANDIDATES } from '../../candidates.mjs'
import { medianOf, summarize, summarizeLanes } from '../../summary.mjs'

/** CPU time: what goals are about. */
export const CPU = 'microseconds'
/** Instructions of user and kernel together, in thousands; nothing where they could not be counted. */
export const INSTRUCTIONS = 'kilo'
export const P99 = 'p99'

/** What is kept of each; instructions are nearly the same in every round. */
const KEPT = { spread: ['microseconds'], middle: ['p99', 'kilo'] }

/** What the page compares a workload with, of the same candidate. */
const BASELINES = {
  cached: ['plain'],
  invalid: ['plain', 'full'],
  unauthorized: ['plain'],
  missing: ['plain'],
}

/** What is kept of a session's lanes. */
export function keepLanes(lanes) {
  const prepared = Object.entries(lanes).map(
    ([name, { perSecond, userKilo, kernelKilo, ...lane }]) => [
      name,
      {
        ...lane,
        perSecond: summarize(perSecond).median,
        userKilo: summarize(userKilo)?.median,
        kernelKilo: summarize(kernelKilo)?.median,
        kilo: userKilo?.map((user, round) => user + kernelKilo[round]),
      },
    ],
  )
  const names = Object.keys(lanes)
  const pairs = names.flatMap((name) => comparedWith(name, names).map((other) => [name, other]))
  return summarizeLanes(Object.fromEntries(prepared), { ...KEPT, pairs })
}

/** The results of a Node, with the instructions that callgrind has counted in place of those of `perf`. */
export function withCounts({ counted, ...node }) {
  if (counted === undefined) return node
  const sessions = Object.entries(node.sessions).map(([name, session]) => {
    const lanes = Object.entries(session.lanes).map(([lane, kept]) => [
      lane,
      countedLane(lane, kept, counted),
    ])
    return [name, { ...session, lanes: Object.fromEntries(lanes) }]
  })
  return { ...node, sessions: Object.fromEntries(sessions) }
}

function countedLane(name, { userKilo, kernelKilo, kilo, of = {}, ...lane }, counted) {
  const ratios = Object.entries(of).map(([other, { kilo: _, ...ratio }]) => {
    const [ours, theirs] = [counted[name], counted[other]]
    return [other, { ...ratio, kilo: ours && theirs && ours / theirs }]
  })
  return { ...lane, userKilo: counted[name], of: Object.fromEntries(ratios) }
}

/** The lanes that the page compares one with: Blazon with all, the others with bare node, where all have one workload. */
function comparedWith(name, names) {
  const [candidate, workload] = name.split('/')
  const isOne = names.every((other) => other.endsWith(`/${workload}`))
  if (isOne) {
    const isCompared = (other) => candidate === 'blazon' || other.startsWith('node/')
    return names.filter((other) => other !== name && isCompared(other))
  }
  const alone = workload.replace(/-among$/, '-alone')
  const baselines = alone === workload ? (BASELINES[workload] ?? []) : [alone]
  return baselines
    .map((baseline) => `${candidate}/${baseline}`)
    .filter((other) => names.includes(other))
}

/** How a lane of a session compares with another within a round; nothing when one of the two was not measured. */
export function ratios(session, [name, other], field) {
  const lane = session?.lanes[name]
  return name === other ? lane?.[field] && 1 : lane?.of?.[other]?.[field]
}

/** The median of `ratios`. */
export function ratio(session, pair, field) {
  return medianOf(ratios(session, pair, field))
}

/** Candidates that took part in a session, in their order. */
export function candidatesOf({ lanes }) {
  const names = Object.keys(lanes).map((lane) => lane.split('/')[0])
  return Object.keys(CANDIDATES).filter((candidate) => names.includes(candidate))
}
