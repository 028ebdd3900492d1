import type { EnvReport } from './report-env.js'

/**
 * The key under which the function that receives every {@link DeclaredEnv} is stored on `globalThis`. Only the child
 * process of the command line sets one (`cli/load/read-envs.ts`, which has this line again: an import would make every
 * application load a file for it). A registered symbol is the same in every copy of this package in the process.
 */
const LISTENER = Symbol.for('blazon.env')

/** An `env()` of the user's code, as the command line reads it. */
export interface DeclaredEnv {
  /** Reads the variables, for people. Secrets are masked. */
  report(): Promise<EnvReport>
}

type Holder = { [LISTENER]?: (declared: DeclaredEnv) => void }

/** Reports a new `env()` to the command line. Does nothing in a process that serves requests. */
export function announceEnv(declared: DeclaredEnv): void {
  const { [LISTENER]: listener } = globalThis as Holder
  listener?.(declared)
}
