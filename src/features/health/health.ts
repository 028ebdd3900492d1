import type { Clock } from '../../contracts/clock.js'
import type { Logger } from '../../contracts/logger.js'
import type { Plugin } from '../../contracts/plugin.js'
import type {
  CheckedHealth,
  HealthCheck,
  HealthContext,
  HealthReport,
} from '../../contracts/reports.js'

/** How long a report is reused, in milliseconds. */
const FRESH_MS = 1000

/** The input of {@link Health}. The framework creates it. */
export interface HealthConfig {
  /** The plugins of the application. Plugins without `health` are ignored. */
  readonly plugins: readonly Plugin[]
  /** The checks in the `health` option, by name. */
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** The argument that each check receives. */
  readonly app: HealthContext
  /** The logger. It is called when a check fails and when the check succeeds again, and it must not throw. */
  readonly logger: Logger
  /** The clock that measures checks and reports. */
  readonly clock: Clock
  /** Whether the application has begun to close. */
  readonly isClosing: () => boolean
}

type Probes = readonly (readonly [name: string, probe: Probe])[]
type Results = Readonly<Record<string, CheckedHealth>>

/** The statuses from best to worst. */
const STATUSES = ['up', 'degraded', 'down'] as const

const CLOSING: HealthReport = Object.freeze({ status: 'closing', plugins: {}, checks: {} })

/**
 * Checks whether the services of an application can be used. The `health` option serves the result to load balancers.
 * Any class can inject `Health`, even without that option.
 *
 * @example
 * class Worker {
 *   private readonly health = inject(Health)
 *
 *   async work() {
 *     const { status } = await this.health.check()
 *     if (status === 'up' || status === 'degraded') await this.next()
 *   }
 * }
 */
export class Health {
  readonly #config: HealthConfig
  readonly #plugins: (readonly [name: string, probe: Probe])[] = []
  readonly #checks: Probes
  #latest: { readonly report: Promise<HealthReport>; freshUntil: number } | undefined

  /**
   * Only the framework calls this. Inject `Health` instead.
   *
   * @param config The checks, and the clock that measures them.
   */
  constructor(config: HealthConfig) {
    this.#config = config
    for (const plugin of config.plugins) this.add(plugin)
    this.#checks = Object.entries(config.checks).map(
      ([name, check]) => [name, new Probe({ ...config, check, facts: { check: name } })] as const,
    )
  }

  /** Only the framework calls this. Adds the check of a plugin, if the plugin has one. */
  add(plugin: Pick<Plugin, 'name' | 'health'>): void {
    const check = checkOf(plugin)
    if (check === undefined) return
    const { name } = plugin
    this.#plugins.push([name, new Probe({ ...this.#config, check, facts: { plugin: name } })])
  }

  /**
   * Calls all checks concurrently, and waits at most one second for each check. It never rejects. A report is reused
   * for one second, and concurrent callers wait for the same calls.
   *
   * @returns the frozen report. The reasons in it are error messages for the log and the operator. Do not send them to
   * clients.
   */
  async check(): Promise<HealthReport> {
    const { clock, isClosing } = this.#config
    if (isClosing()) return CLOSING
    if (this.#latest === undefined || clock.monotonic() >= this.#latest.freshUntil) {
      const latest = { report: this.#ask(), freshUntil: Number.POSITIVE_INFINITY }
      this.#latest = latest
      void latest.report.then(() => {
        latest.freshUntil = clock.monotonic() + FRESH_MS
      })
    }
    const report = await this.#latest.report
    return isClosing() ? CLOSING : report
  }

  async #ask(): Promise<HealthReport> {
    const [plugins, checks] = await Promise.all([askAll(this.#plugins), askAll(this.#checks)])
    const ranks = [...Object.values(plugins), ...Object.values(checks)].map(rankOf)
    const status = STATUSES[Math.max(0, ...ranks)] ?? 'up'
    return Object.freeze({ status, plugins, checks })
  }
}

/** Returns a plugin's check. A function is bound to the plugin. */
function checkOf(plugin: Pick<Plugin, 'health'>): HealthCheck | undefined {
  const { health } = plugin
  return typeof health === 'function' ? health.bind(plugin) : health
}

async function askAll(probes: Probes): Promise<Results> {
  const asked = probes.map(async ([name, probe]) => [name, await probe.ask()] as const)
  const results = await Promise.all(asked)
  // If several plugins have the same name, the worst result must come last, because the last entry with a name is used.
  results.sort(([, one], [, other]) => rankOf(one) - rankOf(other))
  return Object.freeze(Object.fromEntries(results))
}

function rankOf({ status }: CheckedHealth): number {
  return STATUSES.indexOf(status)
}

/** The time limit for a check, in milliseconds. */
const LIMIT_MS = 1000
/**
 * If a call of a check is still running, the check is not called again until this time has passed, in milliseconds.
 * Without this pause, each round would add another pending call. With an endless pause, one promise that never settles
 * would keep the application down.
 */
const STUCK_MS = 10_000

interface ProbeConfig {
  /** The fields that identify the check in the log, such as `{ plugin: 'postgres' }`. */
  readonly facts: object
  readonly check: HealthCheck
  readonly app: HealthContext
  readonly clock: Clock
  /** The logger. It must not throw. */
  readonly logger: Logger
}

/** A check, and its running call. */
export class Probe {
  readonly #config: ProbeConfig
  readonly #isRequired: boolean
  #wasUp = true
  #call: { readonly startedAt: number; readonly result: Promise<CheckedHealth> } | undefined

  constructor(config: ProbeConfig) {
    this.#config = config
    const { check } = config
    this.#isRequired = typeof check === 'function' || check.required !== false
  }

  /** Runs the check, with a time limit of one second. Never rejects. Logs each change of the result. */
  async ask(): Promise<CheckedHealth> {
    const result = await this.#within()
    const isUp = result.status === 'up'
    if (isUp !== this.#wasUp) this.#log(result)
    this.#wasUp = isUp
    return result
  }

  #log(result: CheckedHealth): void {
    const { facts, logger } = this.#config
    if (result.status === 'up') logger.info(facts, 'A health check has succeeded again')
    else logger.warn({ ...facts, reason: result.reason }, 'A health check has failed')
  }

  #within(): Promise<CheckedHealth> {
    const { clock } = this.#config
    return new Promise((resolve) => {
      const late = `No response within ${LIMIT_MS} ms.`
      const timer = clock.setTimeout(() => resolve(this.#failed(late)), LIMIT_MS)
      void this.#calling().then((result) => {
        timer.cancel()
        resolve(result)
      })
    })
  }

  #calling(): Promise<CheckedHealth> {
    const now = this.#config.clock.monotonic()
    const before = this.#call
    if (before !== undefined && now - before.startedAt < STUCK_MS) return before.result
    const call = { startedAt: now, result: this.#run() }
    this.#call = call
    void call.result.then(() => {
      if (this.#call === call) this.#call = undefined
    })
    return call.result
  }

  async #run(): Promise<CheckedHealth> {
    const { check, app } = this.#config
    try {
      const details = await (typeof check === 'function' ? check(app) : check.check(app))
      return details === undefined ? { status: 'up' } : { status: 'up', details }
    } catch (error) {
      return this.#failed(messageOf(error))
    }
  }

  #failed(reason: string): CheckedHealth {
    return { status: this.#isRequired ? 'down' : 'degraded', reason }
  }
}

/** Returns the message of a thrown value. Never throws, even if the value cannot be read. */
function messageOf(error: unknown): string {
  try {
    return textOf(error)
  } catch {
    return 'The error has no message.'
  }
}

/** If a host has several addresses and cannot be reached, Node throws an `AggregateError`, whose message is empty. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, name } = error
  if (error instanceof AggregateError && message === '') return error.errors.map(textOf).join(', ')
  return String(message) || name
}
