import type { RouteTableEntry } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import type { ExaminedApp } from './doctor/examine-app.js'
import type { AppDocument } from './documents.js'
import type { ExplainResult, RouteQuery } from './explain/explanation.js'

/**
 * The key under which the {@link Describer} of a process is stored on `globalThis`. Only the child process of the
 * command line sets it. A registered symbol is the same in every copy of this package in the process.
 */
const DESCRIBER = Symbol.for('blazon.describe')

/**
 * The parts of an application that can be read before it starts. Every member except `load` and `options` can throw a
 * `ConfigError`, like `init`.
 */
export interface AppDescription {
  /** Loads the dependencies of the other members. Call this method first. */
  load(): Promise<void>
  documents(): readonly AppDocument[]
  routes(): readonly RouteTableEntry[]
  warnings(): readonly Problem[]
  /** Loads the module that explains routes, and explains the steps of a route's requests. */
  explain(query: RouteQuery): Promise<ExplainResult>
  /** The options that were passed to the constructor. */
  options(): object
  /**
   * Loads the module that examines applications. Lists the problems that boot would report, and settings that are
   * unsafe in production.
   */
  examine(): Promise<ExaminedApp>
}

/** A copy of this package in a process that only reads applications. */
export interface LoadedCopy {
  /** Constructs an application. */
  make(options: object): object
}

/** The callbacks for a process that reads applications instead of starting them. */
export interface Describer {
  /** Receives an application that has been constructed. */
  declared(app: object, description: AppDescription): void
  /**
   * Receives an application when a call, such as `init` or `listen`, would start it. At that time, its options are
   * complete.
   */
  starting(app: object): void
  /** Receives this copy of the package when it has been loaded, before any decorator in user code runs. */
  loaded(copy: LoadedCopy): void
}

/** Returns the describer of this process. A process that serves requests has none. */
export function findDescriber(): Describer | undefined {
  return (globalThis as { [DESCRIBER]?: Describer })[DESCRIBER]
}

/** Makes `describer` the describer of this process. */
export function setDescriber(describer: Describer): void {
  Object.defineProperty(globalThis, DESCRIBER, { value: describer, configurable: true })
}

/** Removes the describer, so that applications constructed from now on can start. */
export function removeDescriber(): void {
  Reflect.deleteProperty(globalThis, DESCRIBER)
}

/** Replaces the start of an application that is only read. Returns a promise that never settles. */
export function neverStart(describer: Describer, app: object): Promise<never> {
  describer.starting(app)
  return new Promise(() => {})
}
