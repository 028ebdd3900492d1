import type { OpenApiDocument } from '../../contracts/openapi.js'
import type { RouteTableEntry } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'

/** What the parent asks its child process for. */
export type Job =
  | { readonly kind: 'documents' | 'routes'; readonly module: string }
  /** The configuration that a module exports as its default. */
  | { readonly kind: 'config'; readonly module: string }

/** A document with what is wrong or suspicious about it. */
export interface DocumentReport {
  /** Where the application serves its page. */
  readonly path: string
  readonly document: OpenApiDocument
  readonly problems: readonly Problem[]
}

/** What the child found. */
export type Report =
  | {
      readonly kind: 'documents'
      readonly documents: readonly DocumentReport[]
      readonly warnings: readonly Problem[]
    }
  | {
      readonly kind: 'routes'
      readonly routes: readonly RouteTableEntry[]
      readonly warnings: readonly Problem[]
    }
  | { readonly kind: 'config'; readonly config: unknown }
  | Failure

/** Why the child found nothing. */
export interface Failure {
  readonly kind: 'failure'
  /** Who failed: the module's code, the declaration of the application, or the search for one. */
  readonly reason: 'threw' | 'declaration' | 'no-app' | 'several-apps'
  readonly message: string
  /** Where it was thrown. */
  readonly stack?: string | undefined
}

/** Marks the one message that is the child's answer: the application, and what it loads, may send others. */
export interface Envelope {
  readonly blazon: Report
}
