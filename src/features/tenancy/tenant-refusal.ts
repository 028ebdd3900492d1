import type { ErrorCode } from '../../errors/codes.js'
import { Refusal } from '../../step/refusal.js'

/** The codes of the refusals of tenancy. */
type TenantCode = Extract<
  ErrorCode,
  | 'TENANT_REQUIRED'
  | 'TENANT_INVALID'
  | 'TENANT_MISMATCH'
  | 'TENANT_FORBIDDEN'
  | 'TENANT_SUSPENDED'
  | 'TENANT_UNKNOWN'
>

const STATUS: Readonly<Record<TenantCode, number>> = {
  TENANT_REQUIRED: 400,
  TENANT_INVALID: 400,
  TENANT_MISMATCH: 403,
  TENANT_FORBIDDEN: 403,
  TENANT_SUSPENDED: 403,
  TENANT_UNKNOWN: 404,
}

/** Creates the refusal of a request because of its tenant. Its `error` has no stack, so it may also be thrown. */
export function tenantRefusal(code: TenantCode, message: string): Refusal {
  return Refusal.of(STATUS[code], message, { code })
}
