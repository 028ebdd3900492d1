import type { Problem } from '../../errors/config-error.js'
import type { RouteExplanation } from '../explain/explanation.js'

/**
 * The key on `globalThis` of the {@link DevReport} of a process. Only `blazon dev` sets it, before the application is loaded. A
 * registered symbol is the same in every copy of this package in the process.
 */
const REPORT = Symbol.for('blazon.report')

/** What `blazon dev` wants to know of the applications of a process, for its dashboard. */
export interface DevReport {
  /** Called for warnings of boot, and for those that only requests show. */
  warned(warnings: readonly Problem[]): void
  /** Called when an application has started. `explain` loads the code that explains its routes. */
  started(explain: () => Promise<readonly RouteExplanation[]>): void
}

/** Returns the report of this process; `undefined` outside of `blazon dev`. */
export function findDevReport(): DevReport | undefined {
  return (globalThis as { [REPORT]?: DevReport })[REPORT]
}
