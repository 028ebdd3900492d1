import type { PluginContext } from '../contracts/plugin.js'
import type { RouteTableEntry } from '../contracts/route-model.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { loggerOf } from '../features/logs/logger-options.js'
import { hasTraces } from '../model/foreign/traces.js'
import type { AppParts } from './app-parts.js'
import {
  type DescribeInput,
  type Description,
  describeApp,
  isFatal,
  readStructure,
  routeTable,
  type Structure,
} from './describe.js'
import { findDevReport } from './dev/dev-report.js'
import { type AppDocument, listDocuments } from './documents.js'
import type { ExplainResult, RouteExplanation, RouteQuery } from './explain/explanation.js'
import { type FrameworkProviders, frameworkProviders } from './framework-providers.js'
import type { Harness } from './harness.js'
import type { AppOptions } from './settings/app-options.js'
import { type Resolved, resolveSettings, soundSettings } from './settings/resolve-settings.js'
import type { Settings } from './settings/settings.js'
import { declareFeatures, type Features } from './start-features.js'

/** The part of an application that can be checked despite the errors of the application. */
export interface SoundPart extends Structure {
  readonly settings: Settings
}

/** The parts of an application that exist before its options and decorators are read. */
export interface DeclaredAppConfig extends AppParts, Pick<FrameworkProviders, 'app' | 'isClosing'> {
  readonly options: AppOptions
  /**
   * Returns the harness. Call this function only when the harness is needed, because the constructor of the subclass
   * `TestApp` sets it after the constructor of `App` has run.
   */
  readonly harnessOf: () => Harness
}

/**
 * Everything that the options and decorators of an application declare. Each part is created when it is first read.
 * Little application code runs: schemas, the functions of plugins and guards that check or describe routes, and the
 * constructors of controllers with field routes. These constructors receive stand-ins. Every member that needs valid
 * options or decorators throws a `ConfigError` if there are errors.
 */
export class DeclaredApp {
  readonly #config: DeclaredAppConfig
  #resolved: Resolved | undefined
  #features: Features | undefined
  #description: Description | undefined
  #documents: readonly AppDocument[] | undefined
  #checkForeign: DescribeInput['checkForeign'] = null

  constructor(config: DeclaredAppConfig) {
    this.#config = config
  }

  /**
   * Loads the check for decorators of other frameworks, if the process has any. Call this method before a start. Parts
   * that have already been read, such as the document, are read again, because they were not checked for these
   * decorators.
   */
  async loadForeignCheck(): Promise<void> {
    if (this.#checkForeign !== null || !hasTraces()) return
    const { checkForeign } = await import('../model/foreign/check-foreign.js')
    this.#checkForeign = checkForeign
    this.#description = undefined
    this.#documents = undefined
  }

  /** Whether the settings were read without errors. */
  get hasSettings(): boolean {
    return this.#resolved !== undefined
  }

  /** The options of the caller, unchanged. */
  get options(): AppOptions {
    return this.#config.options
  }

  /** The logger of the option `logger`. It is needed before the options have been checked. */
  get ownLogger(): ReturnType<typeof loggerOf> {
    return loggerOf(this.#config.options.logger)
  }

  /** Checks the options when it is first read. */
  get settings(): Settings {
    return this.#resolve().settings
  }

  /** The features that `start-features.ts` starts. */
  get declaredFeatures(): Features {
    this.#features ??= declareFeatures(this.settings, this.#config.harnessOf())
    return this.#features
  }

  /** Compiles the model when it is first read. */
  get description(): Description {
    const { settings, declaredFeatures } = this
    const { express } = this.#config
    this.#description ??= describeApp(
      this.#resolve(),
      this.#input(settings, declaredFeatures),
      express,
    )
    return this.#description
  }

  get routeTable(): RouteTableEntry[] {
    return routeTable(this.description.model)
  }

  get documents(): readonly AppDocument[] {
    const { express } = this.#config
    this.#documents ??= listDocuments(this.description.model, this.settings, express)
    return this.#documents
  }

  /** Loads the module here, because only the command line uses it. */
  async explain(query: RouteQuery): Promise<ExplainResult> {
    const { settings, description } = this
    const { explainQuery } = await import('./explain/explain-route.js')
    return explainQuery(query, { settings, model: description.model, cwd: process.cwd() })
  }

  /** Reports the start to `blazon dev`, if that command runs this process. */
  reportStart(): void {
    findDevReport()?.started(() => this.explainAll())
  }

  /** Loads the module here, because only `blazon dev` uses it. */
  async explainAll(): Promise<RouteExplanation[]> {
    const { explainRoute } = await import('./explain/explain-route.js')
    const { settings, description } = this
    const { model } = description
    const app = { settings, model, cwd: process.cwd() }
    return model.routes.map((route) => explainRoute(route, app))
  }

  /**
   * Returns the part of an application that can be checked despite the errors; `undefined` if there is no such part.
   *
   * @param mistakes All known errors, which can include invalid options.
   */
  soundPart(mistakes: readonly Problem[]): SoundPart | undefined {
    const settings = this.#resolved?.settings ?? soundSettings(this.#config.options, mistakes)
    if (settings === undefined) return undefined
    const features = declareFeatures(settings, this.#config.harnessOf())
    try {
      return { settings, ...readStructure(settings, this.#input(settings, features)) }
    } catch {
      // All other errors would be consequences of this error. If the options are valid, this error is already known.
      return undefined
    }
  }

  #input(settings: Settings, features: Features): DescribeInput {
    const own = frameworkProviders({ ...this.#config, settings, harness: this.#config.harnessOf() })
    return { builtIn: [...own, ...features.providers], checkForeign: this.#checkForeign }
  }

  #resolve(): Resolved {
    try {
      this.#resolved ??= resolveSettings(this.#config.options)
      return this.#resolved
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const part = this.soundPart(error.problems)
      const fatal = part?.problems.filter((problem) => isFatal(problem, part.settings)) ?? []
      throw new ConfigError([...error.problems, ...fatal])
    }
  }
}

/** An application that has not started. Reading its routes or settings can throw a `ConfigError`, like `init`. */
export interface UnstartedApp {
  readonly app: { getRouteTable(): RouteTableEntry[] }
  /** The part of the application that plugins receive. */
  readonly context: Pick<PluginContext, 'get'>
  readonly declared: DeclaredApp
}
