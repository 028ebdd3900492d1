import type { Clock, DatabaseLink, Logger } from '../../index.js'
import type { SentJob, TenantStates } from '../../plugin/index.js'
import type { Works } from './find-work.js'
import type { Queues } from './queues.js'

/** The parts of an application that its jobs depend on. They exist when it has started. */
export interface JobsDeps {
  readonly link: DatabaseLink
  readonly queues: Queues
  readonly schema: string
  readonly works: Works
  readonly clock: Clock
  readonly logger: Logger
  readonly usesTenants: boolean
  /** Returns the state of a tenant. */
  readonly stateOf: TenantStates
  /** Called after the commit of a job that was sent. */
  readonly onSent: (sent: SentJob) => void
}
