// What is kept in bench/results: not what each round measured, but how the rounds are spread, and how lanes compare within a round.
import { median } from './tables.mjs'

const DIGITS = 6

const rounded = (value) => Number(value.toPrecision(DIGITS))
const isMeasured = (value) => Number.isFinite(value) && value !== null

/** The least, the median and the greatest of the rounds that measured something; nothing when none did. */
export function summarize(values = []) {
  const measured = values.filter(isMeasured)
  if (measured.length === 0) return undefined
  return {
    least: rounded(Math.min(...measured)),
    median: rounded(median(measured)),
    greatest: rounded(Math.max(...measured)),
  }
}

/** The same of what one lane takes over what another takes in the same round, where both meet the same weather. */
export function summarizeRatios(ours = [], theirs = []) {
  return summarize(ours.map((value, round) => value && theirs[round] && value / theirs[round]))
}

/** The median of what is kept: a spread, or the median alone. */
export const medianOf = (kept) => (typeof kept === 'number' ? kept : kept?.median)

/**
 * Lanes that were measured in the same rounds.
 *
 * @param lanes by name; each has a list for a field, a number a round.
 * @param spread the fields of which the spread is kept; of the fields of `middle`, only the median is.
 * @param pairs names of two lanes each: the first keeps, in `of`, its ratios to the second.
 * @returns the lanes with what is kept; what is in neither list is kept as it is.
 */
export function summarizeLanes(lanes, { spread, middle, pairs }) {
  const each = (summaryOf) =>
    Object.fromEntries([
      ...spread.map((field) => [field, summaryOf(field)]),
      ...middle.map((field) => [field, summaryOf(field)?.median]),
    ])
  const kept = Object.entries(lanes).map(([name, lane]) => [
    name,
    { ...lane, ...each((field) => summarize(lane[field])) },
  ])
  const summaries = Object.fromEntries(kept)
  for (const [name, other] of pairs) {
    const [ours, theirs] = [lanes[name], lanes[other]]
    summaries[name].of ??= {}
    summaries[name].of[other] = each((field) => summarizeRatios(ours[field], theirs[field]))
  }
  return summaries
}

/** The command that measures again what a result holds. */
export function commandOf(script, options) {
  const given = Object.entries(options).map(([name, value]) => `--${name} ${value}`)
  return `npm run ${script} -- ${given.join(' ')}`
}
