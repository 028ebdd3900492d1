import { randomInt, randomUUID } from 'node:crypto'
import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import type { DocumentedOperations } from '../../app/contract/documented-operations.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { type CalledOperation, isRefused, refuseUntested } from '../untested.js'
import {
  curlOf,
  type Finding,
  inspectResponse,
  type RequestSetting,
  snippetOf,
} from './findings.js'
import { casesOf, type FuzzCase, isFuzzable } from './fuzz-cases.js'
import {
  checkOperationIds,
  type FuzzAllowance,
  type FuzzOptions,
  type FuzzReport,
} from './fuzz-options.js'
import { type FastCheck, hash, loadFastCheck } from './random.js'
import { type FuzzLink, type FuzzResponse, sendRequest } from './wire-request.js'

const RUNS = 50
/**
 * Operations that create data come first, and operations that delete data come last, so that the other operations find
 * data.
 */
const ORDER = ['POST', 'PUT', 'PATCH', 'GET', 'QUERY', 'HEAD', 'OPTIONS', 'DELETE']
const MAX_SEED = 2 ** 31
/** The maximum number of characters of a response body in a message. */
const SHOWN = 600

/** The application under test, and the connection to it. */
export interface FuzzTarget {
  readonly link: FuzzLink
  readonly operations: DocumentedOperations
  /** Returns the `visibleTo` marks of those fields of a route that the caller is not allowed to see. */
  readonly hiddenOf: (route: RouteModel) => Promise<readonly (readonly string[])[]>
}

/** The parts that are the same for all operations. */
interface Session extends FuzzTarget {
  readonly fc: FastCheck
  readonly seed: number
  readonly options: FuzzOptions
}

/** The result for one operation. */
interface Outcome {
  readonly requests: number
  /**
   * The statuses of the responses to valid requests. Hostile requests do not count, because their paths do not always
   * match a route.
   */
  readonly statuses: ReadonlySet<number>
}

/** Thrown by the failing property. fast-check reports the last error, which belongs to the smallest request. */
class Fault extends Error {
  readonly finding: Finding
  readonly response: FuzzResponse

  constructor(finding: Finding, response: FuzzResponse) {
    super(finding.expected)
    this.finding = finding
    this.response = response
  }
}

/**
 * Sends requests that are generated from the document, sequentially.
 *
 * @param options Options that `checkFuzzOptions` has already checked.
 * @throws Error with the smallest request whose response is not as documented, or if nothing was tested; ConfigError if
 * fast-check is not installed, or an `operationId` is not in the document.
 */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  const { skip = [], operations: isWanted = () => true, path } = options
  const { all } = target.operations
  checkOperationIds(
    options,
    all.map(({ operationId }) => operationId),
  )
  const fc = await loadFastCheck()
  const seed = options.seed ?? randomInt(MAX_SEED)
  const only = path?.slice(0, path.lastIndexOf('/'))
  const taken = all.filter((operation) => {
    const { operationId, name, handler } = operation
    if (only !== undefined) return operationId === only
    const isChosen = !skip.includes(operationId) && isWanted({ operationId, name, handler })
    return isChosen && isFuzzable(operation)
  })
  const called: CalledOperation[] = []
  let requests = 0
  const rankOf = ({ name }: DocumentedOperation) => ORDER.indexOf(name.split(' ', 1)[0] as string)
  for (const operation of taken.sort((a, b) => rankOf(a) - rankOf(b))) {
    const outcome = await fuzzOperation(operation, { ...target, fc, seed, options })
    requests += outcome.requests
    if (outcome.requests > 0) called.push({ documented: operation, statuses: outcome.statuses })
  }
  if (requests === 0) throw nothingSent(all.length)
  refuseUntested('fuzz()', called)
  const sent = new Set(called.map(idOf))
  const skipped = all.map(({ operationId }) => operationId).filter((id) => !sent.has(id))
  const refused = called.filter(isRefused).map(idOf)
  return { operations: called.length, requests, seed, skipped, refused }
}

function idOf({ documented }: CalledOperation): string {
  return documented.operationId
}

const KEY = 'idempotency-key'

/** Creates a new idempotency key, because the application would refuse a key that an earlier request has used. */
function withNewKey({ kind, request }: FuzzCase): FuzzCase['request'] {
  const name = Object.keys(request.headers).find((each) => each.toLowerCase() === KEY)
  if (kind !== 'valid' || name === undefined) return request
  return { ...request, headers: { ...request.headers, [name]: randomUUID() } }
}

/** A test that sends no request would always pass. */
function nothingSent(documented: number): Error {
  const cause =
    documented === 0
      ? 'the documents of this application have no operations'
      : 'skip, operations or path exclude all operations, or requests for the remaining ones lead to other routes'
  return new Error(`fuzz() sent no requests: ${cause}.`)
}

async function fuzzOperation(operation: DocumentedOperation, session: Session): Promise<Outcome> {
  const { fc, seed, options, link, operations } = session
  const { allow = {}, path, runs = RUNS } = options
  const allowed = [allow[operation.operationId] ?? []].flat() as FuzzAllowance[]
  const { validationStatus } = operation.errors
  const hidden = operation.route === null ? [] : await session.hiddenOf(operation.route)
  let requests = 0
  const statuses = new Set<number>()
  const property = fc.asyncProperty(
    casesOf(operation, { fc, given: link.headers, hidden }),
    async (fuzzCase) => {
      const { method, target, headers } = fuzzCase.request
      const found = operations.find(method, target, headers)
      // A generated path such as `/users/me` can match an operation other than `/users/{id}`.
      if (fuzzCase.kind !== 'hostile' && found?.route !== operation.route) return
      requests++
      const response = await sendRequest(withNewKey(fuzzCase), link)
      if (fuzzCase.kind === 'valid') statuses.add(response.status)
      const finding = inspectResponse(fuzzCase, response, { allowed, validationStatus })
      if (finding !== undefined) throw new Fault(finding, response)
    },
  )
  const replay =
    path === undefined
      ? { numRuns: runs }
      : { numRuns: 1, path: path.slice(path.lastIndexOf('/') + 1) }
  // With the same seed, all operations would generate the same IDs, so after one operation has deleted a record, all
  // other operations would use its ID.
  const own = hash(operation.operationId, seed) | 0
  const details = await fc.check(property, {
    seed: own,
    ...replay,
    endOnFailure: path !== undefined,
  })
  if (!details.failed) return { requests, statuses }
  const [fuzzCase] = details.counterexample ?? []
  const cause = details.errorInstance
  if (fuzzCase === undefined) throw cause
  const place = `${operation.operationId}/${details.counterexamplePath}`
  const message = messageOf({ operation, fuzzCase, cause, place }, session)
  // The message describes a `Fault` completely. With the `Fault` as its cause, the error would also print credentials.
  throw cause instanceof Fault ? new Error(message) : new Error(message, { cause })
}

interface Failure {
  readonly operation: DocumentedOperation
  readonly fuzzCase: FuzzCase
  readonly cause: unknown
  /** The `path` option that sends this request again. */
  readonly place: string
}

function messageOf({ operation, fuzzCase, cause, place }: Failure, session: Session): string {
  const { operationId, name, handler } = operation
  const { seed, options, link } = session
  const { kind, what, request } = fuzzCase
  const finding: Finding =
    cause instanceof Fault ? cause.finding : { kind: 'server-error', expected: 'a response' }
  const answered = cause instanceof Fault ? shownResponse(cause.response) : String(cause)
  const setting: RequestSetting = {
    headers: link.headers,
    own: options.headers ?? {},
    as: options.as,
  }
  return [
    `${name} (${operationId}, ${handler}) fails for a request of the kind ${kind}${what === '' ? '' : ` (${what})`}.`,
    `  expected: ${finding.expected}`,
    `  received: ${answered}`,
    `  replay:   app.fuzz({ seed: ${seed}, path: ${JSON.stringify(place)} })`,
    ...adviceOf(finding, operationId),
    '',
    curlOf(request, setting),
    '',
    snippetOf(request, setting, finding),
  ].join('\n')
}

/** The request ID is left out, so that the same seed prints the same text. */
function shownResponse({ status, body }: FuzzResponse): string {
  const stable = body.replace(/,"requestId":"[^"]*"/, '')
  const text = stable.length > SHOWN ? `${stable.slice(0, SHOWN)}…` : stable
  return `${status} ${text}`.trimEnd()
}

function adviceOf({ kind }: Finding, operationId: string): string[] {
  if (kind !== 'stricter' && kind !== 'looser') return []
  const why =
    kind === 'stricter'
      ? 'The document is less exact than the validator.'
      : 'The validator accepts data that the document forbids.'
  return [
    `  → ${why} If this is intended, pass allow: { ${operationId}: '${kind}' }, or skip: ['${operationId}'].`,
  ]
}
