import type { Capsule } from '../../contracts/capsule.js'

/** A capsule to run, and how. */
export interface ReplayOrder {
  readonly capsule: Capsule
  /** Whether the database of the application runs the statements. */
  readonly usesDatabase: boolean
}

/** What was answered now. */
export interface AnsweredNow {
  readonly is: 'answered'
  /** `null` if there was no response in time. */
  readonly status: number | null
  /** The class, the message and the stack of the error that became the response; `null` without one. */
  readonly error: {
    readonly name: string
    readonly message: string
    readonly stack: string | null
  } | null
  readonly statementCount: number
}

/** What came of running a capsule. */
export type ReplayOutcome =
  | AnsweredNow
  /** The application has no route any more that the capsule names. */
  | { readonly is: 'no-route' }
  /** The application did not start as a test. */
  | { readonly is: 'not-started'; readonly message: string }
  /** A test cannot send the request, such as one whose tenant is in a credential. */
  | { readonly is: 'not-sent'; readonly message: string }
