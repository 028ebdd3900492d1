import type { DeprecatedOptions } from '../contracts/version.js'
import { type OptionNames, unknownOptions } from '../errors/option-group.js'
import { pathProblem } from './path-problem.js'

const NAMES: OptionNames<DeprecatedOptions> = {
  since: true,
  sunset: true,
  successor: true,
  end: true,
}
const DATE = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/

/** Describes the error in the options of a deprecation; `undefined` if there is no error. */
export function deprecationMistake(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null) return 'It is not an options object.'
  const [unknown] = unknownOptions('', options, NAMES)
  if (unknown !== undefined) return `'${unknown.subject}': ${unknown.cause}`
  return mistakeIn(options as DeprecatedOptions)
}

function mistakeIn({ since, sunset, successor, end }: DeprecatedOptions): string | undefined {
  const [from, until] = [timeOf(since), sunset === undefined ? undefined : timeOf(sunset)]
  if (from === null) return `\`since\` is ${String(since)}; ${GIVE_DATE}`
  if (until === null) return `\`sunset\` is ${String(sunset)}; ${GIVE_DATE}`
  if (until !== undefined && until < from) return '`sunset` is before `since`.'
  if (end !== undefined && typeof end !== 'boolean') return '`end` is not a boolean.'
  if (end === true && until === undefined) return '`end` has no effect without `sunset`.'
  if (successor === undefined || isPath(successor)) return undefined
  return `\`successor\` is ${String(successor)}; pass a path, such as '/v2/orders'.`
}

const GIVE_DATE = "pass an ISO date, such as '2026-06-30' or '2026-06-30T12:00:00Z'."

/**
 * Returns the time of a date in milliseconds since 1970; `null` if the value is not a date, or if the day does not
 * exist.
 */
export function timeOf(date: unknown): number | null {
  const day = typeof date === 'string' ? DATE.exec(date)?.[1] : undefined
  const start = Date.parse(`${day}T00:00:00Z`)
  const time = Date.parse(String(date))
  const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(String(day))
  return isDay && !Number.isNaN(time) ? time : null
}

function isPath(path: unknown): boolean {
  return (
    typeof path === 'string' && /^\/(?!\/)[^\s<>"?#]*$/.test(path) && pathProblem(path) === null
  )
}
