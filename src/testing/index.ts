/**
 * Applications under test: requests without a port, contract checks, fuzzing and tests of tenant isolation.
 *
 * @module blazon/testing
 */

export type { ContractViolation, ViolationKind } from '../contracts/contract-violation.js'
export type { AnsweredStatement, StatementFailure } from '../contracts/database.js'
export type { AnswerCall, CallAnswer, CallToAnswer } from '../contracts/outgoing-call.js'
export { UnansweredStatementError } from './answers.js'
export type {
  Access,
  AuthMatrix,
  AuthMatrixOptions,
  AuthMatrixRow,
  Principal,
} from './auth-matrix.js'
export { ContractError } from './contract/contract.js'
export type {
  CoverageCount,
  CoverageReport,
  CoverageThreshold,
  OperationCoverage,
} from './contract/contract-coverage.js'
export { ContractCoverage } from './contract/contract-coverage.js'
export type {
  FuzzAllowance,
  FuzzedOperation,
  FuzzOptions,
  FuzzReport,
} from './fuzz/fuzz-options.js'
export type { IsolationCaller, IsolationOptions } from './isolation/isolation-options.js'
export type {
  IsolationLeak,
  IsolationLeakKind,
  IsolationReport,
  IsolationRow,
  IsolationVerdict,
} from './isolation/isolation-report.js'
export type { CapsuleUse, OpenCapsule } from './open-capsule.js'
export { openCapsule } from './open-capsule.js'
export type { OperationQueries } from './query-budget.js'
export { QueryBudgetError } from './query-budget.js'
export { UnansweredCallError } from './refused-connections.js'
export type { ReplayOptions, ReplayReport } from './replay-writes.js'
export { TestApp } from './test-app.js'
export type { TestCaller } from './test-caller.js'
export type { TestClock } from './test-clock.js'
export type { Explanation } from './test-failures.js'
export type { LogEntry } from './test-log.js'
export type { CoverageOptions, QueryOptions, TestOptions } from './test-options.js'
export type { AnsweredCall, TestCall, TestOutgoing } from './test-outgoing.js'
