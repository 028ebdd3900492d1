/** The output streams of the command. */
export interface Streams {
  /** Writes results to stdout, unchanged. */
  out(text: string): void
  /** Writes everything else to stderr, unchanged. */
  err(text: string): void
  /** Writes a line to stderr. */
  note(line: string): void
}
