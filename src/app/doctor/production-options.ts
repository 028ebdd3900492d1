import type { AppModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { loggerOf } from '../../features/logs/logger-options.js'
import { planLimits } from '../../features/rate-limit/plan-limits.js'
import type { Settings } from '../settings/settings.js'

/** The code for an option that is allowed, but rarely appropriate in production. */
export type ProductionCode =
  | 'W_HANDLER_UNLIMITED'
  | 'W_HELMET_OFF'
  | 'W_LOGGER_OFF'
  | 'W_PROXY_UNSET'
  | 'W_REQUEST_ID_TRUSTED'

/** An option that is rarely appropriate in production. */
export interface ProductionProblem extends Omit<Problem, 'code'> {
  readonly code: ProductionCode
}

/** Checks one option; returns `null` if it is appropriate. */
type Check = (settings: Settings, model: AppModel) => ProductionProblem | null

const CHECKS: readonly Check[] = [checkLogger, checkProxy, checkRequestIds, checkHelmet, checkTime]

/** Finds options that boot accepts without a warning, but that are rarely appropriate in production. */
export function checkProduction(settings: Settings, model: AppModel): ProductionProblem[] {
  return CHECKS.flatMap((check) => check(settings, model) ?? [])
}

function checkLogger({ logger, ownLogger, onError }: Settings): ProductionProblem | null {
  const isSilent = logger === loggerOf(false) || ownLogger?.level === 'silent'
  if (!isSilent || onError !== null) return null
  return {
    code: 'W_LOGGER_OFF',
    subject: 'logger',
    cause: 'Nothing is logged, so the cause of a response with status 500 cannot be found.',
    remedy: "Omit the option, set { level: 'error' }, or report errors with `onError`.",
  }
}

function checkProxy(settings: Settings, model: AppModel): ProductionProblem | null {
  if (settings.trustProxy !== null) return null
  const { ofApp, ofRoutes } = planLimits(settings.rateLimit, model)
  const limit = [ofApp, ...ofRoutes].flat().find(({ by }) => by === 'ip')
  if (limit === undefined) return null
  return {
    code: 'W_PROXY_UNSET',
    subject: 'rateLimit',
    cause: `The limit '${limit.name}' applies to each client address. Behind a proxy or load balancer, all clients appear to have the address of the proxy, so they share one limit.`,
    remedy:
      'Set `trustProxy` to the number of your proxies, or to `false` if clients connect directly.',
  }
}

function checkRequestIds({ trustRequestId, trustProxy }: Settings): ProductionProblem | null {
  if (!trustRequestId || (trustProxy !== null && trustProxy !== false)) return null
  return {
    code: 'W_REQUEST_ID_TRUSTED',
    subject: 'trustRequestId',
    cause:
      'Every client can choose its request IDs, including the ID of another request, because no proxy that sets the IDs is declared.',
    remedy: 'Remove the option. If a proxy sets X-Request-Id, declare the proxy with `trustProxy`.',
  }
}

function checkHelmet({ security }: Settings): ProductionProblem | null {
  if (security.helmet !== null) return null
  return {
    code: 'W_HELMET_OFF',
    subject: 'helmet',
    cause:
      'Responses have no security headers, such as Strict-Transport-Security and X-Content-Type-Options.',
    remedy: 'Remove `helmet: false`, or pass `helmet` the options that differ from its defaults.',
  }
}

function checkTime({ timeouts }: Settings): ProductionProblem | null {
  if (timeouts.handlerMs !== null) return null
  return {
    code: 'W_HANDLER_UNLIMITED',
    subject: 'handler',
    cause:
      'A handler that never ends holds its request until the process ends, and its connection until the client closes it.',
    remedy:
      'Set `timeouts.handler` to a duration, and a longer one for slow routes: @Limits({ timeout }).',
  }
}
