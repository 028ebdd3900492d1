import type { StoreContext } from '../../contracts/cache.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { RateLimitCount, RateLimitResult, RateLimitStore } from '../../contracts/rate-limit.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import type { Clock } from '../../di/token.js'
import { noteOf } from '../../http/observed-request.js'
import { addHeaders } from '../../http/send/response-headers.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable } from '../../step/step.js'
import { type ClientKey, clientKey, unmatchedClientKey } from './client-key.js'
import { memoryRateLimit } from './memory-rate-limit.js'
import { type PlannedLimit, placeLimits, planLimits } from './plan-limits.js'
import type { RateLimitSettings } from './rate-limit-options.js'

/** The limits of a running application. */
export interface RunningLimits {
  /** The limits for requests without a route. They run before the 404 or 405 response is sent. */
  readonly unmatched: StepFactory | null
  /** Returns the steps for a route; `null` if the route needs no step. */
  readonly steps: (route: RouteModel) => LimitStages | null
  close(): Promise<void>
}

/**
 * `ipRateLimit` contains the limits by address, which run before the guard. `userRateLimit` contains the limits that
 * need the user, the tenant or the API key, or whose `by` is a function. These limits run after the guard.
 */
export interface LimitStages {
  readonly ipRateLimit: StepFactory | null
  readonly userRateLimit: StepFactory | null
}

/** The input of {@link startLimits} besides the settings. */
export interface LimitsConfig extends StoreContext {
  readonly model: AppModel
  /** Wraps the stage of each limit. */
  readonly wrapLimit: (limit: StepFactory) => StepFactory
}

/** Opens the store and creates the stages. The module is loaded only if an application has limits. */
export async function startLimits(
  settings: RateLimitSettings,
  { model, wrapLimit, ...context }: LimitsConfig,
): Promise<RunningLimits> {
  const { ofApp, ofRoutes } = planLimits(settings, model)
  const { logger } = context
  const opened = settings.store ?? memoryRateLimit()
  await opened.open?.(context)
  const store = settings.store === null ? opened : withFallback(settings.store, context)
  // There is one stage per limit instead of one per route, so that a warning is logged only once for each limit.
  const stages = new Map<PlannedLimit, StepFactory>()
  const stageOf = (limit: PlannedLimit) => {
    const stage =
      stages.get(limit) ??
      wrapLimit(limitStage(limit, { store, clientKey: clientKey(limit, logger) }))
    stages.set(limit, stage)
    return stage
  }
  return {
    unmatched: inTurn(
      ofApp.map((limit) =>
        wrapLimit(limitStage(limit, { store, clientKey: unmatchedClientKey(limit, logger) })),
      ),
    ),
    steps({ index }) {
      const limits = ofRoutes[index] ?? []
      if (limits.length === 0) return null
      const { ipRateLimit, userRateLimit } = placeLimits(limits)
      return {
        ipRateLimit: inTurn(ipRateLimit.map(stageOf)),
        userRateLimit: inTurn(userRateLimit.map(stageOf)),
      }
    },
    close: async () => opened.close?.(),
  }
}

/** Joins limits into one stage. If a limit refuses a request, later limits do not count the request. */
function inTurn(limits: readonly StepFactory[]): StepFactory | null {
  if (limits.length === 0) return null
  return (next) => limits.reduceRight((run, limit) => limit(run), next)
}

interface LimitParts {
  readonly store: RateLimitStore
  readonly clientKey: ClientKey
}

/**
 * Creates the stage of one limit. Its step counts the request, sends the remaining quota in headers
 * (draft-ietf-httpapi-ratelimit-headers), and refuses the request with a 429 response if the limit is exceeded.
 */
function limitStage(planned: PlannedLimit, { store, clientKey }: LimitParts): StepFactory {
  const { name, limit, windowMs, by } = planned
  const policy = `"${name}";q=${limit};w=${windowMs / 1000}`
  const left = `"${name}";r=`
  const key = typeof by === 'function' ? 'own' : by
  const counted = { policy: name, limit, windowMs, key }
  const refusalFor = (result: RateLimitResult, req: Request, res: Response): Refusal | null => {
    // A remote store may respond after the window has ended, so `resetMs` may be negative.
    const seconds = Math.max(0, Math.ceil(result.resetMs / 1000))
    const rest = `${left}${Math.max(0, result.remaining)};t=${seconds}`
    addHeaders(res, ['RateLimit-Policy', policy, 'RateLimit', rest])
    const verdict = result.isAllowed ? 'counted' : 'refused'
    noteOf(req)?.({ by: 'limit', verdict, facts: { ...counted, remaining: result.remaining } })
    return result.isAllowed ? null : tooMany(seconds)
  }
  return function stageLimit(next) {
    return function limitRequest(req, res) {
      const result = store.consume({ key: clientKey(req), limit, windowMs })
      if (isThenable(result)) {
        return result.then((later) => refusalFor(later, req, res) ?? next(req, res))
      }
      return refusalFor(result, req, res) ?? next(req, res)
    }
  }
}

function tooMany(seconds: number): Refusal {
  const headers = { 'Retry-After': String(seconds) }
  const message = `Too many requests; try again in ${seconds} s`
  return Refusal.of(429, message, { headers })
}

/** The minimum time between two log lines about the same failing store, in milliseconds. */
const LOG_INTERVAL_MS = 60_000
/**
 * The maximum time to wait for the store, in milliseconds. A request without a route has no deadline, so the wait needs
 * its own limit.
 */
const MAX_WAIT_MS = 5000

/**
 * Wraps a store. If the store fails, requests are counted in the memory of this process, because a broken store must
 * neither refuse all requests nor allow all of them. A store that follows the contract never fails. This wrapper is for
 * other stores.
 */
function withFallback(store: RateLimitStore, context: StoreContext): RateLimitStore {
  const fallbackStore = memoryRateLimit()
  fallbackStore.open?.(context)
  const { clock, logger } = context
  let nextLogAt = 0
  const instead = (count: RateLimitCount, err: unknown) => {
    if (clock.monotonic() >= nextLogAt) {
      nextLogAt = clock.monotonic() + LOG_INTERVAL_MS
      logger.error({ err }, 'The rate limit store failed; requests are counted in this process')
    }
    return fallbackStore.consume(count)
  }
  const read = (result: unknown, count: RateLimitCount) =>
    isResult(result)
      ? result
      : instead(count, new TypeError('The store returned no RateLimitResult'))
  return {
    consume(count) {
      try {
        const result: unknown = store.consume(count)
        if (!isThenable(result)) return read(result, count)
        return inTime(result, clock).then(
          (later) => read(later, count),
          (err) => instead(count, err),
        )
      } catch (err) {
        return instead(count, err)
      }
    },
  }
}

/** Rejects if the promise has not settled after `MAX_WAIT_MS`. */
function inTime(result: PromiseLike<unknown>, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`No response within ${MAX_WAIT_MS} ms`))
    const timer = clock.setTimeout(giveUp, MAX_WAIT_MS)
    result.then(
      (value) => {
        timer.cancel()
        resolve(value)
      },
      (error) => {
        timer.cancel()
        reject(error)
      },
    )
  })
}

function isResult(value: unknown): value is RateLimitResult {
  if (typeof value !== 'object' || value === null) return false
  const { isAllowed, remaining, resetMs } = value as Record<string, unknown>
  return typeof isAllowed === 'boolean' && Number.isFinite(remaining) && Number.isFinite(resetMs)
}
