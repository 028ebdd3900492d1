import type { Request, Response } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'

/** The routes of requests in a router of `@Use`, which stores its own route in `req.route`. */
const routes = new WeakMap<object, RouteModel>()

/** Records the route of a request whose `req.route` other code may replace. */
export function noteRoute(req: object, route: RouteModel): void {
  routes.set(req, route)
}

/** Returns the route of a request, including in a router of `@Use`; `undefined` if the request has none. */
export function routeOf(req: { readonly route?: unknown }): RouteModel | undefined {
  const route = req.route as RouteModel | undefined
  // A route of Express has no such field.
  return route?.isEnveloped === undefined ? routes.get(req) : route
}

/** The data of a success response, and the facts that its representation may use. */
export interface ProducedData {
  readonly status: number
  readonly message: string
  readonly data: unknown
}

/** The representation that was chosen for a request. */
export interface ChosenRepresentation {
  /** The media type, as declared in `@Produces`. */
  readonly type: string
  /** Sends data in this media type; `null` for JSON, which is sent as on other routes. */
  readonly send: ((res: Response, success: ProducedData) => void) | null
}

const chosen = new WeakMap<object, ChosenRepresentation>()

/** Records the representation of the response. */
export function chooseRepresentation(req: Request, representation: ChosenRepresentation): void {
  chosen.set(req, representation)
}

/** Returns the representation for a request; `undefined` before the step `negotiate`, and without `@Produces`. */
export function representationOf(req: Request): ChosenRepresentation | undefined {
  return chosen.get(req)
}

/**
 * Returns the media type of `@Produces` that was chosen for a request by its `Accept` header (RFC 9110, 12.5.1).
 *
 * @param req The request.
 * @returns the type as declared in `@Produces`; `undefined` for a route without `@Produces`, and before a request has
 * passed its guard.
 * @example
 * // All orders for a table, one page for a program.
 * const orders = producedType(req) === 'text/csv' ? await all() : await page(req.query)
 */
export function producedType(req: Request): string | undefined {
  return chosen.get(req)?.type
}

/** Facts about a request of a route with marked fields. */
export interface RequestVisibility {
  /** The marked abilities that the caller has, in a fixed order. */
  readonly held: readonly (readonly string[])[]
}

const visibilities = new WeakMap<object, RequestVisibility>()

/** Records which marked fields the caller of a request may see. */
export function noteVisibility(req: object, visibility: RequestVisibility): void {
  visibilities.set(req, visibility)
}

/** Returns the recorded facts about a request. */
export function notedVisibility(req: object): RequestVisibility | undefined {
  return visibilities.get(req)
}

/**
 * Returns which fields with `visibleTo` the caller of a request may see: a list of abilities for each mark that applies
 * to the caller, in a fixed order. A handler does not need to load fields that the caller cannot see. Code that stores
 * responses must add the list to its key, as `@Cache` does.
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
