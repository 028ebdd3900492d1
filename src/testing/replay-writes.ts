import { randomInt, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { DocumentedOperation } from '../app/contract/documented-by-route.js'
import type { DocumentedOperations } from '../app/contract/documented-operations.js'
import type { User } from '../contracts/handler.js'
import { type OptionNames, refuseUnknown } from '../errors/option-group.js'
import { idempotencyOf } from '../features/idempotency/idempotent.js'
import { lowerDocument } from '../schema/dialect/rewrite-schema.js'
import { createSource } from './fuzz/case-source.js'
import { isFuzzable, partsOf } from './fuzz/fuzz-cases.js'
import { loadFastCheck } from './fuzz/random.js'
import { valueContext } from './fuzz/valid-values.js'
import { type FuzzLink, type FuzzResponse, sendRequest } from './fuzz/wire-request.js'

/** Options of `replay`. */
export interface ReplayOptions {
  /**
   * The seed that determines every request: equal seeds result in equal requests, except for their keys. Default: a
   * random seed.
   */
  readonly seed?: number
  /** The number of requests for each operation. Default 10. */
  readonly runs?: number
  /** The `operationId`s to skip. Default: none. */
  readonly skip?: readonly string[]
  /** The user, as with `TestApp.as`. Default: the guard decides based on the headers. */
  readonly as?: User | null
  /** Headers for every request. They replace headers of `withAuth` and `withHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The result of `replay`. */
export interface ReplayReport {
  /** The seed of the run. */
  readonly seed: number
  /** The number of repeated writes with equal responses for each operation, by `operationId`. */
  readonly replayed: Readonly<Record<string, number>>
}

const NAMES: OptionNames<ReplayOptions> = {
  seed: true,
  runs: true,
  skip: true,
  as: true,
  headers: true,
}

const RUNS = 10
const MAX_SEED = 2 ** 31
/** Headers that differ for each exchange, and cookies, which are not stored. */
const OF_THE_EXCHANGE =
  /^(?:connection|date|idempotency-replayed|keep-alive|server-timing|set-cookie|trace.*|x-request-id|ratelimit.*)$/

/** The application under test, and the connection to it. */
export interface ReplayTarget {
  readonly link: FuzzLink
  readonly operations: DocumentedOperations
}

/**
 * Sends each generated write twice with the same key, and compares the two responses.
 *
 * @throws ConfigError for unknown options; Error for responses that differ, and for an operation without a successful
 * request.
 */
export async function replayWrites(
  { link, operations }: ReplayTarget,
  options: ReplayOptions,
): Promise<ReplayReport> {
  refuseUnknown('replay()', options, NAMES)
  const { seed = randomInt(MAX_SEED), runs = RUNS, skip = [] } = options
  const fc = await loadFastCheck('replay()')
  const found = operations.all.filter(
    (each) => each.route !== null && idempotencyOf(each.route) !== null && isFuzzable(each),
  )
  const taken = found.filter(({ operationId }) => !skip.includes(operationId))
  if (taken.length === 0)
    throw new Error(
      'replay() sent no requests: no operation has @Idempotent(), or `skip` excludes all such operations.',
    )
  const report: Record<string, number> = {}
  for (const documented of taken) {
    const source = createSource(documented, link.headers)
    const { schemas } = lowerDocument(documented.document).components
    const all = fc.sample(partsOf(source, valueContext(fc, schemas)), { numRuns: runs, seed })
    let equal = 0
    for (const parts of all) {
      const header = { ...parts.header, 'Idempotency-Key': randomUUID() }
      const request = source.write({ ...parts, header })
      const first = await sendRequest(request, link)
      if (first.violation !== undefined) throw first.violation
      if (first.status >= 400) continue
      compare(documented, first, await sendRequest(request, link))
      equal++
    }
    if (equal === 0) throw untested(documented)
    report[documented.operationId] = equal
  }
  return { seed, replayed: report }
}

function untested({ name, operationId }: DocumentedOperation): Error {
  return new Error(
    `replay() did not test ${name} (${operationId}): no generated request succeeded. ` +
      'Pass a caller and data with which a request succeeds, or skip the operation.',
  )
}

function compare({ name }: DocumentedOperation, first: FuzzResponse, again: FuzzResponse): void {
  const [before, after] = [comparable(first), comparable(again)]
  const isMarked = again.headers['idempotency-replayed'] === 'true'
  if (isMarked && isDeepStrictEqual(before, after)) return
  throw new Error(
    `${name} responded differently to a repeated write${isMarked ? '' : ', and without Idempotency-Replayed'}:\n` +
      `first  ${JSON.stringify(before)}\nagain  ${JSON.stringify(after)}`,
  )
}

function comparable({ status, headers, body }: FuzzResponse): object {
  const own = Object.entries(headers).filter(([name]) => !OF_THE_EXCHANGE.test(name))
  return { status, headers: Object.fromEntries(own.sort()), body }
}
