import type { Duplex } from 'node:stream'
import type { Response as SupertestResponse } from 'supertest'
import type TestAgent from 'supertest/lib/agent.js'
import { App } from '../app/app.js'
import type { ContractViolation } from '../contracts/contract-violation.js'
import type { User } from '../contracts/handler.js'
import { TestJobs } from '../di/token.js'
import { blameCaller } from '../errors/blame-caller.js'
import {
  type AuthMatrix,
  type AuthMatrixOptions,
  buildAuthMatrix,
  hiddenMarks,
  type Principal,
} from './auth-matrix.js'
import { callerLink } from './caller-link.js'
import { type CheckParts, generatorOf, isolationTarget } from './check-parts.js'
import type { CoverageReport } from './contract/contract-coverage.js'
import { checkFuzzOptions, type FuzzOptions, type FuzzReport } from './fuzz/fuzz-options.js'
import type { IsolationOptions } from './isolation/isolation-options.js'
import type { IsolationReport } from './isolation/isolation-report.js'
import type { OperationQueries } from './query-budget.js'
import type { ReplayOptions, ReplayReport } from './replay-writes.js'
import { loadSupertest } from './supertest-agent.js'
import { TestCaller } from './test-caller.js'
import { TestClock } from './test-clock.js'
import type { Explanation } from './test-failures.js'
import type { LogEntry } from './test-log.js'
import { appOptionsOf, checkTestOptions, type TestOptions } from './test-options.js'
import type { TestOutgoing } from './test-outgoing.js'
import { TestParts } from './test-parts.js'

/**
 * An application under test: the whole application, with the real HTTP parser and the real supertest, over in-memory
 * connections. It does not listen on a port.
 *
 * @example
 * const app = await TestApp.create({ controllers: defineControllers(UsersController) })
 * const { status, body } = await app.withAuth(token).request().get('/users/1')
 * await app.close()
 */
export class TestApp extends App {
  /** The clock of the application and of every provider that injects `Clock`. */
  readonly clock: TestClock = new TestClock()
  readonly #parts: TestParts
  readonly #headers: Map<string, string> = new Map()
  #caller: TestCaller | undefined
  #ending: Promise<void> | undefined

  private constructor(options: TestOptions) {
    super(appOptionsOf(options))
    this.#parts = new TestParts(this, options, this.clock)
  }

  /**
   * Creates and starts an application without a port.
   *
   * @param options The options of `App`, with other defaults: no rate limit, no helmet, no CORS. `testOverrides`
   * replaces every provider with the same token; `contract` and `coverage` configure how responses are checked.
   * @throws ConfigError like `App.init`, and if `supertest` is not installed.
   */
  static override async create(options: TestOptions = {}): Promise<TestApp> {
    const { app, supertest } = await blameCaller(TestApp.create, () => TestApp.#start(options))
    const link = callerLink(supertest, app.#parts)
    app.#caller = new TestCaller(link, { headers: () => app.#headers })
    return app
  }

  static async #start(options: TestOptions) {
    checkTestOptions(options)
    const [app, supertest] = [new TestApp(options), await loadSupertest()]
    await app.#parts.watch.boot(() => app.init(), app.#parts.log)
    return { app, supertest }
  }

  /** Returns a supertest agent with its own cookie jar. A request has the headers that are set when it is created. */
  request(): TestAgent {
    return this.#started('request()').request()
  }

  /**
   * The standard `fetch`. It is bound, so you can pass it to a generated client. Relative URLs are allowed. Every
   * request is sent to the application, even if its URL has another host. The headers of `withAuth` and `withHeaders`
   * are added.
   *
   * @throws TypeError like `fetch`; the abort reason of the signal; ContractError, QueryBudgetError and
   * UnansweredCallError of the test.
   */
  override readonly fetch = (
    input: string | URL | globalThis.Request,
    init?: RequestInit,
  ): Promise<globalThis.Response> => this.#started('fetch()').fetch(input, init)

  /**
   * Opens a new connection. The function is bound, for clients that accept such a function (`createConnection` of a
   * WebSocket client).
   */
  readonly connect = (): Duplex => this.#started('connect()').connect()

  /**
   * Returns a caller that acts as this user: the guard is skipped, `req.user` is set instead, and `@Can` still decides.
   * `null` means a caller without credentials; the guard decides. The caller copies the current headers, except
   * `Authorization` and the headers and cookies that guards read. Later changes do not affect it.
   *
   * @throws TypeError if `user` is neither an object nor `null`, because `undefined` would silently act without
   * credentials.
   */
  as(user: User | null): TestCaller {
    return this.#started('as()').as(user)
  }

  /**
   * Returns a caller for this tenant. It sends the header of the option `tenant` (default `x-tenant-id`) and the
   * current headers. With `app.as(user).asTenant(id)`, the user's credential also belongs to this tenant.
   *
   * @throws Error with `tenant: { header: false }`.
   */
  asTenant(id: string): TestCaller {
    return this.#started('asTenant()').asTenant(id)
  }

  /**
   * Returns a caller for this API version. Write paths without the version.
   *
   * @throws Error without the option `versions`.
   */
  version(name: string): TestCaller {
    return this.#started('version()').version(name)
  }

  /**
   * Returns a caller with the current headers and these headers, which have priority. The headers of this application
   * do not change.
   */
  with(headers: Readonly<Record<string, string>>): TestCaller {
    return this.#started('with()').with(headers)
  }

  /**
   * Sends `Authorization: Bearer <token>` with every later request, until `clearHeaders`.
   *
   * @throws TypeError if the token is not a string, because `Bearer undefined` would be sent silently.
   */
  withAuth(token: string): this {
    if (typeof token !== 'string')
      throw new TypeError(`withAuth(): ${String(token)} is not a token. Pass a string.`)
    return this.withHeaders({ authorization: `Bearer ${token}` })
  }

  /** Sends these headers with all later requests. A later call replaces headers with the same names. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    for (const [name, value] of Object.entries(headers))
      this.#headers.set(name.toLowerCase(), value)
    return this
  }

  /** Removes the headers of `withAuth` and `withHeaders`. */
  clearHeaders(): this {
    this.#headers.clear()
    return this
  }

  /**
   * Returns the reasons for a response of the application. Failed supertest assertions print the same text as
   * `String(explanation)`.
   *
   * @throws TypeError for anything other than a response of `request()` or `fetch` of this application.
   * @example
   * expect(app.explain(response)).toMatchObject({ answeredBy: 'cache', tenant: 'acme' })
   */
  explain(response: SupertestResponse | globalThis.Response): Explanation {
    return this.#parts.records.explain(response)
  }

  /** Returns all differences between responses and the document, without duplicates. Empty with `contract: 'off'`. */
  contractReport(): readonly ContractViolation[] {
    return this.#parts.contract?.violations ?? []
  }

  /**
   * Returns the operations and statuses of the document that requests have exercised so far; empty with `contract:
   * 'off'`.
   */
  coverage(): CoverageReport {
    this.#parts.coverage.declare(this.#parts.documented().all)
    return this.#parts.coverage.report()
  }

  /**
   * Lists the routes that requests have reached, with the minimum, median and maximum number of statements in a
   * request.
   */
  queryReport(): readonly OperationQueries[] {
    return this.#parts.records.queryReport()
  }

  /**
   * Determines which operations each principal is allowed to call, and how policies decide about `objects`. Middlewares
   * and guards run, but handlers do not. Refusals are checked against the document and counted like other responses.
   *
   * @param principals The callers, by column name.
   * @throws Error with the operations that are unguarded (`unguarded: 'fail'`), or whose access could not be
   * determined; ConfigError for invalid options.
   * @example
   * const matrix = await app.authMatrix({ anonymous: null, admin: { roles: ['admin'] } })
   * expect(String(matrix)).toMatchInlineSnapshot()
   */
  async authMatrix(
    principals: Readonly<Record<string, Principal>>,
    options: AuthMatrixOptions = {},
  ): Promise<AuthMatrix> {
    const anonymous = this.#started('authMatrix()').as(null)
    const { model, visibilityOf } = this.#parts.routes
    const probeOf = (given: Principal) =>
      this.#parts.probe(given instanceof TestCaller ? given : anonymous.as(given))
    return await buildAuthMatrix(principals, options, { ...model, visibilityOf, probeOf })
  }

  /**
   * Sends requests that are generated from the document: valid, invalid and hostile requests. Requires the package
   * `fast-check`.
   *
   * @returns the number of requests that were sent, and the operations that were not reached.
   * @throws Error with the smallest request whose response is not as documented, as a curl command and as a test;
   * ConfigError for invalid options, and if `fast-check` is not installed.
   * @example await app.withAuth(token).fuzz({ seed: 1, runs: 100 })
   */
  async fuzz(options: FuzzOptions = {}): Promise<FuzzReport> {
    checkFuzzOptions(options)
    const generator = generatorOf(this.#checks('fuzz()'), options)
    const { visibilityOf } = this.#parts.routes
    const hiddenOf = hiddenMarks(visibilityOf, this.#parts.probe(generator.sender))
    const { fuzz } = await import('./fuzz/fuzz.js')
    const run = () => fuzz({ ...generator, hiddenOf }, options)
    return await this.#parts.contracts.during(generator.contract, run)
  }

  /**
   * Sends generated writes to each operation with `@Idempotent()`, twice with the same key, and compares the responses.
   * @throws Error for responses that differ, or if no request to an operation succeeded; ConfigError like `fuzz`.
   */
  async replay(options: ReplayOptions = {}): Promise<ReplayReport> {
    const generator = generatorOf(this.#checks('replay()'), options)
    const { replayWrites } = await import('./replay-writes.js')
    return await this.#parts.contracts.during(generator.contract, () =>
      replayWrites(generator, options),
    )
  }

  /**
   * Searches for data of one tenant that reaches another tenant. It sends requests that are generated from the document
   * for each pair of tenants, alternately and concurrently: with the tenant's own IDs and URLs, with equal IDs and
   * URLs, and with IDs and URLs of the other tenant. It searches for canaries (random strings) in responses, logs and
   * caches. It changes the data of the application and empties its cache. A report without leaks is evidence, not
   * proof. Requires `fast-check`.
   *
   * @returns a verdict for each operation, and the leaks.
   * @throws ConfigError for invalid options, and if `fast-check` is not installed; Error if no request was sent, or an
   * operation was not tested.
   * @example
   * const report = await app.proveIsolation({ tenants: ['acme', 'globex'], seed: 1 })
   * expect(report.leaks).toEqual([])
   */
  async proveIsolation(options: IsolationOptions = {}): Promise<IsolationReport> {
    const target = isolationTarget(this.#checks('proveIsolation()'), options)
    const { proveIsolation } = await import('./isolation/prove-isolation.js')
    return await proveIsolation(target, options)
  }

  /**
   * Waits for running requests (at most `timeouts.close`, here 1 s by default), closes the remaining connections, and
   * runs `onClose`. A second call waits for the first one.
   *
   * @throws Error for a request that left a rejected promise without a handler, unless a supertest request has already
   * failed because of it; the error of `onClose`. After everything has been closed, an Error if the coverage is below
   * `coverage.threshold`, and the errors for too many statements or an unanswered call that no test has received.
   */
  override close(signal?: string): Promise<void> {
    this.#ending ??= this.#parts.end(() => super.close(signal))
    return this.#ending
  }

  /** Sets the responses to the application's calls to other hosts, and lists the calls. */
  get outgoing(): TestOutgoing {
    return this.#parts.outgoing
  }

  /** The jobs that the application has sent, and methods to run them. Throws a `ConfigError` without `jobs()`. */
  get jobs(): TestJobs {
    return this.get(TestJobs)
  }

  /** All log entries of the application. They are printed only if `logger` was passed. */
  get logs(): readonly LogEntry[] {
    return this.#parts.log.entries
  }

  /** Prints `logs` to stderr. Use it in tests that have failed. */
  printLogs(): void {
    this.#parts.log.print()
  }

  #checks(what: string): CheckParts {
    return this.#parts.checks(this.#started(what))
  }

  #started(what: string): TestCaller {
    if (this.#caller !== undefined) return this.#caller
    throw new Error(`${what} needs a started application: create it with TestApp.create().`)
  }
}
