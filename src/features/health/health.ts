import type { Clock } from '../../contracts/clock.js'
import type {
  CheckedHealth,
  HealthCheck,
  HealthContext,
  HealthReport,
} from '../../contracts/health.js'
import type { Logger } from '../../contracts/logger.js'
import type { Plugin } from '../../contracts/plugin.js'
import { Probe } from './probe.js'

/** How long a report is used again, in milliseconds. */
const FRESH_MS = 1000

/** The input of {@link Health}, which the framework makes. */
export interface HealthConfig {
  /** The plugins of the application. Plugins without `health` are left out. */
  readonly plugins: readonly Plugin[]
  /** The checks of the option `health`, by name. */
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** The argument of each check. */
  readonly app: HealthContext
  /** Gets a line when a check fails, and when it succeeds again. It must not throw. */
  readonly logger: Logger
  /** The time in which checks and reports are measured. */
  readonly clock: Clock
  /** Whether the application has begun to close. */
  readonly isClosing: () => boolean
}

type Probes = readonly (readonly [name: string, probe: Probe])[]
type Results = Readonly<Record<string, CheckedHealth>>

/** From good to bad. */
const STATUSES = ['up', 'degraded', 'down'] as const

/** The report once the application closes. */
const CLOSING: HealthReport = Object.freeze({ status: 'closing', plugins: {}, checks: {} })

/**
 * Checks whether the services of an application can be used. The option `health` serves it to load balancers; any class
 * can inject it. It works without that option.
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
  readonly #plugins: Probes
  readonly #checks: Probes
  #latest: { readonly report: Promise<HealthReport>; freshUntil: number } | undefined

  /**
   * Creates the checks of an application. The framework calls this; inject `Health` instead.
   *
   * @param config The checks, and the clock that measures them.
   */
  constructor(config: HealthConfig) {
    this.#config = config
    const { plugins, checks } = config
    const probe = (check: HealthCheck, facts: object) => new Probe({ ...config, check, facts })
    this.#plugins = plugins.flatMap((plugin) => {
      const check = checkOf(plugin)
      return check === undefined
        ? []
        : [[plugin.name, probe(check, { plugin: plugin.name })] as const]
    })
    this.#checks = Object.entries(checks).map(
      ([name, check]) => [name, probe(check, { check: name })] as const,
    )
  }

  /**
   * Calls every check, all at once, and waits for each at most one second. It never rejects. Callers within one second
   * get the same report, and callers at the same time wait for the same calls.
   *
   * @returns the report, frozen. Its reasons are error messages for the log and the operator: do not send them to
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

/** The check of a plugin, which is called as its method. */
function checkOf(plugin: Plugin): HealthCheck | undefined {
  const { health } = plugin
  return typeof health === 'function' ? health.bind(plugin) : health
}

async function askAll(probes: Probes): Promise<Results> {
  const asked = probes.map(async ([name, probe]) => [name, await probe.ask()] as const)
  const results = await Promise.all(asked)
  // Of several plugins with one name, the worst result must remain: the last entry of a name does.
  results.sort(([, one], [, other]) => rankOf(one) - rankOf(other))
  return Object.freeze(Object.fromEntries(results))
}

function rankOf({ status }: CheckedHealth): number {
  return STATUSES.indexOf(status)
}
