// What was to be reached, and whether it was.
import { markdownTable } from './tables.mjs'

/** The limit of a goal on a Node, with its direction. */
function limitOf({ most, least }, major) {
  const limits = most ?? least
  return { limit: limits[major] ?? limits.default, sign: most === undefined ? '≥' : '≤' }
}

function isReached(goal, major) {
  const { limit, sign } = limitOf(goal, major)
  const value = goal.measured[major]
  return sign === '≤' ? value <= limit : value >= limit
}

const withUnit = (value, unit) => `${value}${unit === '×' || unit === '%' ? '' : ' '}${unit}`

/** Three digits tell whether a limit was kept. */
function shown(value, unit) {
  return withUnit(Number(value.toPrecision(3)), unit)
}

/** A row for each goal, a column for each Node. */
export function goalsTable(goals) {
  const majors = [...new Set(goals.flatMap(({ measured }) => Object.keys(measured)))].sort()
  const rows = goals.map((goal) => [
    goal.what,
    limitsText(goal, majors),
    ...majors.map((major) => verdict(goal, major)),
  ])
  return markdownTable(['', 'goal', ...majors.map((major) => `Node ${major}`)], rows, {
    textColumns: majors.length + 2,
  })
}

function limitsText(goal, majors) {
  const texts = majors.map((major) => {
    const { limit, sign } = limitOf(goal, major)
    return `${sign} ${withUnit(limit, goal.unit)}`
  })
  if (new Set(texts).size === 1) return texts[0]
  return majors.map((major, index) => `${texts[index]} (${major})`).join(', ')
}

function verdict(goal, major) {
  const value = goal.measured[major]
  if (value === undefined) return ''
  const note = goal.note?.[major] === undefined ? '' : ` (${goal.note[major]})`
  const text = `${shown(value, goal.unit)}${note}`
  return isReached(goal, major) ? `${text} reached` : `**${text} missed**`
}

/** Why those that are missed on some Node are missed. */
export function missedReasons(goals, reasons) {
  const missed = goals.filter((goal) =>
    Object.keys(goal.measured).some((major) => !isReached(goal, major)),
  )
  if (missed.length === 0) return 'None is missed.'
  const lines = missed.map(
    ({ id, what }) => `- **${what}**: ${reasons[id] ?? 'no reason has been measured yet.'}`,
  )
  return `Why goals are missed:\n\n${lines.join('\n')}`
}
