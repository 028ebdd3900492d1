import type { Plugin, PluginContext } from '../contracts/plugin.js'

/** The health of one plugin: whether the service it depends on can be used. */
export type PluginHealth =
  | {
      /** The service can be used. */
      readonly status: 'up'
      /** The value that the plugin's `health` returned. */
      readonly details?: unknown
    }
  | {
      /** The service cannot be used. */
      readonly status: 'down'
      /** The message of the error that the plugin's `health` threw. */
      readonly reason: string
    }

/** The health of everything that an application depends on. */
export interface HealthReport {
  /** `'down'` if at least one plugin is down. */
  readonly status: 'up' | 'down'
  /** The health by plugin name. A plugin without `health` is left out. */
  readonly plugins: Readonly<Record<string, PluginHealth>>
}

/**
 * Checks whether the services of an application can be used. A load balancer can call a route with it before it
 * sends requests. Any class can inject it.
 *
 * @example
 * @Controller('ready')
 * class ReadyController {
 *   private readonly health = inject(Health)
 *
 *   @Get()
 *   async check(_req: Request, res: Response) {
 *     const { status } = await this.health.check()
 *     res.status(status === 'up' ? 200 : 503).json({ status })
 *   }
 * }
 */
export class Health {
  readonly #plugins: readonly Plugin[]
  readonly #app: Pick<PluginContext, 'get'>

  /**
   * Creates the readiness check of an application. The framework calls this; inject `Health` instead.
   *
   * @param plugins The plugins of the application.
   * @param app Passed to each plugin's `health`.
   */
  constructor(plugins: readonly Plugin[], app: Pick<PluginContext, 'get'>) {
    this.#plugins = plugins
    this.#app = app
  }

  /**
   * Calls the `health` of every plugin that has one, all at once. It never rejects.
   *
   * @returns the report. Its reasons are error messages for the log and the operator: do not send them to
   * clients.
   */
  async check(): Promise<HealthReport> {
    const checked = this.#plugins.filter((plugin) => plugin.health !== undefined)
    const entries = await Promise.all(
      checked.map(async (plugin) => [plugin.name, await this.#check(plugin)] as const),
    )
    const isUp = entries.every(([, { status }]) => status === 'up')
    return { status: isUp ? 'up' : 'down', plugins: Object.fromEntries(entries) }
  }

  async #check(plugin: Plugin): Promise<PluginHealth> {
    try {
      const details = await plugin.health?.(this.#app)
      return details === undefined ? { status: 'up' } : { status: 'up', details }
    } catch (error) {
      return { status: 'down', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}
