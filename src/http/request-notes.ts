import type { Request, Response } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'

/** The routes of requests in a `@Use` router, which stores its own route in `req.route`. */
const routes = new WeakMap<object, RouteModel>()

/** Records the route of a request, because a router can replace `req.route`. */
export function noteRoute(req: object, route: RouteModel): void {
  routes.set(req, route)
}

/** Returns the route of a request, even in a `@Use` router; `undefined` if the request has no route. */
export function routeOf(req: { readonly route?: unknown }): RouteModel | undefined {
  const route = req.route as RouteModel | undefined
  // An Express route does not have this field.
  return route?.isEnveloped === undefined ? routes.get(req) : route
}

/** The data of a success response, and facts that its representation can use. */
export interface ProducedData {
  readonly status: number
  readonly message: string
  readonly data: unknown
}

/** The representation that was chosen for a request. */
export interface ChosenRepresentation {
  /** The media type, as declared in `@Produces`. */
  readonly type: string
  /** Sends data in this media type; `null` for JSON, which is sent as on any other route. */
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
 * Returns the `@Produces` media type that was chosen for a request from its `Accept` header (RFC 9110, 12.5.1).
 *
 * @param req The request.
 * @returns the type as declared in `@Produces`; `undefined` on a route without `@Produces`, and before the request has
 * passed the guard.
 * @example
 * // All orders for a table, one page for a program.
 * const orders = producedType(req) === 'text/csv' ? await all() : await page(req.query)
 */
export function producedType(req: Request): string | undefined {
  return chosen.get(req)?.type
}

/** The visibility of marked fields for one request. */
export interface RequestVisibility {
  /** The marks whose abilities the caller has, in a fixed order. */
  readonly held: readonly (readonly string[])[]
}

const visibilities = new WeakMap<object, RequestVisibility>()

/** Records which marked fields the caller of a request is allowed to see. */
export function noteVisibility(req: object, visibility: RequestVisibility): void {
  visibilities.set(req, visibility)
}

/** Returns the recorded visibility for a request. */
export function notedVisibility(req: object): RequestVisibility | undefined {
  return visibilities.get(req)
}

/**
 * Returns the marks of the `visibleTo` fields that the caller of a request is allowed to see: for each mark, its list
 * of abilities, in a fixed order. With this information, a handler can skip loading hidden fields. Code that stores
 * responses must include the result in its key, as `@Cache` does.
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
