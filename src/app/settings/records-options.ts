import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import type { CapsuleSettings } from '../../features/capsules/capsule-folder.js'
import type { RecordsSettings } from '../../features/records/records-plugin.js'

/** The `records` option. */
export interface RecordsOptions {
  /**
   * How many of the newest records are stored: a whole number greater than 0. A record takes a few kilobytes.
   *
   * @defaultValue 50
   */
  readonly keep?: number
  /**
   * Whether each record is also logged, at level `error`.
   *
   * @defaultValue `false`
   */
  readonly log?: boolean
  /**
   * Whether a capsule is written for each request that failed with a server error. A capsule is a file from which
   * `blazon replay` runs the request again and generates a test. It contains user data, such as rows and bodies, but no
   * secrets. `true` means all defaults.
   *
   * @defaultValue on under `blazon dev`, otherwise off
   * @see docs/replay.md
   */
  readonly capsules?: boolean | CapsulesOptions
}

/** The folder for capsules of failed requests, and their maximum number and size. */
export interface CapsulesOptions {
  /**
   * The folder, relative to the working directory. It is created if it does not exist, with read permission for its
   * owner only.
   *
   * @defaultValue `.blazon/capsules`
   */
  readonly folder?: string
  /**
   * How many of the newest capsules are stored: a whole number greater than 0.
   *
   * @defaultValue 50
   */
  readonly files?: number
  /**
   * The maximum total size of the capsules in bytes: a whole number greater than 0. The oldest capsules are removed
   * first.
   *
   * @defaultValue 20 MB (20,000,000)
   */
  readonly bytes?: number
}

type Option = boolean | RecordsOptions | undefined

/** The `records` option, resolved. */
export interface RecordsAndCapsules {
  /** The settings of records; `null` if no records are stored. */
  readonly kept: RecordsSettings | null
  /** The settings of capsules; `null` if no capsules are written outside `blazon dev`. */
  readonly capsules: CapsuleSettings | null
  /** Whether no capsules are written even under `blazon dev`. */
  readonly isOff: boolean
}

const CAPSULES: OptionNames<CapsulesOptions> = { folder: true, files: true, bytes: true }
const NAMES: OptionNames<RecordsOptions> = { keep: true, log: true, capsules: CAPSULES }
const KEEP = 50

/** The capsule settings for `blazon dev` and `capsules: true`. */
export const DEFAULT_CAPSULES: CapsuleSettings = Object.freeze({
  folder: '.blazon/capsules',
  files: 50,
  bytes: 20_000_000,
})

/** The `records` option. */
export const recordsGroup: OptionGroup<Option, RecordsAndCapsules> = {
  unknown: (records) => unknownOptions('records.', records, NAMES),
  check,
  resolve(records = false) {
    if (records === false) return NOTHING
    const { keep = KEEP, log = false, capsules } = records === true ? {} : records
    return Object.freeze({
      kept: Object.freeze({ keep, log }),
      capsules: capsulesOf(capsules),
      isOff: capsules === false,
    })
  },
}

const NOTHING: RecordsAndCapsules = Object.freeze({ kept: null, capsules: null, isOff: false })

function capsulesOf(capsules: RecordsOptions['capsules'] = false): CapsuleSettings | null {
  if (capsules === false) return null
  if (capsules === true) return DEFAULT_CAPSULES
  const { folder, files, bytes } = DEFAULT_CAPSULES
  return Object.freeze({
    folder: capsules.folder ?? folder,
    files: capsules.files ?? files,
    bytes: capsules.bytes ?? bytes,
  })
}

function check(records: unknown): Problem[] {
  if (records === undefined || typeof records === 'boolean') return []
  if (!isObject(records)) {
    const remedy = 'Pass true, false, or { keep, log, capsules }.'
    return [invalid('records', `${shown(records)} is not a valid value.`, remedy)]
  }
  const { keep, log, capsules } = records
  const problems = checkCount('records.keep', keep, 'not a valid number of records')
  if (log !== undefined && typeof log !== 'boolean') {
    problems.push(
      invalid('records.log', `${shown(log)} is not a valid value.`, 'Pass true or false.'),
    )
  }
  return [...problems, ...checkCapsules(capsules)]
}

function checkCapsules(capsules: unknown): Problem[] {
  if (capsules === undefined || typeof capsules === 'boolean') return []
  if (!isObject(capsules)) {
    const remedy = 'Pass true, false, or { folder, files, bytes }.'
    return [invalid('records.capsules', `${shown(capsules)} is not a valid value.`, remedy)]
  }
  const { folder, files, bytes } = capsules
  const problems = [
    ...checkCount('records.capsules.files', files, 'not a valid number of files'),
    ...checkCount('records.capsules.bytes', bytes, 'not a valid number of bytes'),
  ]
  if (folder === undefined || (typeof folder === 'string' && folder !== '')) return problems
  const cause = `${shown(folder)} is not a folder.`
  return [
    ...problems,
    invalid('records.capsules.folder', cause, "Pass a path: '.blazon/capsules'."),
  ]
}

function checkCount(subject: string, value: unknown, what: string): Problem[] {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) return []
  return [invalid(subject, `${shown(value)} is ${what}.`, 'Pass a whole number greater than 0.')]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
