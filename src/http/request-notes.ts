import type { Request, Response } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'

/** The routes of requests that are in a router of `@Use`, which puts its own route into `req.route`. */
const routes = new WeakMap<object, RouteModel>()

/** Records the route of a request whose `req.route` other code may replace. */
export function noteRoute(req: object, route: RouteModel): void {
  routes.set(req, route)
}

/** Returns the route of a request, also in a router of `@Use`; `undefined` if the request has none. */
export function routeOf(req: { readonly route?: unknown }): RouteModel | undefined {
  const route = req.route as RouteModel | undefined
  // A route of Express has no such field.
  return route?.isEnveloped === undefined ? routes.get(req) : route
}

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
  /** Sends data in this media type; `null` for JSON, which is sent as on other routes. */
  readonly send: ((res: Response, success: ProducedData) => void) | null
}

const chosen = new WeakMap<object, ChosenRepresentation>()

/** Records the representation of the response. */
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

/** Facts about a request of a route with marked fields. */
export interface RequestVisibility {
  /** The marked abilities that the caller holds, in a fixed order. */
  readonly held: readonly (readonly string[])[]
}

const visibilities = new WeakMap<object, RequestVisibility>()

/** Records which marked fields the caller of a request may see. */
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
