/** Where the command writes. */
export interface Streams {
  /** Results: stdout. Takes text as it is. */
  out(text: string): void
  /** Everything else: stderr. Takes text as it is. */
  err(text: string): void
  /** A line on stderr. */
  note(line: string): void
}
