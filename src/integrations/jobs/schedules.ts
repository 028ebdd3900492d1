import { ConfigError, type Problem } from '../../index.js'
import type { Work } from './find-work.js'
import type { Boss } from './load-boss.js'

/**
 * Checks the expressions and the zones of all schedules.
 *
 * @throws ConfigError with all problems.
 */
export function checkSchedules(boss: Boss, works: Iterable<Work>): void {
  const problems: Problem[] = []
  for (const { schedule, place } of works) {
    if (schedule === null) continue
    const { expression, zone } = schedule
    const cause = isZone(zone) ? faultOf(boss, expression, zone) : `There is no time zone ${zone}.`
    if (cause === null) continue
    const remedy =
      "Give five fields and a zone of IANA: @Cron('0 3 * * *', { zone: 'Europe/Vienna', name: 'nightly' })."
    problems.push({ code: 'E_JOB_SCHEDULE', subject: place, cause, remedy })
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Stores the schedules, and removes those that the application has no more. */
export async function storeSchedules(boss: Boss, works: ReadonlyMap<string, Work>): Promise<void> {
  const stored = await boss.getSchedules()
  for (const { name } of stored)
    if ((works.get(name)?.schedule ?? null) === null) await boss.unschedule(name)
  for (const [name, { schedule }] of works) {
    if (schedule !== null)
      await boss.schedule(name, schedule.expression, null, { tz: schedule.zone })
  }
}

/** The times of a schedule after one time, up to another. At most 1,000. */
export function timesBetween(
  boss: Boss,
  { schedule }: Work,
  [from, to]: readonly [number, number],
): Date[] {
  const times: Date[] = []
  if (schedule === null) return times
  const { expression, zone: tz } = schedule
  for (let after = from; times.length < 1000; ) {
    const [next] = boss.previewSchedule(expression, { tz, from: new Date(after), count: 1 })
    if (next === undefined || next.getTime() > to) break
    times.push(next)
    after = next.getTime()
  }
  return times
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

/** pg-boss also reads six fields and recurrence rules, which the name of the decorator does not promise. */
function faultOf(boss: Boss, expression: string, tz: string): string | null {
  if (String(expression).trim().split(/\s+/).length !== 5)
    return `'${expression}' does not have five fields.`
  try {
    boss.previewSchedule(expression, { tz, count: 1, from: new Date(0) })
    return null
  } catch (error) {
    return `'${expression}' is not a cron expression: ${(error as Error).message}`
  }
}
