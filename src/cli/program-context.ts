import type { Streams } from './streams.js'

/** The environment of one run of the command. */
export interface ProgramContext {
  readonly cwd: string
  readonly streams: Streams
  /** The arguments of the run. */
  readonly argv?: readonly string[]
  /** Asks the person at the terminal, and resolves with the line. Absent if there is no person. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}
