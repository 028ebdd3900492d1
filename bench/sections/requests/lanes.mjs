// What is read from lanes: a lane is what one candidate did with one workload, a number a round of each kind.
import { CANDIDATES } from '../../candidates.mjs'
import { median } from '../../tables.mjs'

/** CPU time: what goals are about. */
export const cpu = (lane) => lane.microseconds

/** Instructions of user and kernel together, in thousands; nothing where they could not be counted. */
export function instructions({ userKilo, kernelKilo }) {
  return userKilo?.map((user, round) => user + kernelKilo[round])
}

export const p99 = (lane) => lane.p99

/** What one lane takes over what another takes in the same round, by round, where all candidates met the same weather. */
export function ratios(lane, other, kind) {
  const [ours, theirs] = [lane && kind(lane), other && kind(other)]
  return ours && theirs && ours.map((value, round) => value / theirs[round])
}

/** The median of `ratios`; nothing when one of the two was not measured. */
export function ratio(lane, other, kind) {
  const all = ratios(lane, other, kind)
  return all && median(all)
}

/** Candidates that took part in a session, in their order. */
export function candidatesOf({ lanes }) {
  const names = Object.keys(lanes).map((lane) => lane.split('/')[0])
  return Object.keys(CANDIDATES).filter((candidate) => names.includes(candidate))
}
