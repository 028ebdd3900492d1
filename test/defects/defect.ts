/** The kinds of planted defects, and what is wrong with one of each kind. */
export const KINDS = {
  afterwards: 'a timer, a note or a place outlives the success that ends it',
  overlap: 'a second event comes while the first is under way',
  report: 'a log line, a metric, a record, or one of two implementations on a rare path',
  alternative: 'the second member of an "or" in a check, a document or a guard',
  edge: 'an input at the border of what is allowed',
  logic: 'all others',
} as const

/** A kind of planted defects. */
export type Kind = keyof typeof KINDS

/** One mistake that a change could make, planted in a copy of the sources. */
export interface Defect {
  /** Names the defect on the command line. */
  readonly id: string
  /** The changed file, relative to the root. */
  readonly file: string
  readonly kind: Kind
  /** A text that occurs exactly once in the file, and the text in its place. */
  readonly replace: readonly [from: string, to: string]
  /** What a user would notice. */
  readonly what: string
}
