/** The output streams of the command. */
export interface Streams {
  /** The width of the terminal of stdout, in characters; `undefined` if stdout is no terminal. */
  readonly columns?: number | undefined
  /** Writes results to stdout, unchanged. */
  out(text: string): void
  /** Writes everything else to stderr, unchanged. */
  err(text: string): void
  /** Writes a line to stderr. */
  note(line: string): void
}
