import type { Request } from '../contracts/handler.js'

/** Facts about a request of a route with marked fields. */
export interface RequestVisibility {
  /** The abilities of the marks that the caller holds, in a fixed order. */
  readonly held: readonly (readonly string[])[]
}

const visibilities = new WeakMap<object, RequestVisibility>()

/** Notes which marked fields the caller of a request may see. */
export function noteVisibility(req: object, visibility: RequestVisibility): void {
  visibilities.set(req, visibility)
}

/** Returns the notes for a request. */
export function notedVisibility(req: object): RequestVisibility | undefined {
  return visibilities.get(req)
}

/**
 * Returns which fields with `visibleTo` of its route the caller of a request may see: a list of abilities
 * for each mark that the caller holds, in a fixed order. A handler need not load fields that the caller cannot see, and
 * code that keeps responses puts the list into its key, as `@Cache` does.
 *
 * @param req The request.
 * @returns `undefined` on a route without such fields, and before the step `visibility`.
 * @example
 * // `salary` is `z.number().meta({ visibleTo: 'payroll:read' })`
 * const seesSalaries = visibilityOf(req)?.some(([ability]) => ability === 'payroll:read') ?? false
 */
export function visibilityOf(req: Request): readonly (readonly string[])[] | undefined {
  return visibilities.get(req)?.held
}
