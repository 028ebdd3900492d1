import type { RouteModel } from '../../contracts/route-model.js'
import { isCached } from '../../features/cache/build-cache.js'
import { cacheOf } from '../../features/cache/decorator.js'
import { CREDENTIALS, carriesBody, credentialFinder } from '../../features/cache/request-key.js'
import { callerOf, IDENTITIES } from '../../http/caller.js'
import type { BlazonRequest } from '../../http/request.js'
import { ignoreRejection, isThenable, type StepFactory } from '../../step/step.js'
import type { UnnamedViolation } from '../contract/contract.js'
import { userPlaceIn } from '../user-place.js'
import { type InputPart, trackInputs } from './track-inputs.js'

/** A request value that the handler reads but the cache key does not contain. */
export interface UnkeyedRead {
  /** The value: `query.sort`. */
  readonly input: string
  /** The line that reads the value: `src/products.ts:12:20`. */
  readonly place: string
}

/** The settings of the check. */
export interface KeyCoverageConfig {
  /** The tenant header, whose value is part of every key; `null` if the application does not use one. */
  readonly tenantHeader: string | null
  /** The headers of `auth.credentials`, in lower case. */
  readonly credentials: readonly string[]
  readonly report: (route: RouteModel, req: BlazonRequest, read: UnkeyedRead) => void
}

/** Headers of HTTP itself, and request IDs for logs. Responses do not depend on these headers. */
const NO_INPUTS: readonly string[] = [
  'accept-encoding',
  'baggage',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'pragma',
  'range',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'x-correlation-id',
  'x-request-id',
]

/** Whether the key contains a value of the request. */
type Covers = (part: InputPart, name: string) => boolean

/** Creates the stage that watches the handler of a cached route; `null` for other routes. */
export function keyCoverageStage(route: RouteModel, config: KeyCoverageConfig): StepFactory | null {
  if (!isCached(route)) return null
  return (next) =>
    function watchReads(req, res) {
      const isQuery = route.method === 'QUERY'
      const isRead = isQuery || req.method === 'GET' || req.method === 'HEAD'
      const ofKey = isRead ? coverageOf(route, req, config) : null
      if (ofKey === null) return next(req, res)
      const covers = isQuery ? withBody(ofKey) : ofKey
      const watch = new ReadWatch(covers, config.tenantHeader)
      watch.begin(req, (read) => {
        // A read after the headers have been sent can no longer affect the response.
        if (!res.headersSent) config.report(route, req, read)
      })
      let value: unknown
      try {
        value = next(req, res)
      } catch (error) {
        watch.end()
        throw error
      }
      if (isThenable(value)) return Promise.resolve(value).finally(() => watch.end())
      // Without a return value, a callback can still send the response.
      if (value !== undefined && value !== res) watch.end()
      return value
    }
}

/** Every key of a `QUERY` contains the body. */
function withBody(covers: Covers): Covers {
  return (part, name) => (part === 'req' && name === 'body') || covers(part, name)
}

class ReadWatch {
  readonly #covers: Covers
  readonly #tenantHeader: string | null
  readonly #seen: Set<string> = new Set()
  #isOver = false

  constructor(covers: Covers, tenantHeader: string | null) {
    this.#covers = covers
    this.#tenantHeader = tenantHeader
  }

  begin(req: BlazonRequest, report: (read: UnkeyedRead) => void): void {
    const onRead = (part: InputPart, given: string) => {
      const name = part === 'headers' ? given.toLowerCase() : given
      if (!this.#isOver && !this.#isCovered(part, name)) this.#find(`${part}.${name}`, report)
    }
    trackInputs(req, { onRead, sumsUp: false, withUrl: false })
  }

  end(): void {
    this.#isOver = true
  }

  #isCovered(part: InputPart, name: string): boolean {
    const isNoInput = name === this.#tenantHeader || NO_INPUTS.includes(name)
    return (part === 'headers' && isNoInput) || this.#covers(part, name)
  }

  #find(input: string, report: (read: UnkeyedRead) => void): void {
    if (this.#seen.has(input)) return
    const place = placeOfRead()
    // Ignore reads by the framework and by packages, which are not reads by the handler.
    if (place === undefined) return
    this.#seen.add(input)
    report({ input, place })
  }
}

/** Returns a function that checks whether a request's key contains an input; `null` if the response is not cached. */
function coverageOf(
  route: RouteModel,
  req: BlazonRequest,
  { credentials }: Pick<KeyCoverageConfig, 'credentials'>,
): Covers | null {
  const { key, shared: isShared = false } = cacheOf(route) ?? {}
  const caller = isShared ? null : callerOf(req, req.res)
  // A response for a caller without an identity is not cached.
  if (caller === undefined) return null
  if (key === undefined) {
    if (route.method !== 'QUERY' && carriesBody(req)) return null
    if (isShared) return coversOf(['params', 'query'])
    if (caller !== null) return coversOf(['params', 'query', 'user'])
    return route.isProtected ? null : anonymousCoverage(req, credentials)
  }
  const covers = coverageOfKey(key, req)
  // Even with a key function, each caller has separate entries.
  if (covers === null || isShared) return covers
  return (part, name) => (part === 'user' && caller !== null) || covers(part, name)
}

/**
 * The coverage of the default key for a request without a known caller. A request with credentials is not cached, so a
 * handler is allowed to read the places of credentials, which are empty.
 */
function anonymousCoverage(req: BlazonRequest, credentials: readonly string[]): Covers | null {
  if (credentialFinder(credentials)(req)) return null
  const covers = coversOf(['params', 'query', 'cookies'])
  const names = [...CREDENTIALS, ...credentials]
  return (part, name) => (part === 'headers' && names.includes(name)) || covers(part, name)
}

function coversOf(parts: readonly InputPart[]): Covers {
  return (part) => parts.includes(part)
}

/** Runs the key function and assumes that the key contains everything that the function reads. */
function coverageOfKey(key: (req: BlazonRequest) => unknown, req: BlazonRequest): Covers | null {
  const seen = new Set<string>()
  const onRead = (part: InputPart, name: string) => {
    seen.add(`${part}.${part === 'headers' ? name.toLowerCase() : name}`)
    if (part === 'user' && IDENTITIES.includes(name)) seen.add('user.*')
  }
  const undo = trackInputs(req, { onRead, sumsUp: true, withUrl: true })
  try {
    const value = key(req)
    ignoreRejection(value)
    if (typeof value !== 'string' || value === '') return null
  } catch {
    return null
  } finally {
    undo()
  }
  // The header `Cookie` contains all cookies.
  if (seen.has('headers.cookie')) seen.add('cookies.*')
  return (part, name) => seen.has(`${part}.${name}`) || seen.has(`${part}.*`)
}

/** Describes a read as a contract violation. */
export function unkeyed(handler: string, { input, place }: UnkeyedRead): UnnamedViolation {
  return {
    handler,
    status: 200,
    kind: 'cache-key',
    path: input,
    expected: 'to be in the key of @Cache',
    got: `a read at ${place}`,
    remedy: `Add this input to the key, so that different values have different cached responses: @Cache({ key: (req) => … }). Or do not read it.`,
  }
}

const DEPTH = 60

/**
 * Returns the line of user code that is running, such as `src/products.ts:12:20`; `undefined` if no frame is user code.
 */
function placeOfRead(): string | undefined {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = DEPTH
  const { stack = '' } = new Error('read')
  Error.stackTraceLimit = before
  return userPlaceIn(stack) ?? undefined
}
