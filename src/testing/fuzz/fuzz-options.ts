import type { User } from '../../contracts/handler.js'
import { ConfigError, invalid, type Problem } from '../../errors/config-error.js'
import { type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { isCount, isInt32, isObject } from '../test-options.js'

/** An operation, as passed to the filter `operations`. */
export interface FuzzedOperation {
  /** The `operationId` in the document. */
  readonly operationId: string
  /** The method and path: `POST /orders`. */
  readonly name: string
  /** The handler: `OrdersController.place`. */
  readonly handler: string
}

/**
 * How a validator is allowed to differ from the document. `'stricter'`: it can refuse data that the document allows.
 * `'looser'`: it can accept data that the document forbids.
 */
export type FuzzAllowance = 'stricter' | 'looser'

/** Options of `fuzz`. */
export interface FuzzOptions {
  /**
   * The seed that determines every request: equal seeds result in equal requests. Default: a random seed, which the
   * report contains.
   */
  readonly seed?: number
  /** The number of requests for each operation. Default 50. */
  readonly runs?: number
  /** Returns whether an operation is called. Default: all operations are called. */
  readonly operations?: (operation: FuzzedOperation) => boolean
  /** The `operationId`s to skip. Default: none. */
  readonly skip?: readonly string[]
  /** The allowed differences between validator and document, by `operationId`. Default: none. */
  readonly allow?: Readonly<Record<string, FuzzAllowance | readonly FuzzAllowance[]>>
  /**
   * The user, as with `TestApp.as`; `null` removes the `Authorization` header. Default: the guard decides based on the
   * headers.
   */
  readonly as?: User | null
  /** Headers for every request. They replace headers of `withAuth` and `withHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The path from a failure message. With it and `seed`, only that request is sent again. */
  readonly path?: string
}

/** The result of `fuzz`. */
export interface FuzzReport {
  /** The number of operations that were called. */
  readonly operations: number
  /** The number of requests that were sent. */
  readonly requests: number
  /** The seed of the run. With the same options, this seed results in the same requests. */
  readonly seed: number
  /**
   * The operations that were not called: excluded by `skip` or `operations`, with a form that cannot be generated, or
   * shadowed by another route at every generated path.
   */
  readonly skipped: readonly string[]
  /**
   * Operations that responded to every valid request with 401, 403 or 410, so the code after this refusal was not
   * tested.
   */
  readonly refused: readonly string[]
}

const ALLOWANCES: readonly unknown[] = ['stricter', 'looser']
/** A record instead of a list, so that TypeScript requires every option name. */
const NAMES: OptionNames<FuzzOptions> = {
  seed: true,
  runs: true,
  operations: 'sync',
  skip: true,
  allow: true,
  as: true,
  headers: true,
  path: true,
}

/** @throws ConfigError with every option that has an invalid value. */
export function checkFuzzOptions(options: FuzzOptions): void {
  const { seed, runs, operations, skip, allow, headers, path } = options
  const problems = unknownOptions('fuzz(): ', options, NAMES)
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
  check(path === undefined || isPath, 'path', path, 'the path in the message of a failure')
  check(path === undefined || seed !== undefined, 'path', path, 'the seed as well')
  if (problems.length > 0) throw new ConfigError(problems)
}

/** @throws ConfigError with the IDs that are not in any document. */
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
  return invalid(`fuzz({ ${name} })`, cause, `Pass ${known}.`)
}
