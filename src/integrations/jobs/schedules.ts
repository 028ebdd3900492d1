import { createHash } from 'node:crypto'
import { ConfigError } from '../../index.js'
import type { Problem } from '../../plugin/index.js'
import type { Boss } from './boss.js'
import type { JobsDeps } from './queues.js'
import type { JobSchedule, Works } from './worker.js'

/**
 * Checks the expressions and time zones of all schedules.
 *
 * @throws ConfigError with all problems.
 */
export function checkSchedules(boss: Boss, works: Works): void {
  const problems = [...works.values()].flatMap(({ schedule, place: subject }): Problem[] => {
    const cause = schedule === null ? null : faultOf(boss, schedule)
    return cause === null ? [] : [{ code: 'E_JOB_SCHEDULE', subject, cause, remedy: REMEDY }]
  })
  if (problems.length > 0) throw new ConfigError(problems)
}

const REMEDY =
  "Pass five fields and an IANA time zone: @Cron('0 3 * * *', { zone: 'Europe/Vienna', name: 'nightly' })."

/**
 * Sends the next run of each schedule. The run waits in its queue until it is due. Every process sends it, but its ID
 * ensures that only one succeeds. pg-boss has schedules of its own, but it searches backwards from a time, so it skips
 * or repeats runs when clocks change.
 */
export async function planSchedules({ queues, works, clock }: JobsDeps): Promise<void> {
  for (const [name, { schedule }] of works) {
    if (schedule === null) continue
    const startAfter = nextRun(queues.boss, schedule, clock.now())
    if (startAfter === undefined) continue
    const plan = planOf(schedule)
    const id = idOf(`${name} ${plan} ${startAfter.toISOString()}`)
    await queues.send(name, { tenant: null, sender: {}, plan }, { id, startAfter })
  }
}

/** A time longer than any clock change, in milliseconds. */
const LOOK_BACK_MS = 3 * 3600 * 1000
/** The number of runs that are computed per call. */
const PAGE = 8

/**
 * Returns the first run after a time. The search begins earlier, because a search that begins after a clock change
 * cannot detect that pg-boss has skipped or repeated a time.
 */
function nextRun(
  boss: Boss,
  { expression, zone: tz }: JobSchedule,
  nowMs: number,
): Date | undefined {
  let from: Date | undefined = new Date(nowMs - LOOK_BACK_MS)
  while (from !== undefined && from.getTime() <= nowMs) {
    const runs: Date[] = boss.previewSchedule(expression, { tz, from, count: PAGE })
    from = runs.find((run) => run.getTime() > nowMs) ?? runs.at(-1)
  }
  return from
}

/** Returns the schedule as a string, so that a run can detect that its schedule has changed. */
export function planOf({ expression, zone }: JobSchedule): string {
  return `${expression} ${zone}`
}

/** Returns a UUID that depends only on the string (RFC 9562, version 8). */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5')
}

/**
 * Returns the problem with a schedule. pg-boss also accepts six fields and recurrence rules. Here, they are refused,
 * because the name `@Cron` does not suggest them.
 */
function faultOf(boss: Boss, { expression, zone }: JobSchedule): string | null {
  if (String(expression).trim().split(/\s+/).length !== 5)
    return `'${expression}' does not have five fields.`
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    return `There is no time zone ${zone}.`
  }
  try {
    boss.previewSchedule(expression, { tz: zone, count: 1, from: new Date(0) })
    return null
  } catch (error) {
    return `'${expression}' is not a cron expression: ${(error as Error).message}`
  }
}
