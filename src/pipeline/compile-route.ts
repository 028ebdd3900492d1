import type { RouteModel } from '../contracts/route-model.js'
import {
  joinStages,
  type RunRoute,
  type Settle,
  type Step,
  type StepFactory,
} from '../step/step.js'
import { type Access, type AccessStages, accessSteps } from './access-steps.js'
import { markSteps, observeSteps } from './observe-steps.js'
import { ownSteps } from './pipeline-steps.js'
import { NO_STAGES, type PipelineConfig, type RouteParts } from './route-parts.js'
import { foldSteps, NO_STEPS, type RouteSteps } from './route-steps.js'
import { returnedSender, sendEnvelope } from './send-success.js'
import { bodyStage } from './steps/body.js'
import { hasAll } from './steps/can.js'
import {
  handlerStage,
  type Invocation,
  interceptStage,
  streamStage,
  takesResponse,
  unexpiredStage,
} from './steps/handler.js'
import { parametersStage } from './steps/parameters.js'
import { pluginStages } from './steps/plugin.js'
import {
  datesStage,
  fieldsPreparation,
  fieldsStage,
  headersStage,
} from './steps/prepare-response.js'
import { type RespondConfig, respondStage, settleOf } from './steps/respond.js'
import { useStage } from './steps/use.js'
import { validateStage } from './steps/validate.js'
import type { CompiledStream } from './streams/compile-stream.js'

/**
 * Compiles a route to one function. Boot calls this for each route.
 *
 * @throws TypeError if the controller has no method with the name `route.handler`.
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
  const { visibility } = parts
  const { scopes } = config
  const stream = streamFor(route, config)
  const invocation = invocationOf(route, parts.instance, config)
  const isDescribed = route.inputs.body !== null
  const isQuery = route.method === 'QUERY'
  const uses = usesOf(route, parts, config)
  // The fields are listed individually, because an object spread in the middle of a literal takes longer than the rest
  // of this function.
  const plugins = pluginStages(added, config)
  const { beforeGuard, unverifiedTenant, guard, tenant, authorizeTenant, afterGuard, can } =
    accessSteps(route, { stages, plugins }, config)
  return {
    scope: stages.scope,
    observe: plugins.observe,
    enter: plugins.enter,
    respond: respondStep(route, { visibility, invocation }, config),
    ipRateLimit: stages.ipRateLimit,
    beforeGuard,
    unverifiedTenant,
    guard,
    tenant,
    authorizeTenant,
    afterGuard,
    can,
    userRateLimit: stages.userRateLimit,
    use: uses.use ? useStage(middlewares, { ...config, route }) : null,
    negotiate: parts.negotiate,
    beforeBody: plugins.beforeBody,
    visibility:
      uses.visibility && visibility !== null ? visibility.ask(askConfig(route, config)) : null,
    cache: isQuery ? null : stages.cache,
    body: uses.body
      ? (parts.upload ?? bodies?.body ?? bodyStage({ limits: config.bodyLimits, isDescribed }))
      : null,
    queryCache: isQuery ? stages.cache : null,
    cookies: uses.cookies ? parts.cookies : null,
    hiddenInput: uses.hiddenInput && visibility !== null ? visibility.refuseSent() : null,
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
  { stages, added, interceptors, fields, visibility }: RouteParts,
  { deadlines, mayFailLate }: PipelineConfig,
): ReturnType<typeof ownSteps> {
  return ownSteps(route, {
    usesFeature: stages !== NO_STAGES,
    hasPluginSteps: added.length > 0,
    hasDeadline: deadlines !== null,
    mayFailLate,
    interceptsAll: interceptors.length > 0,
    limitsFields: fields !== null,
    visibility,
  })
}

/**
 * Creates the step that responds. In a route with marked fields, the step sends these fields only if it has been
 * determined that the caller is allowed to see them.
 */
function respondStep(
  route: RouteModel,
  { visibility, invocation }: Pick<RouteParts, 'visibility'> & { readonly invocation: Invocation },
  config: PipelineConfig,
): StepFactory {
  const respond = respondStage(respondConfig(route, invocation, config))
  if (visibility === null || !visibility.limitsResponses) return respond
  const hide = visibility.hideUntilAsked({ route, onError: config.onError })
  return (next) => respond(hide(next))
}

/**
 * Creates the step that limits response fields. Both limits are in one step, because only one function can prepare a
 * body.
 */
function fieldsStep(
  route: RouteModel,
  { fields, visibility }: RouteParts,
  { onError }: PipelineConfig,
): StepFactory | null {
  const limited = fields === null ? null : { fields, route, onError }
  if (visibility !== null) {
    const base = limited === null ? null : fieldsPreparation(limited)
    return visibility.hide({ route, base, onError })
  }
  return limited === null ? null : fieldsStage(limited)
}

function askConfig({ isProtected }: RouteModel, { can }: Pick<PipelineConfig, 'can'>) {
  return { decide: can ?? hasAll, isProtected }
}

/** Compiles the function that sends values as a route's responses. */
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

/** Compiles a route that only checks access: it calls the given handler without inputs, and responds with 204. */
export function compileProbe(
  route: RouteModel,
  {
    stages,
    added,
    visibility,
    handler,
  }: Pick<RouteParts, 'stages' | 'added' | 'visibility'> & { readonly handler: Step },
  config: PipelineConfig,
): RunRoute {
  const route204 = { ...route, status: 204, redirect: null }
  const plugins = pluginStages(added, config)
  const stated = { route: route204, mayRespondLater: false, stream: null, send: sendEnvelope }
  return foldSteps({
    ...NO_STEPS,
    scope: stages.scope,
    // A guard may read an async context that an `enter` step has created.
    enter: plugins.enter,
    respond: respondStage({ ...config, ...stated }),
    ...accessSteps(route, { stages, plugins }, config),
    visibility: visibility === null ? null : visibility.ask(askConfig(route, config)),
    handler: () => handler,
  })
}

/** Creates the step that decides about access to a router. The step returns `true` or a refusal. */
export function compileRouterAccess(stages: AccessStages, access: Access): Step {
  return foldSteps({
    ...NO_STEPS,
    ...accessSteps(null, { stages, plugins: null }, access),
    handler: () => () => true,
  })
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
