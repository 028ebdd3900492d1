import type { RouteModel } from '../../contracts/route-model.js'
import type { StepName } from '../../contracts/steps.js'
import { isCached } from '../../features/cache/build-cache.js'
import { FEATURES } from '../../features/index.js'
import {
  type PlannedLimit,
  placeLimits,
  planLimits,
} from '../../features/rate-limit/plan-limits.js'
import {
  isAuthorized,
  isConfirmed,
  isVerified,
  needsTenant,
  usesTenants,
} from '../../features/tenancy/tenant-rules.js'
import { handlerMsOf } from '../../pipeline/deadline-set.js'
import { fieldsModeOf, ownSteps } from '../../pipeline/pipeline-steps.js'
import { STEPS, stepsBy } from '../../pipeline/route-steps.js'
import { markedSides, marksOfRoute } from '../../schema/visibility/route-marks.js'
import type { Description } from '../describe.js'
import { isForErrors } from '../prepare-middlewares.js'
import type { Settings } from '../settings/settings.js'
import type { ExplainedStep } from './explanation.js'
import { sourcesOf } from './step-sources.js'

/** An application before it starts. */
export interface ReadApp {
  readonly settings: Settings
  readonly model: Description['model']
}

/**
 * Lists the steps of a route in their order, without an instance of anything. A step is not certain if only plugins
 * decide about it: they return their steps when the application runs.
 */
export function explainSteps(route: RouteModel, app: ReadApp): ExplainedStep[] {
  const { settings, model } = app
  const limits = planLimits(settings.rateLimit, model).ofRoutes[route.index] ?? []
  const plugins = settings.plugins.filter(({ steps }) => steps !== undefined)
  const mayBeExtended = plugins.length > 0
  const certain = usedSteps(route, limits, { ...app, hasPluginSteps: false })
  const possible = usedSteps(route, limits, { ...app, hasPluginSteps: mayBeExtended })
  return STEPS.filter(({ name }) => possible.has(name)).map(({ name, phase, does }) => {
    const own = sourcesOf(name, { route, limits, settings })
    const isCertain = certain.has(name)
    const others = isCertain ? [] : plugins.map((plugin) => `plugin '${plugin.name}'`)
    return { name, phase, does, isCertain, sources: [...own, ...others] }
  })
}

function usedSteps(
  route: RouteModel,
  limits: readonly PlannedLimit[],
  { settings, model, hasPluginSteps }: ReadApp & { readonly hasPluginSteps: boolean },
): ReadonlySet<StepName> {
  const features = featureSteps(route, limits, { settings, model })
  const own = ownSteps(route, {
    usesFeature: features.length > 0,
    hasPluginSteps,
    hasDeadline: handlerMsOf(route.limits, settings.timeouts.handlerMs) !== null,
    mayFailLate: settings.middlewares.some(({ middleware }) => !isForErrors(middleware)),
    interceptsAll: settings.interceptors.length > 0,
    limitsFields: fieldsModeOf(route, settings.responses.fields) !== 'send',
    visibility: markedSides(marksOfRoute(route, settings.converters)),
  })
  return new Set<StepName>([
    'respond',
    ...features,
    ...(route.isProtected || route.isAuthOptional ? (['guard'] as const) : []),
    ...(route.abilities === null ? [] : (['can'] as const)),
    ...used(own),
    ...(route.definedParameters === null ? [] : (['parameters'] as const)),
    ...FEATURES.flatMap(({ places }) => places?.(route) ?? []),
    ...(hasPluginSteps ? stepsBy('plugin') : []),
    'handler',
  ])
}

/** The steps of features, by the same decisions by which the features make them at boot. */
function featureSteps(
  route: RouteModel,
  limits: readonly PlannedLimit[],
  { settings: { tenant }, model }: ReadApp,
): StepName[] {
  const { ipRateLimit, userRateLimit } = placeLimits(limits)
  return used({
    scope: usesTenants(tenant, model),
    unverifiedTenant: isVerified(route, tenant),
    tenant: needsTenant(route, tenant) || isConfirmed(route, tenant),
    authorizeTenant: isAuthorized(route, tenant),
    ipRateLimit: ipRateLimit.length > 0,
    userRateLimit: userRateLimit.length > 0,
    cache: isCached(route) && route.method !== 'QUERY',
    queryCache: isCached(route) && route.method === 'QUERY',
  })
}

function used<K extends StepName>(steps: Readonly<Record<K, boolean>>): K[] {
  return (Object.keys(steps) as K[]).filter((name) => steps[name])
}
