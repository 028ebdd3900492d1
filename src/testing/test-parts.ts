import type { App } from '../app/app.js'
import type { CompiledRoutes } from '../app/compile-routes.js'
import { DocumentedOperations } from '../app/contract/documented-operations.js'
import { putUnderTest } from '../app/harness.js'
import type { Listener } from '../app/listener.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { StepFactory } from '../step/step.js'
import { createProbe, type Probe, type ProbeLink } from './auth-matrix.js'
import { keyCoverageStage, unkeyed } from './cache-key/key-coverage.js'
import type { CheckParts } from './check-parts.js'
import { type ConnectionFacts, Connections } from './connections.js'
import { Contract } from './contract/contract.js'
import { ContractCoverage } from './contract/contract-coverage.js'
import { itemCheckStage, RunningContracts, watchVisibility } from './contract/running-checks.js'
import { RecordedStores } from './isolation/recorded-stores.js'
import { type CallerFacts, callerFacts, stateOf, type TestCaller } from './test-caller.js'
import type { TestClock } from './test-clock.js'
import { TestRecords } from './test-failures.js'
import { TestLog } from './test-log.js'
import type { CoverageOptions, TestOptions } from './test-options.js'
import { TestOutgoing } from './test-outgoing.js'
import { TestWatch } from './test-watch.js'

/** The parts of an application under test. `TestApp` has the methods that tests call. */
export class TestParts {
  readonly log: TestLog
  readonly watch: TestWatch = new TestWatch()
  /** Sets the responses to the application's calls to other hosts, and lists the calls. */
  readonly outgoing: TestOutgoing
  readonly records: TestRecords
  readonly connections: Connections
  readonly stores: RecordedStores = new RecordedStores()
  readonly options: TestOptions
  readonly coverage: ContractCoverage
  /** The contract check; `null` with `contract: 'off'`. */
  readonly contract: Contract | null
  readonly contracts: RunningContracts
  readonly #app: App
  #routes: CompiledRoutes | undefined
  #operations: DocumentedOperations | undefined

  /** Attaches the parts to an application that has not started. */
  constructor(app: App, options: TestOptions, clock: TestClock) {
    this.#app = app
    this.options = options
    const { coverage, contract: mode = 'warn' } = options
    this.coverage = coverage instanceof ContractCoverage ? coverage : new ContractCoverage()
    const watched = { operations: () => this.documented(), coverage: this.coverage }
    this.contract = mode === 'off' ? null : new Contract({ ...watched, mode })
    const { currentRequest } = this.watch
    this.outgoing = new TestOutgoing({ calls: options.calls, currentRequest })
    this.records = new TestRecords(options, this.outgoing)
    this.connections = new Connections(this.records.exchanges.connect)
    this.contracts = new RunningContracts(this.contract)
    this.log = new TestLog(options.logger)
    putUnderTest(app, {
      clock,
      logger: this.log.logger,
      overrides: options.testOverrides ?? [],
      ...this.records.harness,
      currentRequest,
      ...this.connections.hooks,
      wrapStore: this.stores.wrap,
      beforeHandler: this.#beforeHandler,
      wrapRoutes: this.#wrapRoutes,
      wrapListener: this.#wrapListener,
    })
  }

  readonly #beforeHandler = (route: RouteModel): StepFactory => {
    const { wrapHandler } = this.connections
    if (this.contract === null) return wrapHandler
    const watch = watchRoute(route, this.contract, callerFacts(this.options))
    return watch === null ? wrapHandler : (next) => wrapHandler(watch(next))
  }

  readonly #wrapRoutes = (routes: CompiledRoutes): CompiledRoutes => {
    this.#routes = routes
    return this.connections.wrapRoutes(routes, (run, route) =>
      watchVisibility(run, {
        route,
        visibilityOf: routes.visibilityOf,
        report: this.contracts.note,
      }),
    )
  }

  readonly #wrapListener = (listener: Listener): Listener =>
    this.connections.wrapListener(listener, (req, run) => {
      this.records.enter(req)
      this.watch.enter(req, run)
    })

  /** The routes. @throws Error before the start. */
  get routes(): CompiledRoutes {
    if (this.#routes === undefined)
      throw new Error('There are no operations before the application starts.')
    return this.#routes
  }

  /** The operations of all documents. @throws Error before the start. */
  documented(): DocumentedOperations {
    this.#operations ??= new DocumentedOperations(this.routes, this.#app.documents)
    return this.#operations
  }

  /** Creates the function that determines the access of a caller, without calling handlers. */
  probe(caller: TestCaller): Probe {
    const { principal, tenant, headers } = stateOf(caller)
    const connect: ProbeLink['connect'] = (inHandler) =>
      this.connections.openCheck(this.#app.server, { principal, tenant, isProbe: true, inHandler })
    const checkExchange = this.contract?.checkExchange ?? null
    return createProbe({ connect, headers: headers(), checkExchange }, this.routes.match)
  }

  /** Opens a connection to the application. */
  connect(facts: ConnectionFacts): ReturnType<Connections['open']> {
    return this.connections.open(this.#app.server, facts)
  }

  /** The parts that generate requests for a caller. */
  checks(caller: TestCaller): CheckParts {
    return {
      caller,
      server: this.#app.server,
      connections: this.connections,
      operations: this.documented(),
      coverage: this.contract === null ? new ContractCoverage() : this.coverage,
      options: this.options,
      log: this.log,
      stores: this.stores,
      jobs: this.records.work.jobsOf(this.#app),
    }
  }

  /**
   * Closes the application, and reports the errors that no test has received.
   *
   * @throws Error if the tests have exercised less than `coverage.threshold`, for requests with too many statements or
   * an unanswered call, and for the reasons of `TestWatch.end`.
   */
  async end(close: () => Promise<void>): Promise<void> {
    this.connections.refuse()
    await this.watch.end(() => close().finally(this.connections.disconnect), this.log)
    const { coverage } = this.options
    // An application that did not start has no operations.
    if (coverage !== undefined && this.#routes !== undefined) {
      this.coverage.declare(this.documented().all)
      judgeCoverage(this.coverage, coverage, this.#app.document.info.title)
    }
    this.records.end()
  }
}

/** Reports invalid items of a stream, and inputs of a cached handler that its cache key does not contain. */
function watchRoute(
  route: RouteModel,
  contract: Contract,
  { ownTenantHeader, credentials }: CallerFacts,
): StepFactory | null {
  if (route.stream !== null) return itemCheckStage(route, contract)
  return keyCoverageStage(route, {
    tenantHeader: ownTenantHeader,
    credentials: credentials.headers,
    report: ({ name }, { method, originalUrl: url }, read) =>
      contract.note({ method, url, index: route.index }, unkeyed(name, read)),
  })
}

/**
 * Prints the summary of the coverage, and compares it with the threshold. A `ContractCoverage` of the test can count
 * for several applications, so the test itself checks that coverage.
 *
 * @throws Error if the tests have exercised less than the threshold.
 */
function judgeCoverage(
  reached: ContractCoverage,
  wanted: CoverageOptions | ContractCoverage,
  title: string,
): void {
  if (wanted instanceof ContractCoverage) return
  const { summary = false, threshold } = wanted
  if (summary) process.stderr.write(`${title}: ${reached.summary()}\n`)
  if (threshold !== undefined) reached.check(threshold)
}
