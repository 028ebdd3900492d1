import type { AuthGuard } from '../contracts/guard.js'
import type { Interceptor } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { BodyLimits } from '../http/read-json.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { joinStages } from '../step/join-stages.js'
import type { OnError, RunRoute, SettlingStage, Stage, Step } from '../step/step.js'
import type { Deadlines } from './deadlines.js'
import type { LogDenial } from './log-denials.js'
import { foldSteps, NO_STEPS, type RouteSteps } from './route-steps.js'
import { compileBareResponses } from './steps/bare.js'
import { bodyStage } from './steps/body.js'
import { canStage, type Decide } from './steps/can.js'
import { datesStage, type FindDateWriter } from './steps/dates.js'
import { fieldsStage, type RouteFields } from './steps/fields.js'
import { guardStage } from './steps/guard.js'
import { handlerStage, type Invocation, takesResponse, unexpiredStage } from './steps/handler.js'
import { headersStage } from './steps/headers.js'
import { interceptStage } from './steps/intercept.js'
import { respondStage, settleOf } from './steps/respond.js'
import { type CompiledInput, validateStage } from './steps/validate.js'

/** The parts of a route that are not plain data. */
export interface RouteParts {
  /** The instance of the controller. */
  readonly instance: object
  /** Compiled schemas; empty if the route has none. */
  readonly inputs: readonly CompiledInput[]
  readonly stages: RouteStages
  /** `null` if the route has no documented response. */
  readonly dates: FindDateWriter | null
  /** `null` if the route sends all fields of its responses. */
  readonly fields: RouteFields | null
  /** Interceptors of plugins, the outermost first; empty if there are none. */
  readonly interceptors: readonly Interceptor[]
  /** The step before the handler of an application under test; `null` for all other applications. */
  readonly underTest: Stage | null
}

type FeatureStep = 'scope' | 'admission' | 'claim' | 'tenant' | 'membership' | 'quota'

/**
 * The steps that features add to one route. `null` if the route does not use the step. `STEPS` describes each
 * of them.
 */
export interface RouteStages extends Pick<RouteSteps, FeatureStep> {
  /**
   * The cache may send a response before the handler has run, or send one response to several requests.
   * Therefore it gets the function that sends responses.
   */
  readonly cache: SettlingStage | null
}

/** The stages of a route that uses no feature. Such routes are recognized by this object. */
export const NO_STAGES: RouteStages = Object.freeze({
  scope: null,
  admission: null,
  claim: null,
  tenant: null,
  membership: null,
  quota: null,
  cache: null,
})

/** The settings that all routes of an application share. */
export interface PipelineConfig {
  readonly guard: AuthGuard | null
  readonly logDenial: LogDenial
  readonly can: Decide | undefined
  readonly bodyLimits: BodyLimits
  /** `null` if handlers have no time limit. */
  readonly deadlines: Deadlines | null
  readonly onError: OnError
  /** Whether a middleware may end a request while its handler is still running. */
  readonly mayFailLate: boolean
  /** Whether the response to an error may be sent later, while the handler is still running. */
  readonly mayRespondToErrorsLater: boolean
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
}

/** Methods with a body. The body is read even if the route has no schema for it. */
export const METHODS_WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'ALL']

/**
 * Compiles a route to one function. It is called at boot.
 *
 * @throws TypeError if the controller has no method of this name.
 */
export function compileRoute(
  route: RouteModel,
  parts: RouteParts,
  config: PipelineConfig,
): RunRoute {
  return foldSteps(stepsOf(route, parts, config))
}

/** Lists the steps that a route uses, in the order of `STEPS`. */
export function stepsOf(route: RouteModel, parts: RouteParts, config: PipelineConfig): RouteSteps {
  const { inputs, stages, fields, dates, interceptors, underTest } = parts
  const invocation = invocationOf(route, parts.instance, config)
  const mayRespondLater = takesResponse(invocation)
  const response = { ...config, route, mayRespondLater, bare: compileBareResponses(route) }
  const isDescribed = route.inputs.body !== null
  const readsBody = isDescribed || METHODS_WITH_BODY.includes(route.method)
  const mayWait = readsBody || inputs.length > 0 || route.isProtected || stages !== NO_STAGES
  const mayExpire = config.deadlines !== null || config.mayFailLate
  // Written out: at boot, an object spread in the middle of a literal costs more than the rest of this function.
  const { claim, guard, tenant, membership, can } = accessSteps(route, stages, config)
  return {
    scope: stages.scope,
    respond: respondStage(response),
    admission: stages.admission,
    claim,
    guard,
    tenant,
    membership,
    can,
    quota: stages.quota,
    cache: stages.cache?.(settleOf(response)) ?? null,
    body: readsBody ? bodyStage({ limits: config.bodyLimits, isDescribed }) : null,
    validate: inputs.length > 0 ? validateStage(inputs) : null,
    unexpired: mayWait && mayExpire ? unexpiredStage : null,
    headers: route.headers === null ? null : headersStage(route.headers),
    fields:
      fields === null
        ? null
        : fieldsStage({ ...fields, name: route.name, onError: config.onError }),
    dates: dates === null ? null : datesStage(dates),
    intercept: joinStages(interceptors.map((intercept) => interceptStage(intercept, config))),
    underTest,
    handler: handlerStage(invocation),
  }
}

/** Compiles a route that only decides about access. It responds with 204 instead of calling the handler. */
export function compileProbe(
  route: RouteModel,
  stages: RouteStages,
  config: PipelineConfig,
): RunRoute {
  const stated = {
    route: { name: route.name, status: 204, redirect: null },
    mayRespondLater: false,
    bare: null,
  }
  return foldSteps({
    ...NO_STEPS,
    scope: stages.scope,
    respond: respondStage({ ...config, ...stated }),
    ...accessSteps(route, stages, config),
    handler: () => () => undefined,
  })
}

/** Creates the step that decides about access to a router. It returns `true` or a refusal. */
export function compileAdmission(stages: AccessStages, access: Access): Step {
  return foldSteps({
    ...NO_STEPS,
    ...accessSteps(null, stages, access),
    handler: () => () => true,
  })
}

type Access = Pick<PipelineConfig, 'guard' | 'logDenial' | 'can'>
type AccessStages = Pick<RouteStages, 'claim' | 'tenant' | 'membership'>

/**
 * The steps that decide about access.
 *
 * @param route `null` for a router, which always needs the guard.
 */
function accessSteps(
  route: RouteModel | null,
  { claim, tenant, membership }: AccessStages,
  { can, guard, logDenial }: Access,
): AccessStages & Pick<RouteSteps, 'guard' | 'can'> {
  const { abilities = null, isProtected = true } = route ?? {}
  const needsGuard = { guard, logDenial, route: route ?? undefined }
  return {
    claim,
    guard: isProtected ? guardStage(needsGuard) : null,
    tenant,
    membership,
    can: abilities === null ? null : canStage(abilities, can),
  }
}

function invocationOf(
  route: RouteModel,
  instance: object,
  { onError }: Pick<PipelineConfig, 'onError'>,
): Invocation {
  const method = (instance as Record<PropertyKey, Invocation['method'] | undefined>)[route.handler]
  if (typeof method !== 'function') throw new TypeError(`${route.name} is not a method`)
  return { instance, method, parameters: route.parameters, onError }
}
