import type { RouteTableEntry } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import type { AppDocument } from './documents.js'

/**
 * Where a process that only wants to read applications leaves its {@link Describer}: the child process of the
 * command line, and nobody else. A registered symbol reaches every copy of this package in a process.
 */
const DESCRIBER = Symbol.for('blazon.describe')

/** What can be read of an application that has not started. Each throws a `ConfigError` as `init` does. */
export interface AppDescription {
  documents(): readonly AppDocument[]
  routes(): readonly RouteTableEntry[]
  warnings(): readonly Problem[]
}

/** Who reads applications instead of starting them. */
export interface Describer {
  /** An application was constructed. */
  declared(app: object, description: AppDescription): void
  /** An application was asked to start, which means that it is declared completely. */
  starting(app: object): void
  /** This copy of the package was loaded; `make` constructs one of its applications. */
  loaded(make: (options: object) => object): void
}

/** The describer of this process; in every process that serves, there is none. */
export function findDescriber(): Describer | undefined {
  return (globalThis as { [DESCRIBER]?: Describer })[DESCRIBER]
}

/** Takes over as the describer of this process. */
export function setDescriber(describer: Describer): void {
  Object.defineProperty(globalThis, DESCRIBER, { value: describer })
}

/** The start of an application that is only read: it neither fails nor succeeds. */
export function startNever(describer: Describer, app: object): Promise<never> {
  describer.starting(app)
  return new Promise(() => {})
}
