import type { User } from '../../contracts/handler.js'
import { ConfigError, type Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { isCount, isInt32, isObject } from '../option-kinds.js'

/** An operation, for those who choose among them. */
export interface FuzzedOperation {
  /** The `operationId` in the document. */
  readonly operationId: string
  /** `POST /orders` */
  readonly name: string
  /** `OrdersController.place` */
  readonly handler: string
}

/**
 * What a validator may do that its document does not say: `'stricter'` refuses data that the document calls valid,
 * `'looser'` takes data that the document calls wrong.
 */
export type FuzzAllowance = 'stricter' | 'looser'

/** Options of `fuzz`. */
export interface FuzzOptions {
  /** Decides every request: equal seeds make equal requests. Default: chosen at random, and in the report. */
  readonly seed?: number
  /** Requests for each operation. Default 50. */
  readonly runs?: number
  /** Which operations are called. Default: all. */
  readonly operations?: (operation: FuzzedOperation) => boolean
  /** `operationId`s that are not called. Default: none. */
  readonly skip?: readonly string[]
  /** By `operationId`: where validator and document may differ. Default: nowhere. */
  readonly allow?: Readonly<Record<string, FuzzAllowance | readonly FuzzAllowance[]>>
  /** Who calls, as with `TestApp.as`. Default: whoever the headers say. */
  readonly as?: User | null
  /** Sent with every request, over those of `withAuth` and `withHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
  /** From the message of a failure, with its `seed`: sends that one request again. */
  readonly path?: string
}

/** What was fuzzed. */
export interface FuzzReport {
  /** How many operations were called. */
  readonly operations: number
  /** How many requests were sent. */
  readonly requests: number
  /** The seed of the run; with the same options it makes the same requests again. */
  readonly seed: number
  /**
   * Operations that were not called: left out by `skip` or `operations`, taking a form with files, or answered by another
   * route at every path that was made for them.
   */
  readonly skipped: readonly string[]
  /** Operations that answered everything that is valid with 401 or 403: nothing behind their guard was seen. */
  readonly refused: readonly string[]
}

const ALLOWANCES: readonly unknown[] = ['stricter', 'looser']
/** Every name, so that none can be forgotten. */
const NAMES: Readonly<Record<keyof FuzzOptions, true>> = {
  seed: true,
  runs: true,
  operations: true,
  skip: true,
  allow: true,
  as: true,
  headers: true,
  path: true,
}

/** @throws ConfigError that names every option that is something else. */
export function checkFuzzOptions(options: FuzzOptions): void {
  const { seed, runs, operations, skip, allow, headers, path } = options
  const problems: Problem[] = []
  const check = (isRight: boolean, name: string, value: unknown, known: string) => {
    if (!isRight) problems.push(problemOf(name, value, known))
  }
  check(seed === undefined || isInt32(seed), 'seed', seed, 'a whole number of 32 bits')
  check(runs === undefined || isCount(runs), 'runs', runs, 'a whole number from 1')
  check(
    operations === undefined || typeof operations === 'function',
    'operations',
    operations,
    '(operation) => boolean',
  )
  check(skip === undefined || Array.isArray(skip), 'skip', skip, "['Orders_place']")
  check(
    allow === undefined || (isObject(allow) && Object.values(allow).flat().every(isAllowance)),
    'allow',
    allow,
    "{ Orders_place: 'stricter' } or 'looser', or a list of both",
  )
  check(headers === undefined || isObject(headers), 'headers', headers, "{ 'X-Name': 'value' }")
  const isPath = typeof path === 'string' && /^.+\/[\d:]+$/.test(path)
  check(path === undefined || isPath, 'path', path, 'what the message of a failure says')
  check(path === undefined || seed !== undefined, 'path', path, 'its seed, too')
  for (const name of Object.keys(options)) {
    check(Object.hasOwn(NAMES, name), name, name, Object.keys(NAMES).join(', '))
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

/** @throws ConfigError that names those which no document has. */
export function checkOperationIds(
  { skip = [], allow = {}, path }: FuzzOptions,
  known: readonly string[],
): void {
  const named = [
    ...skip.map((id) => ['skip', id] as const),
    ...Object.keys(allow).map((id) => ['allow', id] as const),
    ...(path === undefined ? [] : [['path', path.slice(0, path.lastIndexOf('/'))] as const]),
  ]
  const problems = named
    .filter(([, id]) => !known.includes(id))
    .map(([option, id]) => problemOf(option, id, `an operationId: ${known.join(', ')}`))
  if (problems.length > 0) throw new ConfigError(problems)
}

function isAllowance(value: unknown): boolean {
  return ALLOWANCES.includes(value)
}

function problemOf(name: string, value: unknown, known: string): Problem {
  const cause = `fuzz() cannot use ${JSON.stringify(value) ?? String(value)}.`
  return invalid(`fuzz({ ${name} })`, cause, `It takes ${known}.`)
}
