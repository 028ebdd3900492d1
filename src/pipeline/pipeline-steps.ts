import type { ResponseFieldsMode } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { readsBody } from '../model/bounds.js'
import { isBodiless } from '../schema/response-shape.js'
import type { MarkedSides } from '../schema/visibility/route-marks.js'
import type { StepsBy } from './route-steps.js'

/** The facts that determine a route's steps, besides the route itself. */
export interface StepFacts {
  /** Whether the route uses a step of a feature, such as a tenant, a rate limit or a cache. */
  readonly usesFeature: boolean
  /** Whether a plugin adds steps to the route. */
  readonly hasPluginSteps: boolean
  /** Whether handlers have a time limit. */
  readonly hasDeadline: boolean
  /** Whether a middleware can end a request while its handler is still running. */
  readonly mayFailLate: boolean
  /** Whether the application itself has interceptors. */
  readonly interceptsAll: boolean
  /** Whether response fields are removed or checked; see {@link fieldsModeOf}. */
  readonly limitsFields: boolean
  /** The route's marked fields (`visibleTo`); `null` if there are none. */
  readonly visibility: MarkedSides | null
}

/**
 * Returns the mode for a route's response fields. The mode is `send` if no response has a schema.
 *
 * @param ofApp The mode for routes without `@ResponseFields`.
 */
export function fieldsModeOf(
  { responseFields, operation: { responses } }: RouteModel,
  ofApp: ResponseFieldsMode,
): ResponseFieldsMode {
  const mode = responseFields ?? ofApp
  if (mode === 'send') return mode
  const isDescribed = responses.some(
    ({ status, schema }) => schema !== undefined && !isBodiless(status),
  )
  return isDescribed ? mode : 'send'
}

/**
 * Whether a success response is documented in such a way that the positions of dates are known. A custom envelope can
 * put the data anywhere.
 */
export function hasKnownDates({ stream, envelope, operation: { responses } }: RouteModel): boolean {
  return (
    stream === null &&
    typeof envelope === 'boolean' &&
    responses.some(({ status, schema }) => status < 400 && schema !== undefined)
  )
}

/**
 * Decides which of its own steps the pipeline uses for a route. The route compiler and `--explain` use this function.
 */
export function ownSteps(
  route: RouteModel,
  facts: StepFacts,
): Readonly<Record<StepsBy<'route'>, boolean>> {
  const { inputs, uses, isProtected, isAuthOptional } = route
  const { usesFeature, hasPluginSteps, hasDeadline, mayFailLate, interceptsAll, visibility } = facts
  const limitsFields = facts.limitsFields || visibility !== null
  const { params, query, headers, cookies, body } = inputs
  const isRead = readsBody(route)
  const isOfHead = params !== null || query !== null || headers !== null || cookies !== null
  const isChecked = isOfHead || body !== null
  const hasMiddlewares = uses !== null && uses.middlewares.length > 0
  const mayWait =
    isRead ||
    isChecked ||
    isProtected ||
    isAuthOptional ||
    usesFeature ||
    hasPluginSteps ||
    visibility !== null
  const mayExpire = hasDeadline || mayFailLate
  return {
    use: hasMiddlewares,
    negotiate: route.produces !== null,
    visibility: visibility !== null,
    body: isRead,
    cookies: route.cookies !== null,
    hiddenInput: visibility?.limitsRequests === true,
    validate: isChecked,
    unexpired: hasMiddlewares || (mayWait && mayExpire),
    headers: route.headers !== null,
    fields: limitsFields,
    // If fields are limited, the copy with the described fields already contains dates as strings.
    dates: !limitsFields && hasKnownDates(route),
    intercept: interceptsAll || (uses !== null && uses.interceptors.length > 0),
    stream: route.stream !== null,
  }
}
