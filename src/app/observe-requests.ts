import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../contracts/clock.js'
import type { Decision } from '../contracts/decision.js'
import type { EndedRequest, RequestObserver } from '../contracts/ended-request.js'
import type { Request, Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { ObserverSetup, Plugin } from '../contracts/plugin.js'
import { ConfigError } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { ObservedRequest, type ObservedResponse } from '../http/observed-request.js'
import { kObserved, kSentBytes } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { hasTimedOut } from '../pipeline/deadlines.js'
import type { OnStep } from '../pipeline/observe-steps.js'
import type { RequestSecrets } from '../pipeline/request-secrets.js'
import { inScopeOf } from '../pipeline/scoped-errors.js'
import { ignoreRejection, isThenable, whenSettled } from '../step/thenable.js'
import { observeUpgrades } from './observe-upgrades.js'
import { secretTextsOf } from './secret-texts-of.js'
import type { Settings } from './settings/settings.js'

/** The input of {@link collectObservers}. */
export interface ObserverConfig extends Omit<ObserverSetup, 'activeRequests' | 'secretsOf'> {
  readonly plugins: readonly Plugin[]
  readonly clock: Clock
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  readonly secrets: RequestSecrets
  readonly settings: Pick<Settings, 'auth'>
  /** The plugins of the test, if there is one. */
  readonly harness: { readonly plugins: readonly Plugin[] }
}

/** A connection, with the number of bytes it had sent when its last observed request was over. */
export interface ObservedSocket extends Socket {
  [kSentBytes]?: number
}

/**
 * Asks the plugins for observers of all requests. Each plugin is asked once.
 *
 * @returns `null` if no plugin observes requests.
 * @throws ConfigError if a plugin returns something else than an observer.
 */
export function collectObservers(config: ObserverConfig): RequestObservers | null {
  const { get, logger, model, usesTenants } = config
  let observers: RequestObservers | null = null
  const activeRequests = () => observers?.active ?? 0
  const secretsOf = secretTextsOf(config.secrets, config.settings.auth.credentials)
  const setup: ObserverSetup = { get, logger, model, usesTenants, activeRequests, secretsOf }
  const ofPlugins = config.plugins.map((plugin) => ({ plugin, ...observerOf(plugin, setup) }))
  const found: RequestObserver[] = ofPlugins
  const needs = {
    stacks: found.some(({ needsStacks }) => needsStacks === true),
    currentRequest: ofPlugins.some(
      ({ plugin, onStatement }) =>
        onStatement !== undefined && !config.harness.plugins.includes(plugin),
    ),
  }
  const calls = {
    onEnd: found.flatMap((observer) => observer.onEnd ?? []),
    onStep: found.flatMap((observer) => observer.onStep ?? []),
    onDecision: found.flatMap((observer) => observer.onDecision ?? []),
    onStatement: found.flatMap((observer) => observer.onStatement ?? []),
  }
  if (Object.values(calls).some((each) => each.length > 0)) {
    observers = new RequestObservers({ ...calls, needs }, config)
  }
  return observers
}

function observerOf(plugin: Plugin, setup: ObserverSetup): RequestObserver | null {
  const observer: unknown = plugin.requests?.(setup) ?? null
  if (observer === null) return null
  const wrong = wrongCall(observer as RequestObserver)
  if (typeof observer === 'object' && !isThenable(observer) && wrong === null) return observer
  ignoreRejection(observer)
  const subject = `plugin '${plugin.name}', requests`
  const cause = wrong ?? 'It returned no observer.'
  throw new ConfigError([
    invalid(subject, cause, 'Return { onEnd, onStep, onDecision, onStatement }, or null.'),
  ])
}

/** Says which function of an observer is none; `null` if all are functions or left out. */
function wrongCall({ onEnd, onStep, onDecision, onStatement }: RequestObserver): string | null {
  const calls: Record<string, unknown> = { onEnd, onStep, onDecision, onStatement }
  for (const [name, call] of Object.entries(calls)) {
    if (call !== undefined && typeof call !== 'function') return `Its ${name} is ${typeof call}.`
  }
  return null
}

/** The functions of all observers. At least one list has one. */
interface ObserverCalls {
  readonly onEnd: readonly NonNullable<RequestObserver['onEnd']>[]
  readonly onStep: readonly NonNullable<RequestObserver['onStep']>[]
  readonly onDecision: readonly NonNullable<RequestObserver['onDecision']>[]
  readonly onStatement: readonly NonNullable<RequestObserver['onStatement']>[]
  readonly needs: ObserverNeeds
}

/** What observers need besides their calls. */
export interface ObserverNeeds {
  /** The stacks of statements. */
  readonly stacks: boolean
  /** An async context with the request, for an observer that is no part of the test. */
  readonly currentRequest: boolean
}

/** Follows each request of an application to its end, and then calls the observers once. */
export class RequestObservers {
  /** How many requests have begun and are not over. */
  active = 0
  /** Calls the observers of steps; `null` if there are none. Never throws. */
  readonly onStep: OnStep | null
  /** Calls the observers of statements; `null` if there are none. Never throws. */
  readonly onStatement: NonNullable<RequestObserver['onStatement']> | null
  readonly needs: ObserverNeeds
  readonly #calls: ObserverCalls['onEnd']
  readonly #onDecision: ObserverCalls['onDecision']
  readonly #clock: Clock
  readonly #scopes: RequestScopes | null
  readonly #logger: Logger

  /**
   * @param calls The functions of all observers.
   * @param config The parts of the application that observing depends on.
   */
  constructor(calls: ObserverCalls, { clock, scopes, logger }: ObserverConfig) {
    const { onEnd, onStep, onDecision, onStatement } = calls
    this.#calls = onEnd
    this.#onDecision = onDecision
    this.needs = calls.needs
    this.onStep =
      onStep.length === 0 ? null : (req, step) => this.#each(onStep, (call) => call(req, step))
    this.onStatement =
      onStatement.length === 0
        ? null
        : (statement) => this.#each(onStatement, (call) => call(statement))
    this.#clock = clock
    this.#scopes = scopes
    this.#logger = logger
  }

  /** Notes the start of a request whose response belongs to the application. */
  readonly begin = (req: BlazonRequest, res: ObservedResponse): void => {
    this.active += 1
    const observed = new ObservedRequest(req, res, this.#now())
    observed.outer = res[kObserved]
    observed.onOver = this.#end
    if (this.#onDecision.length > 0) observed.note = (decision) => this.#decided(req, decision)
    res[kObserved] = observed
    // A listener would keep the head of the response from being written in one call, and Node would detach the
    // connection, and send the next response, before the listener runs.
    if (observed.outer !== undefined) {
      observed.hostEmit = observed.outer.hostEmit
      return
    }
    if (Object.hasOwn(res, 'emit')) observed.hostEmit = res.emit
    res.emit = emitObserved
  }

  /** Forgets a request that is passed on to the host of the application. */
  forget(res: ObservedResponse): void {
    const { [kObserved]: observed } = res
    if (observed?.onOver !== this.#end) return
    this.active -= 1
    if (observed.outer !== undefined) {
      res[kObserved] = observed.outer
      return
    }
    delete res[kObserved]
    if (observed.hostEmit !== undefined) res.emit = observed.hostEmit
    else Reflect.deleteProperty(res, 'emit')
  }

  /**
   * Notes a response to input that Node's parser could not read.
   *
   * @param text The whole response.
   * @param res The response whose request was broken; `null` if the parser has not found a request.
   */
  refused(text: string, res: ObservedResponse | null): void {
    const status = Number(text.slice('HTTP/1.1 '.length, 12))
    let known = res?.[kObserved]
    if (known !== undefined) {
      for (; known !== undefined; known = known.outer) known.refusedWith = status
      return
    }
    const observed = new ObservedRequest(null, null, { now: this.#clock.now(), monotonic: 0 })
    observed.status = status
    observed.outcome = 'sent'
    observed.cause = 'parser'
    observed.bytes = Buffer.byteLength(text)
    this.#notify(observed)
  }

  /** Observes the connections that listeners of `upgrade` and `connect` take. */
  watch(server: Server): void {
    observeUpgrades(server, {
      start: (req) => new ObservedRequest(req as BlazonRequest, null, this.#now()),
      end: (observed) => {
        observed.durationMs = this.#clock.monotonic() - observed.durationMs
        this.#notify(observed)
      },
    })
  }

  #now() {
    return { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
  }

  readonly #end = (observed: ObservedRequest, bytes: number): void => {
    this.active -= 1
    observed.note = undefined
    const { req, res, refusedWith } = observed
    const request = req as BlazonRequest
    observed.durationMs = this.#clock.monotonic() - observed.durationMs
    observed.bytes = bytes
    observed.status = refusedWith ?? (res !== null && isSent(res) ? res.statusCode : null)
    observed.outcome = refusedWith !== null || res?.writableFinished ? 'sent' : 'aborted'
    if (refusedWith !== null) observed.cause = 'parser'
    else if (hasTimedOut(request)) {
      observed.outcome = 'timeout'
      observed.cause = 'timeout'
    }
    this.#notify(observed)
  }

  #notify(ended: EndedRequest): void {
    if (this.#scopes === null || ended.req === null) return this.#call(ended)
    inScopeOf(this.#scopes, ended.req as BlazonRequest, () => this.#call(ended))
  }

  #call(ended: EndedRequest): void {
    this.#each(this.#calls, (call) => call(ended))
  }

  #decided(req: Request, decision: Decision): void {
    this.#each(this.#onDecision, (call) => call(req, decision))
  }

  #each<T>(calls: readonly T[], run: (call: T) => unknown): void {
    for (const call of calls) {
      try {
        const returned = run(call)
        if (isThenable(returned)) whenSettled(returned, () => {}, this.#fail)
      } catch (error) {
        this.#fail(error)
      }
    }
  }

  readonly #fail = (err: unknown): void => {
    try {
      ignoreRejection(this.#logger.error({ err }, 'An observer of requests failed'))
    } catch {
      // The process must go on even if the logger fails.
    }
  }
}

/** The `emit` of an observed response: ends its observed requests before any listener hears of the end. */
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
  const emit = innermost?.hostEmit ?? (Object.getPrototypeOf(this) as Response).emit
  return emit.call(this, event, ...args)
}

/** Whether a part of a response has left. One that waited for an earlier response never got the connection. */
function isSent({ headersSent, writableFinished, socket }: Response): boolean {
  return headersSent && (writableFinished || socket !== null)
}

/** Counts the bytes that a connection has sent since its last observed request. */
function sentBytes(socket: ObservedSocket | null): number {
  // On a serverless platform there may be no connection.
  const sent = socket?.bytesWritten ?? 0
  if (socket === null || !(sent > 0)) return 0
  const before = socket[kSentBytes] ?? 0
  socket[kSentBytes] = sent
  return sent - before
}
