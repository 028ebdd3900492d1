import type { DocumentedOperations } from '../app/contract/documented-operations.js'
import { namedMiddlewares } from '../app/settings/named-middlewares.js'
import type { NamedMiddleware } from '../app/tenancy/check-routers.js'
import type { Connections } from './connections.js'
import { Contract } from './contract/contract.js'
import type { ContractCoverage } from './contract/contract-coverage.js'
import type { FuzzOptions } from './fuzz/fuzz-options.js'
import type { FuzzLink } from './fuzz/wire-request.js'
import { checkIsolationOptions, type IsolationOptions } from './isolation/isolation-options.js'
import type { SideConfig } from './isolation/isolation-side.js'
import type { JobProofConfig } from './isolation/prove-jobs.js'
import type { RecordedStores } from './isolation/recorded-stores.js'
import type { JobsUnderTest } from './isolation/watch-work.js'
import { callerFacts, stateOf, type TestCaller } from './test-caller.js'
import type { TestLog } from './test-log.js'
import type { TestOptions } from './test-options.js'

/** The parts of an application under test that are used to generate requests. */
export interface CheckParts {
  readonly caller: TestCaller
  readonly server: Parameters<Connections['openCheck']>[0]
  readonly connections: Connections
  readonly operations: DocumentedOperations
  /** Counts the responses. */
  readonly coverage: ContractCoverage
  readonly options: TestOptions
  readonly log: TestLog
  readonly stores: RecordedStores
  /** The jobs of the application; `null` without `jobs()`. */
  readonly jobs: JobsUnderTest | null
}

/** The connection for generated requests, whose responses are checked. */
export interface Generator {
  readonly link: FuzzLink
  readonly operations: DocumentedOperations
  readonly contract: Contract
  readonly sender: TestCaller
}

/** Opens the connection for generated requests. */
export function generatorOf(
  { caller, server, connections, operations, coverage }: CheckParts,
  { as: user, headers: given = {} }: Pick<FuzzOptions, 'as' | 'headers'>,
): Generator {
  const sender = (user === undefined ? caller : caller.as(user)).with(given)
  const { principal, tenant, headers } = stateOf(sender)
  const contract = new Contract({ operations: () => operations, mode: 'throw', coverage })
  const agent = connections.openCheck(server, { principal, tenant })
  const link = { agent, headers: headers(), checkExchange: contract.checkExchange }
  return { link, operations, contract, sender }
}

/**
 * The parts of the application that the isolation test needs.
 *
 * @throws ConfigError for invalid options.
 */
export function isolationTarget(parts: CheckParts, options: IsolationOptions): IsolationTarget {
  const { caller, server, connections, operations, log, stores, jobs } = parts
  const { tenantHeader, confirmsTenants } = callerFacts(parts.options)
  checkIsolationOptions(options, { tenantHeader, confirmsTenants })
  return {
    caller: caller.with({}),
    connect: (facts) => connections.openCheck(server, facts),
    tenantHeader,
    operations,
    log,
    nameOf: connections.nameOf,
    stores,
    jobs,
    middlewares: namedMiddlewares(parts.options),
    authorizes: parts.options.tenant?.authorize !== undefined,
    confirms: confirmsTenants,
  }
}

/** The application in the test, and its connection. */
export interface IsolationTarget extends Pick<SideConfig, 'caller' | 'connect' | 'tenantHeader'> {
  readonly operations: DocumentedOperations
  readonly log: TestLog
  /** Returns the name of the side to which a connection belongs. */
  readonly nameOf: (connection: object | undefined) => string | undefined
  readonly stores: RecordedStores
  /** The jobs of the application; `null` without `jobs()`. */
  readonly jobs: JobProofConfig['jobs'] | null
  /** The entries of `middlewares`. */
  readonly middlewares: readonly NamedMiddleware[]
  /** Whether `tenant.authorize` decides who is allowed to act for a tenant. */
  readonly authorizes: boolean
  /** Whether a guard confirms the tenant of its credential. */
  readonly confirms: boolean
}
