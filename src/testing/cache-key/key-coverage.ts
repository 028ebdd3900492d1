import type { RouteModel } from '../../contracts/route-model.js'
import { callerOf, IDENTITIES } from '../../features/cache/caller.js'
import { CREDENTIALS, carriesBody, carriesCredentials } from '../../features/cache/request-key.js'
import type { BlazonRequest } from '../../http/request.js'
import { toSeconds } from '../../http/units.js'
import type { Stage } from '../../step/step.js'
import { disown, isThenable } from '../../step/thenable.js'
import type { UnnamedViolation } from '../contract/contract.js'
import { placeOfRead } from './place-of-read.js'
import { type InputPart, trackInputs } from './track-inputs.js'

/** Something that a handler has looked at and that its key does not contain. */
export interface UnkeyedRead {
  /** `query.sort` */
  readonly input: string
  /** `src/products.ts:12:20` */
  readonly place: string
}

/** How cached handlers are watched. */
export interface KeyCoverageConfig {
  /** The header of the tenant, which is in front of every key; `null` where none is. */
  readonly tenantHeader: string | null
  readonly report: (route: RouteModel, req: BlazonRequest, read: UnkeyedRead) => void
}

/** What HTTP itself asks for, and what names a request in logs: no answer is another one for these. */
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

/** A look at something, as the key or the handler takes it. */
type Covers = (part: InputPart, name: string) => boolean

/** Watches the handler of a cached route; `null` for one that is not. */
export function keyCoverageStage(route: RouteModel, config: KeyCoverageConfig): Stage | null {
  const { cache } = route
  if (cache === null || !(toSeconds(cache.ttl) as number)) return null
  return (next) =>
    function watchReads(req, res) {
      const covers = req.method === 'GET' || req.method === 'HEAD' ? coverageOf(route, req) : null
      if (covers === null) return next(req, res)
      const watch = new ReadWatch(covers, config.tenantHeader)
      watch.begin(req, (read) => {
        // What is read once the answer is on its way cannot be in it.
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
      // Without a value, the answer may be left to a callback.
      if (value !== undefined && value !== res) watch.end()
      return value
    }
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
    // What the framework and other packages look at by themselves is not the handler's.
    if (place === undefined) return
    this.#seen.add(input)
    report({ input, place })
  }
}

/** What the key of a request contains; `null` where it has none, and the answer is not cached. */
function coverageOf(route: RouteModel, req: BlazonRequest): Covers | null {
  const { key, shared: isShared = false } = route.cache ?? {}
  const caller = isShared ? null : callerOf(req, req.res)
  // An answer for somebody who cannot be told from others is not cached.
  if (caller === undefined) return null
  if (key === undefined) {
    if (carriesBody(req)) return null
    return isShared ? coversOf(['params', 'query']) : defaultCoverage(route, req, caller)
  }
  const covers = coverageOfKey(key, req)
  // Of one key, each user has an answer of its own.
  if (covers === null || isShared) return covers
  return (part, name) => (part === 'user' && caller !== null) || covers(part, name)
}

/** Path and query, and the caller, if there is one; requests with credentials that name nobody are not cached. */
function defaultCoverage({ isProtected }: RouteModel, req: BlazonRequest, caller: string | null) {
  if (caller !== null) return coversOf(['params', 'query', 'user'])
  if (isProtected) return null
  if (carriesCredentials(req)) return null
  const covers = coversOf(['params', 'query', 'cookies'])
  const isCredential: Covers = (part, name) => part === 'headers' && CREDENTIALS.includes(name)
  return ((part, name) => isCredential(part, name) || covers(part, name)) satisfies Covers
}

function coversOf(parts: readonly InputPart[]): Covers {
  return (part) => parts.includes(part)
}

/** What a key looks at is what it contains, as far as anybody can tell. */
function coverageOfKey(key: (req: BlazonRequest) => unknown, req: BlazonRequest): Covers | null {
  const seen = new Set<string>()
  const onRead = (part: InputPart, name: string) => {
    seen.add(`${part}.${part === 'headers' ? name.toLowerCase() : name}`)
    if (part === 'user' && IDENTITIES.includes(name)) seen.add('user.*')
  }
  const undo = trackInputs(req, { onRead, sumsUp: true, withUrl: true })
  try {
    const value = key(req)
    disown(value)
    if (typeof value !== 'string' || value === '') return null
  } catch {
    return null
  } finally {
    undo()
  }
  // What carries cookies carries each of them.
  if (seen.has('headers.cookie')) seen.add('cookies.*')
  return (part, name) => seen.has(`${part}.${name}`) || seen.has(`${part}.*`)
}

/** What is wrong with a read, for a report. */
export function unkeyed(handler: string, { input, place }: UnkeyedRead): UnnamedViolation {
  return {
    handler,
    status: 200,
    kind: 'cache-key',
    path: input,
    expected: 'to be in the key of @Cache',
    got: `a read at ${place}`,
    remedy: `Put it into the key, so that responses that differ by it have different keys: @Cache({ key: (req) => … }). Or do not read it.`,
  }
}
