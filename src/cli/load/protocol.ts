import type { ProductionProblem } from '../../app/doctor/production-options.js'
import type { ExplainResult, RouteQuery } from '../../app/explain/explanation.js'
import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import type { RouteTableEntry } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import type { EnvReport } from '../../features/env/report-env.js'
import type { CliErrorFacts } from '../cli-error.js'

/** A command's query about an application. */
export type Question =
  /**
   * `env`: the variables that the application describes with `env()`. `doctor`: the application's possible problems.
   */
  | { readonly kind: 'documents' | 'routes' | 'env' | 'doctor' }
  | { readonly kind: 'explain'; readonly query: RouteQuery }
  | ({ readonly kind: 'replay' } & ReplayOrder)

/** A request from the parent to its child process. */
export type Job = { readonly module: string } & (
  | Question
  /** Loads the default export of a configuration module. */
  | { readonly kind: 'config' }
)

/** Whether the lines of decorators are needed. Recording them makes loading slower. */
export function recordsDecorators(kind: Job['kind']): boolean {
  return kind === 'explain' || kind === 'doctor'
}

/** A document with its errors and warnings. */
export interface DocumentReport {
  /** The path at which the application serves the page of the document. */
  readonly path: string
  readonly document: OpenApiDocument
  readonly problems: readonly Problem[]
}

/** A document's `x-jobs` field: the inputs of jobs, by job name. */
export type JobInputs = Readonly<Record<string, { readonly input?: OpenApiSchema }>>

/** The result of the child process. */
export type Report =
  | {
      readonly kind: 'documents'
      readonly documents: readonly DocumentReport[]
      readonly warnings: readonly Problem[]
    }
  | {
      readonly kind: 'routes'
      readonly routes: readonly RouteTableEntry[]
      readonly jobs: JobInputs
      readonly warnings: readonly Problem[]
    }
  | {
      readonly kind: 'explain'
      readonly result: ExplainResult
      readonly warnings: readonly Problem[]
    }
  | { readonly kind: 'replay'; readonly outcome: ReplayOutcome }
  | { readonly kind: 'env'; readonly envs: readonly EnvReport[] }
  | {
      readonly kind: 'doctor'
      readonly problems: readonly PlacedProblem[]
      readonly usesTenants: boolean
      readonly instances: readonly string[]
    }
  | { readonly kind: 'config'; readonly config: unknown }
  | Failure

/**
 * A problem in an application, with the position of its decorated class or method. The position is present only for the
 * commands that record decorators.
 */
export type PlacedProblem = (Problem | ProductionProblem) & {
  /** The absolute path of a file, and a line in it, counted from 1. */
  readonly place?: { readonly file: string; readonly line: number }
}

/** The reason why the child process has no result. */
export interface Failure {
  readonly kind: 'failure'
  /**
   * The cause: an error in the module's code, an invalid declaration of the application, or not exactly one
   * application.
   */
  readonly reason: 'threw' | 'declaration' | 'no-app' | 'several-apps'
  readonly message: string
  /** The stack of the error. */
  readonly stack?: string | undefined
  /** The problems in the declaration. */
  readonly problems?: readonly PlacedProblem[] | undefined
  /** The files from which instances of this package were loaded; present for an invalid declaration. */
  readonly instances?: readonly string[]
}

/** Marks the child's report, because the user's code can send other messages through the same channel. */
export interface Envelope {
  readonly blazon: Report
}

/** A capsule to run, and how to run it. */
export interface ReplayOrder {
  /** The absolute path of the capsule. */
  readonly file: string
  /** The capsule's route. */
  readonly route: RequestRecord['route']
  /** Whether the statements run in the application's database. */
  readonly usesDatabase: boolean
}

/** The server's response to the replayed request. */
export interface AnsweredNow
  extends Pick<RequestRecord, 'status' | 'error' | 'answeredBy' | 'statementCount'> {
  readonly is: 'answered'
  readonly hasReachedHandler: boolean
}

/** The result of running a capsule: a response, or the reason why there is none. */
export type ReplayOutcome = AnsweredNow | ({ readonly is: 'stopped' } & CliErrorFacts)
