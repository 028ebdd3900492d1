import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Clock } from '../contracts/clock.js'
import type { Request, Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { EndedRequest, RequestObserver } from '../contracts/observers.js'
import type { EndCall, NewCall } from '../contracts/outgoing-call.js'
import type { ObserverSetup, Plugin } from '../contracts/plugin.js'
import { ConfigError, invalid } from '../errors/config-error.js'
import { ObservedRequest, type ObservedResponse } from '../http/observed-request.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { inScopeOf } from '../http/request-scopes.js'
import { kObserved } from '../http/symbol-fields.js'
import { hasTimedOut } from '../pipeline/deadlines.js'
import type { OnStep } from '../pipeline/observe-steps.js'
import type { ReportError } from '../pipeline/report-error.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { ignoreRejection, isThenable } from '../step/step.js'
import { beginEach, callEach } from './call-observers.js'
import {
  countBytesFrom,
  type ObservedSocket,
  observeUpgrades,
  sentBytes,
} from './observe-connections.js'
import { secretTextsOf } from './secret-texts-of.js'
import type { Settings } from './settings/settings.js'

/** The input of {@link collectObservers}. */
export interface ObserverConfig
  extends Omit<ObserverSetup, 'activeRequests' | 'secretsOf' | 'urlOf'> {
  readonly plugins: readonly Plugin[]
  readonly clock: Clock
  /** The request scopes; `null` if requests have none. */
  readonly scopes: RequestScopes | null
  readonly secrets: RequestSecrets
  readonly settings: Pick<Settings, 'auth'>
  /** The plugins of the test; empty outside tests. */
  readonly harness: { readonly plugins: readonly Plugin[] }
}

/**
 * Collects the plugins' observers of all requests. The method `requests` of each plugin is called once.
 *
 * @returns `null` if no plugin observes requests.
 * @throws ConfigError if a plugin returns something other than an observer.
 */
export function collectObservers(config: ObserverConfig): RequestObservers | null {
  const { get, logger, model, usesTenants, secrets } = config
  let observers: RequestObservers | null = null
  const activeRequests = () => observers?.active ?? 0
  const secretsOf = secretTextsOf(config.secrets, config.settings.auth.credentials)
  const urlOf = (req: Request) => secrets.hideInUrl(req.originalUrl || req.url, req)
  const setup = { get, logger, model, usesTenants, activeRequests, secretsOf, urlOf }
  const ofPlugins = config.plugins.map((plugin) => ({ plugin, ...observerOf(plugin, setup) }))
  const found: RequestObserver[] = ofPlugins
  const needs = {
    stacks: found.some(({ needsStacks }) => needsStacks === true),
    bodies: found.some(({ needsBodies }) => needsBodies === true),
    bytes: found.some(({ onEnd, needsBytes }) => onEnd !== undefined && needsBytes !== false),
    currentRequest: ofPlugins.some(
      ({ plugin, onStatement, needsRequests }) =>
        onStatement !== undefined &&
        needsRequests !== false &&
        !config.harness.plugins.includes(plugin),
    ),
  }
  const calls = {
    around: found.flatMap(({ around }) => around ?? []),
    onEnd: found.flatMap(({ onEnd }) => onEnd ?? []),
    onError: found.flatMap(({ onError }) => onError ?? []),
    onStep: found.flatMap(({ onStep }) => onStep ?? []),
    onDecision: found.flatMap(({ onDecision }) => onDecision ?? []),
    onStatement: found.flatMap(({ onStatement }) => onStatement ?? []),
    onCall: found.flatMap(({ onCall }) => onCall ?? []),
  }
  if (Object.values(calls).some(({ length }) => length > 0)) {
    observers = new RequestObservers({ ...calls, needs }, config)
  }
  return observers
}

/** The names of the functions that an observer can have. */
const CALLS: readonly Exclude<keyof ObserverCalls, 'needs'>[] = [
  'around',
  'onEnd',
  'onError',
  'onDecision',
  'onStatement',
  'onCall',
  'onStep',
]

function observerOf(plugin: Plugin, setup: ObserverSetup): RequestObserver | null {
  const observer: unknown = plugin.requests?.(setup) ?? null
  if (observer === null) return null
  const wrong = wrongCall(observer as RequestObserver)
  if (typeof observer === 'object' && !isThenable(observer) && wrong === null) return observer
  ignoreRejection(observer)
  const subject = `plugin '${plugin.name}', requests`
  const cause = wrong ?? 'It did not return an observer.'
  throw new ConfigError([invalid(subject, cause, `Return { ${CALLS.join(', ')} }, or null.`)])
}

/** Returns a sentence about a member of an observer that is not a function; `null` if all are functions. */
function wrongCall(observer: RequestObserver): string | null {
  for (const name of CALLS) {
    const call: unknown = observer[name]
    if (call !== undefined && typeof call !== 'function')
      return `Its ${name} is not a function, but a value of type ${typeof call}.`
  }
  return null
}

/** The functions of all observers. At least one list is not empty. */
interface ObserverCalls {
  readonly around: readonly NonNullable<RequestObserver['around']>[]
  readonly onEnd: readonly NonNullable<RequestObserver['onEnd']>[]
  readonly onError: readonly NonNullable<RequestObserver['onError']>[]
  readonly onStep: readonly NonNullable<RequestObserver['onStep']>[]
  readonly onDecision: readonly NonNullable<RequestObserver['onDecision']>[]
  readonly onStatement: readonly NonNullable<RequestObserver['onStatement']>[]
  readonly onCall: readonly NonNullable<RequestObserver['onCall']>[]
  readonly needs: ObserverNeeds
}

/** The data that observers need, besides their functions. */
export interface ObserverNeeds {
  /** Whether observers need the stack traces of statements. */
  readonly stacks: boolean
  /** Whether observers need the bodies of calls to other hosts. */
  readonly bodies: boolean
  /** Whether observers need the number of bytes sent for each request. */
  readonly bytes: boolean
  /** Whether an observer that is not part of a test needs the request in an async context. */
  readonly currentRequest: boolean
}

/** Runs a request. The function calls `next` once, before it returns. */
export type Around = (req: BlazonRequest, next: () => void) => void

/** Observes each request of an application until it ends, and then calls each `onEnd` once. */
export class RequestObservers {
  /** The number of running requests. */
  active = 0
  /** Calls the observers of steps; `null` if there are none. Never throws. */
  readonly onStep: OnStep | null
  /** Calls the observers of errors; `null` if there are none. Never throws. */
  readonly onError: ReportError | null
  /** Runs a request inside the observers that wrap requests; `null` if there are none. */
  readonly around: Around | null
  /** Calls the observers of statements; `null` if there are none. Never throws. */
  readonly onStatement: NonNullable<RequestObserver['onStatement']> | null
  /** Calls the observers of calls to other hosts; `null` if there are none. Never throws. */
  readonly onCall: ((call: NewCall) => EndCall | null) | null
  readonly needs: ObserverNeeds
  readonly #call: (ended: EndedRequest) => void
  /** Calls the observers of decisions; `null` if there are none. */
  readonly #onDecision: NonNullable<RequestObserver['onDecision']> | null
  readonly #clock: Clock
  readonly #scopes: RequestScopes | null
  readonly #logger: Logger

  /**
   * @param calls The functions of all observers.
   * @param config The parts of the application that observing depends on.
   */
  constructor(calls: ObserverCalls, { clock, scopes, logger }: ObserverConfig) {
    const { around, onEnd, onError, onStep, onDecision, onStatement, onCall } = calls
    const fail = this.#fail
    const reportError = callEach(onError, fail)
    this.#call = callEach(onEnd, fail) ?? (() => {})
    this.#onDecision = callEach(onDecision, fail)
    this.needs = calls.needs
    this.onStep = callEach(onStep, fail)
    this.onError =
      reportError === null ? null : (error, contextOf) => reportError(error, contextOf())
    this.around = around.reduceRight<Around | null>(
      (inner, call) => surround(call, inner, fail),
      null,
    )
    this.onStatement = callEach(onStatement, fail)
    this.onCall = beginEach(onCall, fail)
    this.#clock = clock
    this.#scopes = scopes
    this.#logger = logger
  }

  /**
   * Records the start of a request. If the request is later passed on to the host of the application,
   * {@link RequestObservers.forget} undoes this.
   */
  readonly begin = (req: BlazonRequest, res: ObservedResponse): void => {
    this.active += 1
    const observed = new ObservedRequest(req, res, this.#clock)
    const take = this.#onDecision
    observed.outer = res[kObserved]
    observed.onOver = this.#end
    if (take !== null) observed.note = (decision) => take(req, decision)
    if (this.needs.bytes) countBytesFrom(req.socket as ObservedSocket | null)
    res[kObserved] = observed
    // A listener would prevent Node from writing the response head and body in one call. It would also run too late:
    // Node first detaches the connection and sends the next response.
    if (observed.outer !== undefined) {
      observed.emit = observed.outer.emit
      observed.hasHostEmit = observed.outer.hasHostEmit
      return
    }
    const { emit } = res
    observed.emit = emit
    observed.hasHostEmit = emit !== nodeEmit && Object.hasOwn(res, 'emit')
    res.emit = emitObserved
  }

  /** Stops observing a request that is passed on to the host of the application. */
  forget(res: ObservedResponse): void {
    const { [kObserved]: observed } = res
    if (observed?.onOver !== this.#end) return
    this.active -= 1
    if (observed.outer !== undefined) {
      res[kObserved] = observed.outer
      return
    }
    delete res[kObserved]
    if (observed.hasHostEmit) res.emit = observed.emit as Response['emit']
    else Reflect.deleteProperty(res, 'emit')
  }

  /**
   * Records a response to input that Node's parser could not read.
   *
   * @param text The whole response.
   * @param res The response whose request was malformed; `null` if the parser found no request.
   */
  refused(text: string, res: ObservedResponse | null): void {
    const status = Number(text.slice('HTTP/1.1 '.length, 12))
    let known = res?.[kObserved]
    if (known !== undefined) {
      for (; known !== undefined; known = known.outer) known.refusedWith = status
      return
    }
    const observed = new ObservedRequest(null, null, this.#clock)
    observed.status = status
    observed.outcome = 'sent'
    observed.cause = 'parser'
    observed.bytes = Buffer.byteLength(text)
    this.#notify(observed)
  }

  /** Observes `upgrade` and `CONNECT` requests. */
  watch(server: Server): void {
    observeUpgrades(server, {
      start: (req) => new ObservedRequest(req as BlazonRequest, null, this.#clock),
      end: (observed) => {
        observed.durationMs = this.#clock.monotonic() - observed.beganAt
        this.#notify(observed)
      },
    })
  }

  readonly #end = (observed: ObservedRequest, bytes: number): void => {
    this.active -= 1
    observed.note = undefined
    const { req, res, refusedWith } = observed
    observed.durationMs = this.#clock.monotonic() - observed.beganAt
    observed.bytes = bytes
    const isFinished = res?.writableFinished === true
    observed.status =
      refusedWith ?? (res !== null && isSent(res, isFinished) ? res.statusCode : null)
    if (refusedWith !== null || isFinished) observed.outcome = 'sent'
    if (refusedWith !== null) observed.cause = 'parser'
    else if (hasTimedOut(req as BlazonRequest)) {
      observed.outcome = 'timeout'
      observed.cause = 'timeout'
    }
    this.#notify(observed)
  }

  #notify(ended: ObservedRequest): void {
    const scopes = this.#scopes
    ended.isEnding = true
    if (scopes === null || ended.req === null) this.#call(ended)
    else inScopeOf(scopes, ended.req as BlazonRequest, () => this.#call(ended))
    ended.isEnding = false
  }

  readonly #fail = (err: unknown): void => {
    try {
      ignoreRejection(this.#logger.error({ err }, 'A request observer failed'))
    } catch {
      // The process must continue even if the logger fails.
    }
  }
}

/** Allows an observer to wrap requests, and ensures that `next` is called exactly once. */
function surround(
  call: NonNullable<RequestObserver['around']>,
  inner: Around | null,
  fail: (error: unknown) => void,
): Around {
  return function runInside(req, next) {
    let isPassed = false
    let isInside = false
    const pass = () => {
      if (isPassed) return
      isPassed = isInside = true
      if (inner === null) next()
      else inner(req, next)
      isInside = false
    }
    try {
      call(req, pass)
    } catch (error) {
      // The error of the request itself is not the observer's error.
      if (isInside) throw error
      fail(error)
    }
    pass()
  }
}

const { emit: nodeEmit } = EventEmitter.prototype

/**
 * The `emit` of an observed response. At the end of the response, it first ends the observed requests, and then calls
 * the listeners.
 */
function emitObserved(this: ObservedResponse, event: string | symbol, ...args: unknown[]): boolean {
  const { [kObserved]: innermost } = this
  if (innermost?.isOver === false && (event === 'finish' || event === 'close')) {
    const bytes = sentBytes(this.req.socket as ObservedSocket | null)
    for (
      let observed: ObservedRequest | undefined = innermost;
      observed;
      observed = observed.outer
    ) {
      observed.isOver = true
      observed.onOver?.(observed, bytes)
    }
  }
  // The method was stored when the request began. Reading it from the class took 150 instructions for each event,
  // counted in a loop on Node 20 (whole requests: `bench:features -- --count --only metrics`).
  const emit = innermost?.emit ?? (Object.getPrototypeOf(this) as Response).emit
  return args.length === 0 ? emit.call(this, event) : emit.call(this, event, ...args)
}

/**
 * Whether a part of the response was sent. A response that is waiting for an earlier response has no connection yet.
 */
function isSent({ headersSent, socket }: Response, isFinished: boolean): boolean {
  return headersSent && (isFinished || socket !== null)
}
