/**
 * Everything that a plugin, a store, a guard or a decorator of a package needs, and an application does not.
 *
 * @module blazon/plugin
 */
export type * from '../contracts/for-plugins.js'
export { TestJobs } from '../di/test-jobs.js'
export { UnderTest } from '../di/under-test.js'
export type { ConfigCode } from '../errors/codes.js'
export { formatProblem, type Problem } from '../errors/config-error.js'
export { statusOf } from '../errors/failure.js'
export { type OptionNames, refuseUnknown, unknownOptions } from '../errors/option-group.js'
export { type PeerUse, refuseOldPeer } from '../errors/peer-floor.js'
export { orStandIn } from '../errors/stand-in.js'
export type {
  IdempotencyClaim,
  IdempotencyStoreContext,
} from '../features/idempotency/idempotency-store.js'
export { type IdempotentRoute, idempotencyOf } from '../features/idempotency/idempotent.js'
export { type RequestFacts, requestFacts } from '../features/logs/request-facts.js'
export { blameRequest } from '../features/refused-values/blame-request.js'
export type { RefusedStatement } from '../features/refused-values/rules.js'
export {
  type RunningStatement,
  Statements,
  type StatementsConfig,
} from '../features/statements/statements.js'
export { TenantStates } from '../features/tenancy/tenant-states.js'
export { keySchemeOf } from '../http/auth-result.js'
export { type Caller, callerOf } from '../http/caller.js'
export { knownTraceContext, setTraceContext } from '../http/get-trace-context.js'
export { hasFailed } from '../http/has-failed.js'
export { keyIdOf, setKeyId } from '../http/key-id.js'
export { noteOf } from '../http/note-of.js'
export { producedType } from '../http/produced-type.js'
export { type HeldContent, type Hold, holdResponse } from '../http/send/hold-response.js'
export { replayResponse, type StoredResponse } from '../http/send/replay.js'
export { addHeaders } from '../http/send/response-headers.js'
export { tenantOf } from '../http/tenant-of.js'
export { toBytes, toSeconds } from '../http/units.js'
export { type Work, WorkContext } from '../http/work-context.js'
export { isSecretName } from '../schema/secret-name.js'
export { Refusal } from '../step/refusal.js'
export { isThenable } from '../step/thenable.js'
