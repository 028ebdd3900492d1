import type { Request, Response } from '../contracts/handler.js'

/** The data of a success, and the facts that its representation may show. */
export interface ProducedData {
  readonly status: number
  readonly message: string
  readonly data: unknown
}

/** The representation that a request gets. */
export interface ChosenRepresentation {
  /** The media type, as `@Produces` names it. */
  readonly type: string
  /** Sends data in it; `null` for JSON, which is sent as on every other route. */
  readonly send: ((res: Response, success: ProducedData) => void) | null
}

const chosen = new WeakMap<object, ChosenRepresentation>()

/** Notes the representation that a request gets. */
export function chooseRepresentation(req: Request, representation: ChosenRepresentation): void {
  chosen.set(req, representation)
}

/** Returns the representation that a request gets; `undefined` before the step `negotiate`, and without `@Produces`. */
export function representationOf(req: Request): ChosenRepresentation | undefined {
  return chosen.get(req)
}

/**
 * Returns the media type that `@Produces` has chosen for a request by its `Accept` header (RFC 9110, 12.5.1).
 *
 * @param req The request.
 * @returns the type as `@Produces` names it; `undefined` for a route without `@Produces`, and before a request has passed
 * its guard.
 * @example
 * // All orders for a table, one page for a program.
 * const orders = producedType(req) === 'text/csv' ? await all() : await page(req.query)
 */
export function producedType(req: Request): string | undefined {
  return chosen.get(req)?.type
}
