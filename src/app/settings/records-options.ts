import type { Problem } from '../../errors/config-error.js'
import { invalid, shown } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'
import type { RecordsSettings } from '../../features/records/records-plugin.js'

/** The `records` option. */
export interface RecordsOptions {
  /**
   * How many records are kept, the newest: a whole number above 0. Each takes a few kilobytes.
   *
   * @defaultValue 50
   */
  readonly keep?: number
  /**
   * Whether each record is also a line of the log, at the level error.
   *
   * @defaultValue `false`
   */
  readonly log?: boolean
}

type Option = boolean | RecordsOptions | undefined

const NAMES: Names<RecordsOptions> = { keep: true, log: true }
const KEEP = 50

/** The `records` option. The settings are `null` if nothing is recorded. */
export const recordsGroup: OptionGroup<Option, RecordsSettings | null> = {
  unknown: (records) =>
    refusedNames('records.', typeof records === 'object' ? records : undefined, NAMES),
  check,
  resolve(records = false) {
    if (records === false) return null
    const { keep = KEEP, log = false } = records === true ? {} : records
    return Object.freeze({ keep, log })
  },
}

function check(records: unknown): Problem[] {
  if (records === undefined || typeof records === 'boolean') return []
  if (typeof records !== 'object' || records === null || Array.isArray(records)) {
    const remedy = 'Give true, false, or { keep, log }.'
    return [invalid('records', `${shown(records)} is no option.`, remedy)]
  }
  const { keep, log } = records as { readonly keep?: unknown; readonly log?: unknown }
  const problems: Problem[] = []
  if (keep !== undefined && !(Number.isSafeInteger(keep) && (keep as number) > 0)) {
    const cause = `${shown(keep)} is no number of records.`
    problems.push(invalid('records.keep', cause, 'Give a whole number above 0.'))
  }
  if (log !== undefined && typeof log !== 'boolean') {
    problems.push(invalid('records.log', `${shown(log)} is no option.`, 'Give true or false.'))
  }
  return problems
}
