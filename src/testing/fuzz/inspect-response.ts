import type { FuzzCase } from './fuzz-cases.js'
import type { FuzzAllowance } from './fuzz-options.js'
import { INJECTED } from './hostile-values.js'
import type { FuzzResponse } from './send-request.js'

/** The problem of a response. */
export interface Finding {
  readonly kind: 'server-error' | 'injection' | 'contract' | 'stricter' | 'looser' | 'hidden'
  readonly expected: string
}

/** Statuses that refuse the data of a request. */
const REFUSALS = [400, 413, 415, 422]

/** The settings of an operation. */
export interface InspectConfig {
  readonly allowed: readonly FuzzAllowance[]
  /** The status of requests that a schema rejects. */
  readonly validationStatus: number
}

/** Returns the problem of the response to a request; `undefined` when there is none. */
export function inspectResponse(
  { kind, what }: FuzzCase,
  { status, headers, violation }: FuzzResponse,
  { allowed, validationStatus }: InspectConfig,
): Finding | undefined {
  if (status >= 500) return { kind: 'server-error', expected: 'no error of the server' }
  if (INJECTED in headers) {
    return {
      kind: 'injection',
      expected: `no header ${INJECTED}, which a value of the request has added`,
    }
  }
  const isRefused = REFUSALS.includes(status) || status === validationStatus
  if (kind === 'valid' && isRefused && !allowed.includes('stricter')) {
    return { kind: 'stricter', expected: `not ${status}: the document calls this request valid` }
  }
  if (kind === 'hidden' && (status < 400 || isRefused)) {
    return { kind: 'hidden', expected: `403: the caller may not send ${what}` }
  }
  const isTaken = kind === 'invalid' && (status < 400 || status >= 500)
  if (isTaken && !allowed.includes('looser')) {
    return { kind: 'looser', expected: `4xx: the document does not allow ${what}` }
  }
  if (violation !== undefined) return { kind: 'contract', expected: violation.message }
  return undefined
}
