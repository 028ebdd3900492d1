import type { Request, Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest } from '../../http/request.js'
import { notedVisibility, noteVisibility } from '../../http/request-notes.js'
import { destroyStream, discardBody, toRawBody } from '../../http/send/raw-body.js'
import { ALL_ROWS, type JsonPreparation, prepareJson, REFUSED } from '../../http/send/send-json.js'
import { kHasFailed } from '../../http/symbol-fields.js'
import { toPlain } from '../../schema/fields/to-plain.js'
import type { HideFields } from '../../schema/visibility/hide-fields.js'
import type { Mark } from '../../schema/visibility/marks.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable, type OnError, type StepFactory, whenSettled } from '../../step/step.js'
import { limitErrors } from '../field-errors.js'
import type { Decide } from '../steps/can.js'
import { explained } from '../steps/prepare-response.js'
import { hideInItemsOf } from '../streams/stream-items.js'
import type { HeldVisibility, RouteVisibility } from './compile-visibility.js'

/** The marked fields of a route, and the stages that handle them. */
export interface VisibilityStages extends RouteVisibility {
  readonly ask: (config: Omit<AskConfig, 'visibility'>) => StepFactory
  readonly refuseSent: () => StepFactory
  readonly hideUntilAsked: (config: Omit<VisibleConfig, 'visibility' | 'base'>) => StepFactory
  readonly hide: (config: Omit<VisibleConfig, 'visibility'>) => StepFactory
}

/** Creates the stages that handle a route's marked fields. */
export function visibilityStages(visibility: RouteVisibility): VisibilityStages {
  return {
    ...visibility,
    ask: (config) => visibilityStage({ ...config, visibility }),
    refuseSent: () => sendableStage(visibility),
    hideUntilAsked: (config) => unaskedStage({ ...config, visibility }),
    hide: (config) => visibleStage({ ...config, visibility }),
  }
}

/** The input of {@link visibilityStage}. */
export interface AskConfig {
  readonly visibility: RouteVisibility
  /** Decides whether the caller has all abilities that a mark requires. */
  readonly decide: Decide
  /**
   * Whether a guard has allowed every caller. If not, callers without a user have no abilities, so no check runs for
   * them.
   */
  readonly isProtected: boolean
}

/** Determines which marked fields the caller is allowed to see. If this fails, the request fails. */
export function visibilityStage({ visibility, decide, isProtected }: AskConfig): StepFactory {
  const { marks, forHeld } = visibility
  const withoutAbilities = forHeld([])
  return (next) =>
    function askVisibility(req, res) {
      if (!isProtected && (req.user === undefined || req.user === null)) {
        noteVisibility(req, withoutAbilities)
        return next(req, res)
      }
      const verdicts = marks.map((mark) => ask(decide, mark, req))
      const go = (settled: readonly unknown[]) => {
        noteVisibility(req, forHeld(settled.map((verdict) => verdict === true)))
        return next(req, res)
      }
      return verdicts.some(isThenable) ? Promise.all(verdicts).then(go) : go(verdicts)
    }
}

/**
 * Returns a rejected promise instead of throwing. If it threw, a rejected promise for another mark would stay
 * unhandled.
 */
function ask(decide: Decide, mark: Mark, req: Request): unknown {
  try {
    return decide(req.user, mark, req)
  } catch (error) {
    return Promise.reject(error)
  }
}

/**
 * Removes all marked fields from the responses of steps before {@link visibleStage}, such as `@Use` middlewares. At
 * that point, it is not yet known which fields the caller is allowed to see.
 */
export function unaskedStage(config: Omit<VisibleConfig, 'base'>): StepFactory {
  const preparation = preparationOf(config.visibility.forHeld([]), { ...config, base: null })
  return (next) =>
    function hideUntilAsked(req, res) {
      prepareJson(res, preparation)
      return next(req, res)
    }
}

/** Refuses requests with fields that are hidden from the caller, before anything is validated. */
export function sendableStage(visibility: RouteVisibility): StepFactory {
  return (next) =>
    function refuseHidden(req, res) {
      const errors = heldBy(req, visibility).findSent(req)
      return errors.length === 0 ? next(req, res) : new Refusal(forbidden(errors))
    }
}

function forbidden(errors: ReturnType<HeldVisibility['findSent']>): Error {
  const message = 'You do not have permission to send some of these fields'
  return refuse('FIELD_FORBIDDEN', message, { errors: limitErrors(errors) })
}

/** Returns the functions for a request's abilities. If no check has run for the request, it has no abilities. */
function heldBy(req: object, { forHeld }: RouteVisibility): HeldVisibility {
  return (notedVisibility(req) as HeldVisibility | undefined) ?? forHeld([])
}

/** The input of {@link visibleStage}. */
export interface VisibleConfig {
  readonly visibility: RouteVisibility
  readonly route: Pick<RouteModel, 'name' | 'stream'>
  /** The preparation that limits the fields of all responses; `null` if there is none. */
  readonly base: JsonPreparation | null
  readonly onError: OnError
}

/** Removes hidden fields from the response. */
export function visibleStage(config: VisibleConfig): StepFactory {
  const { visibility, route, base } = config
  // This is a weak map, so that entries can be garbage-collected.
  const known = new WeakMap<HeldVisibility, JsonPreparation>()
  const preparationFor = (held: HeldVisibility): JsonPreparation => {
    const found = known.get(held) ?? preparationOf(held, config)
    known.set(held, found)
    return found
  }
  return (next) =>
    function hideFields(req, res) {
      const held = heldBy(req, visibility)
      if (held.isComplete) {
        prepareJson(res, base)
        return next(req, res)
      }
      prepareJson(res, preparationFor(held))
      if (route.stream !== null) hideInItemsOf(req, (item) => held.hideInItem(toPlain(item)))
      const value = next(req, res)
      if (!visibility.limitsResponses) return value
      const checked = (settled: unknown) => {
        refuseBytes(settled, res, route)
        return settled
      }
      return isThenable(value) ? whenSettled(value, checked) : checked(value)
    }
}

/** Throws for a value that is sent as raw bytes, because fields cannot be removed from it. */
function refuseBytes(value: unknown, res: Response, { name }: VisibleConfig['route']): void {
  if (value === res || res.headersSent) return
  const raw = toRawBody(value)
  if (raw === null || (raw.kind === 'response' && raw.response.body === null)) return
  if (raw.kind === 'stream') destroyStream(raw.stream)
  else discardBody(value)
  throw new TypeError(
    `${name} returned bytes, a stream, a file or a Response, but its response has fields with visibleTo: ` +
      'fields cannot be omitted from such a value. Return the data, or describe the response with `contentType` and no marked schema.',
  )
}

function preparationOf(
  held: HeldVisibility,
  { base, route: { name }, onError }: VisibleConfig,
): JsonPreparation {
  const hidden = (body: unknown, status: number, hide: HideFields): unknown => {
    if (body === REFUSED || body === undefined) return body
    try {
      return hide(toPlain(body))
    } catch (cause) {
      throw explained(cause, `${name}: the response ${status}`)
    }
  }
  /**
   * The error is reported as an error of the route instead of being thrown, for the reason in `checkFields` of
   * `steps/prepare-response.ts`.
   */
  const refuseAll = (status: number, res: Response): typeof REFUSED => {
    const message =
      `${name}: the response ${status} has no schema, but the route has record values or list items with ` +
      '`visibleTo`. They have no names, so they cannot be found and omitted. ' +
      `Describe the response with @ApiResponseDoc({ status: ${status}, schema }).`
    onError(refuse('INTERNAL_SERVER_ERROR', message), res.req as BlazonRequest, res)
    return REFUSED
  }
  const hideAs = (part: 'body' | 'data', limited: unknown, status: number, res: Response) => {
    if (limited === REFUSED || limited === undefined) return limited
    const hide = held.hideIn(status)
    // If the request has failed, the application is responsible for the response that an error middleware sends,
    // including its message.
    const mayRefuse = !(res.req as BlazonRequest)[kHasFailed]
    if (!hide.findsAll && mayRefuse) return refuseAll(status, res)
    return hidden(limited, status, hide[part])
  }
  const inEnvelope = base?.inEnvelope ?? null
  const limited = inEnvelope?.prepareData ?? null
  return {
    prepare(body, res) {
      const first = base === null ? body : base.prepare(body, res)
      return hideAs('body', first, res.statusCode, res)
    },
    inEnvelope: {
      prepareData(data, status, res) {
        const first = limited === null ? data : limited(data, status, res)
        return hideAs('data', first, status, res)
      },
      ofBody: inEnvelope?.ofBody ?? AS_IT_IS,
    },
    rowsOf(status, res) {
      const { rows } = held.hideIn(status)
      const first = base === null ? ALL_ROWS : base.rowsOf(status, res)
      if (rows === null || first === null) return null
      const limit = (all: readonly unknown[]) => hidden(first.limit(all), status, rows.list) ?? []
      return { limit, isDocument: rows.isDocument }
    },
    isRequired: true,
  }
}

/** The preparation for an envelope whose data no longer contains hidden fields. */
const AS_IT_IS: JsonPreparation = {
  prepare: (body) => body,
  inEnvelope: null,
  rowsOf: () => ALL_ROWS,
  isRequired: true,
}
