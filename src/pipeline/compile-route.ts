import type { RequestHandler } from '../contracts/handler.js'
import type { Interceptor } from '../contracts/interceptor.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { BodyLimits } from '../http/read-json.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { guardsOfRoute } from '../model/route-guards.js'
import { joinStages } from '../step/join-stages.js'
import type { OnError, RunRoute, Settle, Stage, Step } from '../step/step.js'
import type { AudienceStages } from './audience/audience-stages.js'
import type { Deadlines } from './deadlines.js'
import type { OnLateError } from './late-errors.js'
import type { LogDenial } from './log-denials.js'
import type { LogFailure } from './log-failure.js'
import { markSteps } from './mark-causes.js'
import { type OnStep, observeSteps } from './observe-steps.js'
import { ownSteps } from './own-steps.js'
import { foldSteps, NO_STEPS, type RouteSteps } from './route-steps.js'
import { returnedSender, sendEnvelope } from './send-success.js'
import type { BodyStages } from './steps/bodies.js'
import { bodyStage } from './steps/body.js'
import { canStage, type Decide, hasAll } from './steps/can.js'
import { datesStage, type FindDateWriter } from './steps/dates.js'
import { fieldsPreparation, fieldsStage, type RouteFields } from './steps/fields.js'
import { type GuardConfig, guardStage, optionalGuardStage, type RouteGuard } from './steps/guard.js'
import { handlerStage, type Invocation, takesResponse, unexpiredStage } from './steps/handler.js'
import { headersStage } from './steps/headers.js'
import { interceptStage } from './steps/intercept.js'
import type { NamedSteps } from './steps/observe.js'
import { type CompiledParameter, parametersStage } from './steps/parameters.js'
import { type PluginStages, pluginStages } from './steps/plugin.js'
import { type RespondConfig, respondStage, settleOf } from './steps/respond.js'
import { severalGuardsStage } from './steps/several-guards.js'
import { streamStage } from './steps/stream.js'
import { useStage } from './steps/use.js'
import { type CompiledInput, validateStage } from './steps/validate.js'
import type { CompiledStream } from './streams/compile-stream.js'

/** The parts of a route that are not plain data. */
export interface RouteParts {
  /** The instance of the controller. */
  readonly instance: object
  /** Compiled schemas; empty if the route has none. */
  readonly inputs: readonly CompiledInput[]
  /** The steps of a body with options; `null` if the route reads a JSON body, or none. */
  readonly bodies: BodyStages | null
  /** The step that chooses a representation; `null` without `@Produces`. */
  readonly negotiate: Stage | null
  /** The step that reads a form with files; `null` if the route reads none. */
  readonly upload: Stage | null
  /** The step that parses cookies; `null` if the route reads none. */
  readonly cookies: Stage | null
  readonly stages: RouteStages
  /** `null` if the route has no documented response. */
  readonly dates: FindDateWriter | null
  /** `null` if the route sends all fields of its responses. */
  readonly fields: RouteFields | null
  /** The marked fields (`visibleTo`) and the steps for them; `null` if the route has none. */
  readonly audience: AudienceStages | null
  /** The steps of plugins, the outermost first; empty if there are none. */
  readonly added: readonly NamedSteps[]
  /** Express middlewares of `@Use`; empty if there are none. */
  readonly middlewares: readonly RequestHandler[]
  /** Interceptors, the outermost first; empty if there are none. */
  readonly interceptors: readonly Interceptor[]
  /** Parameters of `defineParameter`; empty if the route uses none. */
  readonly parameters: readonly CompiledParameter[]
  /** The step before the handler of an application under test; `null` for all other applications. */
  readonly underTest: Stage | null
}

type FeatureStep = 'scope' | 'admission' | 'claim' | 'tenant' | 'membership' | 'quota' | 'cache'

/**
 * The steps that features add to one route. `null` if the route does not use the step. `STEPS` describes each
 * of them.
 */
export type RouteStages = Pick<RouteSteps, FeatureStep>

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

/** The settings of a route. All routes of an application without limits of their own share the object. */
export interface PipelineConfig {
  /** The guards of the application, the default one first; empty if it has none. */
  readonly guards: readonly RouteGuard[]
  readonly logDenial: LogDenial
  readonly can: Decide | undefined
  readonly bodyLimits: BodyLimits
  /** `null` if handlers have no time limit. */
  readonly deadlines: Deadlines | null
  readonly onError: OnError
  readonly onLateError: OnLateError
  readonly log: LogFailure
  /** The status of a request that a schema rejects. */
  readonly validationStatus: number
  /** Whether a middleware may end a request while its handler is still running. */
  readonly mayFailLate: boolean
  /** Whether the response to an error may be sent later, while the handler is still running. */
  readonly mayRespondToErrorsLater: boolean
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Whether a plugin observes all requests. */
  readonly isObserved: boolean
  /** `null` if no plugin observes steps. */
  readonly onStep: OnStep | null
  /** The functions of a route that streams; `null` if no route does. */
  readonly streamOf: ((route: RouteModel) => CompiledStream | null) | null
}

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
  const { isObserved, onStep } = config
  const steps = stepsOf(route, parts, config)
  const reported = onStep === null ? steps : observeSteps(steps, onStep)
  return foldSteps(isObserved ? markSteps(reported) : reported)
}

/** Lists the steps that a route uses, in the order of `STEPS`. */
export function stepsOf(route: RouteModel, parts: RouteParts, config: PipelineConfig): RouteSteps {
  const { inputs, bodies, stages, dates, added, middlewares, interceptors, parameters } = parts
  const { audience } = parts
  const { scopes } = config
  const stream = streamFor(route, config)
  const invocation = invocationOf(route, parts.instance, config)
  const isDescribed = route.inputs.body !== null
  const uses = usesOf(route, parts, config)
  // Written out: at boot, an object spread in the middle of a literal costs more than the rest of this function.
  const plugins = pluginStages(added, config)
  const { beforeGuard, claim, guard, tenant, membership, afterGuard, can } = accessSteps(
    route,
    { stages, plugins },
    config,
  )
  return {
    scope: stages.scope,
    observe: plugins.observe,
    enter: plugins.enter,
    respond: respondStep(route, { audience, invocation }, config),
    admission: stages.admission,
    beforeGuard,
    claim,
    guard,
    tenant,
    membership,
    afterGuard,
    can,
    quota: stages.quota,
    use: uses.use ? useStage(middlewares, { ...config, route }) : null,
    negotiate: parts.negotiate,
    beforeBody: plugins.beforeBody,
    audience: uses.audience && audience !== null ? audience.ask(askConfig(route, config)) : null,
    cache: stages.cache,
    body: uses.body
      ? (parts.upload ?? bodies?.body ?? bodyStage({ limits: config.bodyLimits, isDescribed }))
      : null,
    cookies: uses.cookies ? parts.cookies : null,
    sendable: uses.sendable && audience !== null ? audience.refuseSent() : null,
    validate: uses.validate ? (bodies?.validate ?? validateStage(inputs, config)) : null,
    unexpired: uses.unexpired ? unexpiredStage : null,
    headers: uses.headers ? headersStage(route.headers ?? []) : null,
    fields: fieldsStep(route, parts, config),
    dates: dates === null ? null : datesStage(dates),
    beforeHandler: plugins.beforeHandler,
    intercept: uses.intercept
      ? joinStages(interceptors.map((each) => interceptStage(each, scopes)))
      : null,
    aroundHandler: plugins.aroundHandler,
    underTest: parts.underTest,
    stream: uses.stream && stream !== null ? streamStage(stream) : null,
    parameters: parameters.length > 0 ? parametersStage(parameters) : null,
    handler: handlerStage(invocation),
  }
}

function usesOf(
  route: RouteModel,
  { stages, added, interceptors, fields, audience }: RouteParts,
  { deadlines, mayFailLate }: PipelineConfig,
): ReturnType<typeof ownSteps> {
  return ownSteps(route, {
    usesFeature: stages !== NO_STAGES,
    hasPluginSteps: added.length > 0,
    hasDeadline: deadlines !== null,
    mayFailLate,
    interceptsAll: interceptors.length > 0,
    limitsFields: fields !== null,
    audience,
  })
}

/** The step that responds. In a route with marked fields, no later step sends them before the caller is known. */
function respondStep(
  route: RouteModel,
  { audience, invocation }: Pick<RouteParts, 'audience'> & { readonly invocation: Invocation },
  config: PipelineConfig,
): Stage {
  const respond = respondStage(respondConfig(route, invocation, config))
  if (audience === null || !audience.limitsResponses) return respond
  const hide = audience.hideUntilAsked({ route, onError: config.onError })
  return (next) => respond(hide(next))
}

/** The step that limits the fields of responses. Only one function can prepare a body, so both limits are one step. */
function fieldsStep(
  route: RouteModel,
  { fields, audience }: RouteParts,
  { onError }: PipelineConfig,
): Stage | null {
  const limited = fields === null ? null : { fields, route, onError }
  if (audience !== null) {
    const base = limited === null ? null : fieldsPreparation(limited)
    return audience.hide({ route, base, onError })
  }
  return limited === null ? null : fieldsStage(limited)
}

function askConfig({ isProtected }: RouteModel, { can }: Pick<PipelineConfig, 'can'>) {
  return { decide: can ?? hasAll, isProtected }
}

/** Compiles the function that sends values as the responses of a route. */
export function compileSettle(route: RouteModel, instance: object, config: PipelineConfig): Settle {
  return settleOf(respondConfig(route, invocationOf(route, instance, config), config))
}

function respondConfig(
  route: RouteModel,
  invocation: Invocation,
  config: PipelineConfig,
): RespondConfig {
  const mayRespondLater = takesResponse(invocation)
  const stream = streamFor(route, config)?.send ?? null
  const send = returnedSender(route)
  const { onError, deadlines, scopes, mayRespondToErrorsLater } = config
  return {
    route,
    mayRespondLater,
    stream,
    send,
    onError,
    deadlines,
    scopes,
    mayRespondToErrorsLater,
  }
}

function streamFor(
  route: RouteModel,
  { streamOf }: Pick<PipelineConfig, 'streamOf'>,
): CompiledStream | null {
  return streamOf === null ? null : streamOf(route)
}

/** Compiles a route that only decides about access. It calls another handler, without inputs, and responds with 204. */
export function compileProbe(
  route: RouteModel,
  {
    stages,
    added,
    audience,
    handler,
  }: Pick<RouteParts, 'stages' | 'added' | 'audience'> & { readonly handler: Step },
  config: PipelineConfig,
): RunRoute {
  const route204 = { ...route, status: 204, redirect: null }
  const plugins = pluginStages(added, config)
  const stated = { route: route204, mayRespondLater: false, stream: null, send: sendEnvelope }
  return foldSteps({
    ...NO_STEPS,
    scope: stages.scope,
    // A guard may read the async context of an `enter` step.
    enter: plugins.enter,
    respond: respondStage({ ...config, ...stated }),
    ...accessSteps(route, { stages, plugins }, config),
    audience: audience === null ? null : audience.ask(askConfig(route, config)),
    handler: () => handler,
  })
}

/** Creates the step that decides about access to a router. It returns `true` or a refusal. */
export function compileAdmission(stages: AccessStages, access: Access): Step {
  return foldSteps({
    ...NO_STEPS,
    ...accessSteps(null, { stages, plugins: null }, access),
    handler: () => () => true,
  })
}

type Access = Pick<PipelineConfig, 'guards' | 'logDenial' | 'can'>
type AccessStages = Pick<RouteStages, 'claim' | 'tenant' | 'membership'>

type AccessSteps = AccessStages & Pick<RouteSteps, 'beforeGuard' | 'guard' | 'afterGuard' | 'can'>

interface AddedToAccess {
  readonly stages: AccessStages
  /** `null` for a router, which no plugin has steps for. */
  readonly plugins: Pick<PluginStages, 'beforeGuard' | 'afterGuard'> | null
}

/**
 * The steps that decide about access.
 *
 * @param route `null` for a router, which always needs the guard.
 */
function accessSteps(
  route: RouteModel | null,
  { stages: { claim, tenant, membership }, plugins }: AddedToAccess,
  { can, guards, logDenial }: Access,
): AccessSteps {
  const { abilities = null, isProtected = true, isAuthOptional = false } = route ?? {}
  const accepted = route === null ? guards.slice(0, 1) : guardsOfRoute(route, guards)
  // The cache of a route decides itself who gets a response.
  const forbidsStoring = (route?.cache ?? null) === null
  const config = { guards: accepted, logDenial, route: route ?? undefined, forbidsStoring }
  return {
    beforeGuard: plugins?.beforeGuard ?? null,
    claim,
    guard: isProtected || isAuthOptional ? stageOfGuards(config, isAuthOptional) : null,
    tenant,
    membership,
    afterGuard: plugins?.afterGuard ?? null,
    can: abilities === null ? null : canStage({ abilities, guards: accepted, decide: can }),
  }
}

function stageOfGuards(config: GuardConfig, isOptional: boolean): Stage {
  if (config.guards.length > 1) return severalGuardsStage(config, isOptional)
  return isOptional ? optionalGuardStage(config) : guardStage(config)
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
