/** The output streams of the command. */
export interface Streams {
  /** Writes results to stdout, unchanged. */
  out(text: string): void
  /** Writes all other output to stderr, unchanged. */
  err(text: string): void
  /** Writes a line to stderr. */
  note(line: string): void
}

/** The environment of one run of the command. */
export interface ProgramContext {
  readonly cwd: string
  readonly streams: Streams
  /** The command-line arguments. */
  readonly argv?: readonly string[]
  /** Prints a question on the terminal, and resolves with the answer. Absent if there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}
