/**
 * The exports that only plugins, stores, guards and decorators of packages need.
 *
 * @module blazon/plugin
 */
export type * from '../contracts/for-plugins.js'
export { TestJobs, UnderTest } from '../di/token.js'
export type { ConfigCode } from '../errors/codes.js'
export { formatProblem, type Problem } from '../errors/config-error.js'
export { statusOf } from '../errors/failure.js'
export { type OptionNames, refuseUnknown, unknownOptions } from '../errors/option-group.js'
export { loadPeer, type PeerUse, refuseOldPeer } from '../errors/peer-floor.js'
export { orStandIn } from '../errors/stand-in.js'
export { cacheOf } from '../features/cache/decorator.js'
export type {
  IdempotencyClaim,
  IdempotencyStoreContext,
} from '../features/idempotency/idempotency-store.js'
export { type IdempotentRoute, idempotencyOf } from '../features/idempotency/idempotent.js'
export { type RequestFacts, requestFacts } from '../features/logs/request-facts.js'
export { type RateLimitsOfRoute, rateLimitsOf } from '../features/rate-limit/decorator.js'
export { blameRequest } from '../features/refused-values/blame-request.js'
export type { RefusedStatement } from '../features/refused-values/rules.js'
export {
  type RunningStatement,
  Statements,
  type StatementsConfig,
} from '../features/statements/statements.js'
export { tenancyOf } from '../features/tenancy/tenant.js'
export { TenantStates } from '../features/tenancy/tenant-directory.js'
export { type Caller, callerOf } from '../http/caller.js'
export { type Work, WorkContext } from '../http/contexts.js'
export { noteOf } from '../http/observed-request.js'
export { producedType } from '../http/request-notes.js'
export { hasFailed, keyIdOf, keySchemeOf, setKeyId, tenantOf } from '../http/request-state.js'
export { type HeldContent, type Hold, holdResponse } from '../http/send/hold-response.js'
export { replayResponse, type StoredResponse } from '../http/send/replay.js'
export { addHeaders } from '../http/send/response-headers.js'
export { knownTraceContext, setTraceContext } from '../http/trace-context.js'
export { toBytes, toSeconds } from '../http/units.js'
export { isSecretName } from '../schema/secret-name.js'
export { Refusal } from '../step/refusal.js'
export { isThenable } from '../step/step.js'
