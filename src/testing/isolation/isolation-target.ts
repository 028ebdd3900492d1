import type { DocumentedOperations } from '../../app/contract/documented-operations.js'
import type { NamedMiddleware } from '../../app/tenancy/check-routers.js'
import type { TestLog } from '../test-log.js'
import type { SideConfig } from './isolation-side.js'
import type { JobProofConfig } from './prove-jobs.js'
import type { RecordedStores } from './recorded-stores.js'

/** The application under test, and how to reach it. */
export interface IsolationTarget extends Pick<SideConfig, 'caller' | 'connect' | 'tenantHeader'> {
  readonly operations: DocumentedOperations
  readonly log: TestLog
  /** Returns the name of the side that a connection belongs to. */
  readonly nameOf: (connection: object | undefined) => string | undefined
  readonly stores: RecordedStores
  /** `null` without `jobs()`. */
  readonly jobs: JobProofConfig['jobs'] | null
  /** The entries of `middlewares`. */
  readonly middlewares: readonly NamedMiddleware[]
  /** Whether `tenant.authorize` decides who may act for a tenant. */
  readonly authorizes: boolean
  /** Whether a guard confirms the tenant of its credential. */
  readonly confirms: boolean
}
