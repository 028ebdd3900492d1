import type { Plugin, PluginContext } from '../contracts/plugin.js'

/** How what one plugin depends on is. */
export type PluginHealth =
  | {
      /** Whether the plugin's dependency can be used. */
      readonly status: 'up'
      /** What the plugin's `health` returned. */
      readonly details?: unknown
    }
  | {
      /** Whether the plugin's dependency can be used. */
      readonly status: 'down'
      /** The message of the error that the plugin's `health` threw. */
      readonly reason: string
    }

/** How everything is that an application depends on. */
export interface HealthReport {
  /** `'down'` as soon as one of the plugins is. */
  readonly status: 'up' | 'down'
  /** By the name of the plugin; those that say nothing are left out. */
  readonly plugins: Readonly<Record<string, PluginHealth>>
}

/**
 * Tells whether what the application depends on can be used, for a route that a load balancer asks before it sends requests. Any class may inject it.
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

  /** Every application makes its own. */
  constructor(plugins: readonly Plugin[], app: Pick<PluginContext, 'get'>) {
    this.#plugins = plugins
    this.#app = app
  }

  /**
   * Asks every plugin that has a `health`, all at once. Never rejects.
   *
   * @returns reasons are for the log and the operator: do not send them to strangers.
   */
  async check(): Promise<HealthReport> {
    const asked = this.#plugins.filter((plugin) => plugin.health !== undefined)
    const entries = await Promise.all(
      asked.map(async (plugin) => [plugin.name, await this.#ask(plugin)] as const),
    )
    const isUp = entries.every(([, { status }]) => status === 'up')
    return { status: isUp ? 'up' : 'down', plugins: Object.fromEntries(entries) }
  }

  async #ask(plugin: Plugin): Promise<PluginHealth> {
    try {
      const details = await plugin.health?.(this.#app)
      return details === undefined ? { status: 'up' } : { status: 'up', details }
    } catch (error) {
      return { status: 'down', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}
