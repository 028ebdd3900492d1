import type { RequestHandler } from './handler.js'

/** A `GET` route of the framework itself: no controller, not in the route table, not in the document. */
export interface FrameworkRoute {
  /** Full path, literal segments only. */
  readonly path: string
  readonly handle: RequestHandler
}
