import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type TestAgent from 'supertest/lib/agent.js'
import { App } from '../app/app.js'
import type { CompiledRoutes } from '../app/compile-routes.js'
import { putUnderTest } from '../app/harness.js'
import type { Listener } from '../app/listener.js'
import { namedMiddlewares } from '../app/settings/named-middlewares.js'
import type { User } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'
import { blameCaller } from '../errors/blame-caller.js'
import { tenantGroup } from '../features/tenancy/tenant-options.js'
import type { RunRoute, Stage } from '../step/step.js'
import {
  type AuthMatrix,
  type AuthMatrixOptions,
  buildAuthMatrix,
  checkAuthMatrix,
  createProbe,
  type Principal,
  refuseUnguarded,
} from './auth-matrix.js'
import { keyCoverageStage, unkeyed } from './cache-key/key-coverage.js'
import { type ConnectionFacts, Connections } from './connections.js'
import { Contract } from './contract/contract.js'
import { ContractCoverage, type CoverageReport } from './contract/contract-coverage.js'
import { DocumentedOperations } from './contract/documented-operations.js'
import type { ContractViolation } from './contract/violation.js'
import type { Finish } from './finish-test.js'
import { checkFuzzOptions, type FuzzOptions, type FuzzReport } from './fuzz/fuzz-options.js'
import { checkIsolationOptions, type IsolationOptions } from './isolation/isolation-options.js'
import type { IsolationReport } from './isolation/isolation-report.js'
import { OverheardStores } from './isolation/overheard-stores.js'
import { loadSupertest } from './supertest-agent.js'
import { stateOf, TestCaller } from './test-caller.js'
import { TestClock } from './test-clock.js'
import { type LogEntry, TestLog } from './test-log.js'
import { appOptionsOf, checkTestOptions, type TestOptions } from './test-options.js'
import { TestWatch } from './test-watch.js'

/**
 * An application under test: the whole of it, through the real HTTP parser and a real supertest, over
 * connections in memory. It listens on no port.
 *
 * @example
 * const app = await TestApp.create({ controllers: defineControllers(UsersController) })
 * const { status, body } = await app.withAuth(token).request().get('/users/1')
 * await app.close()
 */
export class TestApp extends App {
  /** The clock of the application, and of all that injects `Clock`. */
  readonly clock: TestClock = new TestClock()
  readonly #log: TestLog
  readonly #watch: TestWatch = new TestWatch()
  readonly #connections: Connections = new Connections()
  readonly #stores: OverheardStores = new OverheardStores()
  readonly #headers: Map<string, string> = new Map()
  readonly #options: TestOptions
  readonly #coverage: ContractCoverage
  /** `null` where answers are not checked. */
  readonly #contract: Contract | null
  /** `undefined` until they are compiled. */
  #routes: CompiledRoutes | undefined
  #operations: DocumentedOperations | undefined
  #caller: TestCaller | undefined
  #ending: Promise<void> | undefined

  private constructor(options: TestOptions) {
    super(appOptionsOf(options))
    this.#options = options
    const { coverage, contract: mode = 'warn' } = options
    this.#coverage = coverage instanceof ContractCoverage ? coverage : new ContractCoverage()
    const operations = () => this.#documented()
    this.#contract =
      mode === 'off' ? null : new Contract({ operations, mode, coverage: this.#coverage })
    this.#log = new TestLog(options.logger)
    putUnderTest(this, {
      clock: this.clock,
      logger: this.#log.logger,
      overrides: options.testOverrides ?? [],
      wrapGuard: this.#connections.wrapGuard,
      wrapStore: this.#stores.wrap,
      beforeHandler: this.#beforeHandler,
      wrapRoutes: this.#wrapRoutes,
      wrapListener: this.#wrapListener,
    })
  }

  readonly #beforeHandler = (route: RouteModel): Stage => {
    const { wrapHandler } = this.#connections
    const watch = this.#contract === null ? null : this.#watchKeys(route, this.#contract)
    return (next) => wrapHandler(watch === null ? next : watch(next))
  }

  readonly #wrapRoutes = (routes: CompiledRoutes): CompiledRoutes => {
    this.#routes = routes
    const wrap = (run: RunRoute, index: number) => {
      const route = routes.model.routes[index]
      // The routes of the framework have no guard.
      if (route === undefined) return run
      return this.#connections.wrapRoute(run, () => routes.probeOf(route))
    }
    return { ...routes, handlers: routes.handlers.map(wrap) }
  }

  readonly #wrapListener = (listener: Listener): Listener => {
    const { handle, handleForeign } = listener
    const enter = (req: IncomingMessage, run: () => void) =>
      this.#watch.enter(req, () => this.#connections.enter(req, run))
    return {
      ...listener,
      handle: (req, res) => enter(req, () => handle(req, res)),
      handleForeign: (req, res, next) => enter(req, () => handleForeign(req, res, next)),
    }
  }

  /**
   * Makes and starts an application without a port.
   *
   * @param options As for `App`, over test defaults: no rate limit, no helmet, no CORS. `testOverrides`
   * win over every provider of the same token; `contract` and `coverage` say how answers are checked.
   * @throws ConfigError as `App.init`, and when `supertest` is not installed.
   */
  static override async create(options: TestOptions = {}): Promise<TestApp> {
    const { app, supertest } = await blameCaller(TestApp.create, () => TestApp.#start(options))
    const connect = (facts: ConnectionFacts) => app.#connections.open(app.server, facts)
    const judge = app.#contract?.judge ?? null
    const finish: Finish = (failure, request) => {
      app.#log.explain(failure, request)
      return failure ?? app.#watch.takeRejection(request) ?? null
    }
    const tenantHeader = app.#tenantHeader
    const link = { supertest, connect, judge, finish, tenantHeader }
    app.#caller = new TestCaller(link, { headers: () => app.#headers })
    return app
  }

  static async #start(options: TestOptions) {
    checkTestOptions(options)
    const app = new TestApp(options)
    const supertest = await loadSupertest()
    await app.#watch.boot(() => app.init())
    return { app, supertest }
  }

  /**
   * A supertest agent of its own cookie jar. Headers of `withAuth` and `withHeaders` are added to each of
   * its requests as they stand when the request is made.
   */
  request(): TestAgent {
    return this.#started('request()').request()
  }

  /**
   * The standard's `fetch`, bound: it can be handed to a generated client. Relative URLs are fine; whatever host
   * others name, the application answers. Headers of `withAuth` and `withHeaders` are added.
   *
   * @throws TypeError as `fetch`; the reason of an aborted signal; ContractError with `contract: 'throw'`.
   */
  readonly fetch = (
    input: string | URL | globalThis.Request,
    init?: RequestInit,
  ): Promise<globalThis.Response> => this.#started('fetch()').fetch(input, init)

  /** A connection of its own, bound: for clients that take one, such as a WebSocket's `createConnection`. */
  readonly connect = (): Duplex => this.#started('connect()').connect()

  /**
   * A caller that is this user: the guard is not asked, `req.user` is set where it would be, and `@Can`
   * decides as ever. `null` is nobody: the guard is asked. It has the headers that are set now, but for
   * `Authorization`, and never changes.
   *
   * @throws TypeError when it is neither: `undefined` would act as nobody, unnoticed.
   */
  as(user: User | null): TestCaller {
    return this.#started('as()').as(user)
  }

  /**
   * A caller of this tenant: it sends the header of the `tenant` option (default `x-tenant-id`), with the headers that are set now.
   *
   * @throws Error with `tenant: { header: false }`.
   */
  asTenant(id: string): TestCaller {
    return this.#started('asTenant()').asTenant(id)
  }

  /** A caller with these headers over those that are set now; unlike `withHeaders`, this changes nobody else. */
  with(headers: Readonly<Record<string, string>>): TestCaller {
    return this.#started('with()').with(headers)
  }

  /**
   * Sends `Authorization: Bearer <token>` with every later request, until cleared.
   *
   * @throws TypeError when it is no text: `Bearer undefined` would be sent, unnoticed.
   */
  withAuth(token: string): this {
    if (typeof token !== 'string') {
      throw new TypeError(`withAuth(): ${String(token)} is not a token. Give a string.`)
    }
    return this.withHeaders({ authorization: `Bearer ${token}` })
  }

  /** Sends these headers with every later request; a later call changes the ones it names. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    for (const [name, value] of Object.entries(headers))
      this.#headers.set(name.toLowerCase(), value)
    return this
  }

  /** Forgets what `withAuth` and `withHeaders` have set. */
  clearHeaders(): this {
    this.#headers.clear()
    return this
  }

  /** Everything in answers that was not as their document says, each once. Empty with `contract: 'off'`. */
  contractReport(): readonly ContractViolation[] {
    return this.#contract?.violations ?? []
  }

  /** Which operations and statuses of the document were exercised so far; none with `contract: 'off'`. */
  coverage(): CoverageReport {
    this.#coverage.declare(this.#documented().all)
    return this.#coverage.report()
  }

  /**
   * Who may call which operation. Requests go through everything up to the handler, middlewares and the guard
   * included, and call none; refusals are checked and counted as any answer is.
   *
   * @param principals By the name of their column.
   * @throws Error with `unguarded: 'fail'`, naming operations that change something and are open to everybody; ConfigError for
   * options that mean nothing.
   *
   * @example
   * const matrix = await app.authMatrix({ anonymous: null, admin: { roles: ['admin'] } })
   * expect(String(matrix)).toMatchInlineSnapshot()
   */
  async authMatrix(
    principals: Readonly<Record<string, Principal>>,
    options: AuthMatrixOptions = {},
  ): Promise<AuthMatrix> {
    checkAuthMatrix(principals, options)
    const { unguarded, except } = options
    const nobody = this.#started('authMatrix()').as(null)
    const { model, match } = this.#routes as CompiledRoutes
    const probeOf = (given: Principal) => {
      const caller = given instanceof TestCaller ? given : nobody.as(given)
      const { principal, headers } = stateOf(caller)
      const agent = this.#connections.open(this.server, { principal, isProbe: true })
      const judge = this.#contract?.judge ?? null
      return createProbe({ agent, headers: headers(), judge }, match)
    }
    if (unguarded === 'fail') await refuseUnguarded(model.routes, probeOf(null), except)
    const named = Object.entries(principals).map(([name, each]) => [name, probeOf(each)] as const)
    return await buildAuthMatrix(model.routes, new Map(named))
  }

  /**
   * Sends requests made from the document: valid ones, ones that it forbids, and hostile ones. Takes `fast-check`.
   *
   * @returns How much was sent, and what was not reached.
   * @throws Error with the smallest request found whose answer is wrong, as a curl command and as a test; ConfigError for
   * options that mean nothing, and when `fast-check` is not installed.
   *
   * @example
   * await app.withAuth(token).fuzz({ seed: 1, runs: 100 })
   */
  async fuzz(options: FuzzOptions = {}): Promise<FuzzReport> {
    checkFuzzOptions(options)
    const anybody = this.#started('fuzz()')
    const caller = options.as === undefined ? anybody : anybody.as(options.as)
    const { principal, headers } = stateOf(caller.with(options.headers ?? {}))
    const operations = this.#documented()
    const coverage = this.#contract === null ? new ContractCoverage() : this.#coverage
    const { judge } = new Contract({ operations: () => operations, mode: 'throw', coverage })
    const agent = this.#connections.open(this.server, { principal })
    const { fuzz } = await import('./fuzz/fuzz.js')
    return await fuzz({ link: { agent, headers: headers(), judge }, operations }, options)
  }

  /**
   * Tries to get something of one tenant's to another: sends requests made from the document for both, in turns and at once, with
   * ids and URLs of their own, the same, and each other's, and looks for canaries in answers, logs and caches. It changes what the
   * application keeps, and empties its cache. What it finds is evidence, not a proof of absence. Takes `fast-check`.
   *
   * @returns A verdict for each operation, and what leaks.
   * @throws ConfigError for options that mean nothing, and when `fast-check` is not installed.
   *
   * @example
   * const report = await app.proveIsolation({ tenants: ['acme', 'globex'], seed: 1 })
   * expect(report.leaks).toEqual([])
   */
  async proveIsolation(options: IsolationOptions = {}): Promise<IsolationReport> {
    const tenantHeader = this.#tenantHeader
    checkIsolationOptions(options, tenantHeader)
    const target = {
      caller: this.#started('proveIsolation()').with({}),
      connect: (facts: ConnectionFacts) => this.#connections.open(this.server, facts),
      tenantHeader,
      operations: this.#documented(),
      log: this.#log,
      nameOf: this.#connections.nameOf,
      stores: this.#stores,
      middlewares: namedMiddlewares(this.#options),
      authorizes: this.#options.tenant?.authorize !== undefined,
    }
    const { proveIsolation } = await import('./isolation/prove-isolation.js')
    return await proveIsolation(target, options)
  }

  /**
   * Waits for requests under way (`timeouts.close`, here 1 s), cuts what is left, and runs `onClose`. Calling it again
   * waits for the same end.
   *
   * @throws an error that names the request which has left a rejected promise behind, unless a request of supertest has
   * failed for it; what `onClose` threw; once
   * everything is closed, an Error when the tests have exercised less than `coverage.threshold`.
   */
  override close(signal?: string): Promise<void> {
    this.#ending ??= this.#end(() => super.close(signal))
    return this.#ending
  }

  /** What the application has logged: failed requests, warnings of boot. It is not printed, unless `logger` was given. */
  get logs(): readonly LogEntry[] {
    return this.#log.entries
  }

  /** Prints `logs` on stderr; for tests that have failed. */
  printLogs(): void {
    this.#log.print()
  }

  /** Closes: `await using app = await TestApp.create(options)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The header that names a tenant; the default one where the application leaves tenants to its own middlewares. */
  get #tenantHeader(): string | null {
    return tenantGroup.resolve(this.#options.tenant ?? {})?.header ?? null
  }

  /** Reports what the handler of a cached route reads, and its key does not contain. */
  #watchKeys(route: RouteModel, contract: Contract): Stage | null {
    const tenantHeader = tenantGroup.resolve(this.#options.tenant)?.header ?? null
    return keyCoverageStage(route, {
      tenantHeader,
      report: ({ name }, { method, originalUrl: url }, read) =>
        contract.note({ method, url }, unkeyed(name, read)),
    })
  }

  async #end(close: () => Promise<void>): Promise<void> {
    const { refuse, disconnect } = this.#connections
    refuse()
    await this.#watch.end(() => close().finally(disconnect), this.#log)
    this.#checkCoverage()
  }

  #checkCoverage(): void {
    const { coverage } = this.#options
    // One that did not start has nothing to exercise.
    if (coverage === undefined || this.#routes === undefined) return
    this.#coverage.declare(this.#documented().all)
    if (coverage instanceof ContractCoverage) return
    const { title } = this.document.info
    if (coverage.summary === true) {
      process.stderr.write(`${title}: ${this.#coverage.summary()}\n`)
    }
    if (coverage.threshold !== undefined) this.#coverage.check(coverage.threshold)
  }

  #documented(): DocumentedOperations {
    if (this.#routes === undefined) {
      throw new Error('There are no operations before the application has started.')
    }
    this.#operations ??= new DocumentedOperations(this.#routes, this.documents)
    return this.#operations
  }

  #started(what: string): TestCaller {
    if (this.#caller !== undefined) return this.#caller
    throw new Error(`${what} needs a started application: make it with TestApp.create().`)
  }
}
