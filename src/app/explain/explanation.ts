import type { RouteTableEntry } from '../../contracts/route-model.js'
import type { Phase, StepName } from '../../contracts/steps.js'

/** A step that requests of the route pass. */
export interface ExplainedStep {
  readonly name: StepName
  readonly phase: Phase
  /** The effect of the step, in one line. */
  readonly does: string
  /** `false` if plugins decide about the step, so it is certain only in the running application. */
  readonly isCertain: boolean
  /** Names, limits and schemas that the step uses. A line each. */
  readonly sources: readonly string[]
}

/** A line of a file, relative to the working directory. */
export interface SourcePlace {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** A decorator of the route or of its class. */
export interface ExplainedDecorator {
  /** `@Get`. */
  readonly name: string
  /** `class Users`, `Users.getById`, or `parameter 0 of Users.getById`. A base class is named where it has the decorator. */
  readonly on: string
  /** `null` if its stack shows no file. */
  readonly at: SourcePlace | null
}

/** Everything that a request of one route passes. docs/cli.md lists the fields. */
export interface RouteExplanation extends RouteTableEntry {
  /** Express middlewares of `middlewares` and of plugins, in order: `{ name: 'cors', from: 'middlewares[0]' }`. */
  readonly before: readonly { readonly name: string; readonly from: string }[]
  readonly steps: readonly ExplainedStep[]
  /** Class decorators first, then method decorators; the controller first, then its base classes. */
  readonly decorators: readonly ExplainedDecorator[]
}

/** The route to explain. */
export interface RouteQuery {
  /** In upper case; `null` for any. */
  readonly method: string | null
  /** The path of a request, or of a route, with `:id` or `{id}`. */
  readonly path: string
  /** Only routes of this version, and those in every version. Default: the routes of all versions. */
  readonly version?: string | undefined
}

/** The explanation of a route; or the routes that match the path, if not exactly one matches path and method. */
export type ExplainResult =
  | { readonly kind: 'route'; readonly route: RouteExplanation }
  | { readonly kind: 'candidates'; readonly candidates: readonly RouteTableEntry[] }
