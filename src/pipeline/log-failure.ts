import type { Logger } from '../contracts/logger.js'
import type { TenantScope } from '../contracts/tenant.js'
import { kAbortController, kTenantScope } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { disown } from '../step/thenable.js'
import { requestIdOf } from './request-id.js'

/** What is said of a failure beside its request. */
interface FailureNote {
  /** Of the answer, or what it would have been. */
  readonly status: number
  /** Default: that the request failed. */
  readonly message?: string
}

/** Tells the log of an error, once for each request. Never throws. */
export type LogFailure = (error: unknown, req: BlazonRequest, note: FailureNote) => void

/** Makes the one function that tells an application's log of errors of requests. */
export function createFailureLog(logger: Logger): LogFailure {
  const logged = new WeakMap<BlazonRequest, Set<unknown>>()
  return function logFailure(error, req, { status, message = 'The request failed' }) {
    const known = logged.get(req)
    if (known?.has(error)) return
    if (known === undefined) logged.set(req, new Set([error]))
    else known.add(error)
    try {
      if (isReasonOf(req, error)) return
      const returned: unknown = logger.error({ err: error, ...factsOf(req), status }, message)
      // One that writes asynchronously may reject.
      disown(returned)
    } catch {
      // The answer matters more than the log.
    }
  }
}

/**
 * Whether a handler throws what its signal has told it, or Node's `AbortError` of that: that its time is over, which has been logged,
 * that the client has gone, or that the application closes, which are no failures.
 */
function isReasonOf({ [kAbortController]: controller }: BlazonRequest, error: unknown): boolean {
  if (controller?.signal.aborted !== true) return false
  const { reason } = controller.signal
  try {
    return error === reason || (error as { readonly cause?: unknown } | null)?.cause === reason
  } catch {
    // A proxy that throws is somebody's failure.
    return false
  }
}

function factsOf(req: BlazonRequest): object {
  const { method, originalUrl: url } = req
  const route = patternOf(req)
  const requestId = requestIdOf(req)
  return {
    method,
    url,
    ...(route === undefined ? {} : { route }),
    ...(requestId === undefined ? {} : { requestId }),
    ...tenantFacts(req[kTenantScope]),
  }
}

/** An Express router leaves a route of its own there, whose path is only the end of one. */
function patternOf({ route }: Partial<BlazonRequest>): string | undefined {
  return route !== undefined && Object.hasOwn(route, 'controller') ? route.path : undefined
}

/** Whose request it was; or, where it may not act for that tenant, whose it said that it is. */
function tenantFacts({ id: tenant, claim: claimedTenant }: Partial<TenantScope> = {}): object {
  if (tenant !== undefined) return { tenant }
  return claimedTenant === undefined ? {} : { claimedTenant }
}
