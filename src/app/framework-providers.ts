import type { Logger } from '../contracts/logger.js'
import type { Plugin, PluginContext } from '../contracts/plugin.js'
import type { Provider } from '../contracts/provider.js'
import { Clock, UnderTest } from '../di/token.js'
import { Health } from '../features/health/health.js'
import { LogSource, type RequestLogs } from '../features/logs/log.js'
import { Metrics } from '../features/metrics/metrics.js'
import { type OutgoingCalls, OutgoingSource } from '../features/outgoing/outgoing.js'
import { RequestRecords } from '../features/records/request-records.js'
import { Statements } from '../features/statements/statements.js'
import { getTenantId } from '../features/tenancy/tenant-context.js'
import { TenantStates, tenantStates } from '../features/tenancy/tenant-directory.js'
import type { CurrentRequest } from '../http/contexts.js'
import { type Harness, NO_HARNESS } from './harness.js'
import type { Settings } from './settings/settings.js'
import { isRetired } from './worker-link.js'

/** The input of {@link frameworkProviders}. */
export interface FrameworkProviders {
  readonly settings: Pick<
    Settings,
    'plugins' | 'health' | 'cache' | 'rateLimit' | 'outgoing' | 'tenant'
  >
  readonly harness: Harness
  readonly logger: Logger
  readonly requestLogs: RequestLogs
  readonly currentRequest: CurrentRequest
  readonly outgoing: OutgoingCalls
  readonly app: Pick<PluginContext, 'get'>
  readonly isClosing: () => boolean
}

/** Lists the framework's own values that classes can inject. */
export function frameworkProviders(config: FrameworkProviders): Provider[] {
  const { settings, harness, logger, requestLogs, currentRequest, outgoing, app } = config
  const { health } = settings
  const plugins = [...settings.plugins, ...storeChecks(settings), ...circuitCheck(config)]
  const { clock } = harness
  const checks = health?.checks ?? {}
  const isClosing = () => config.isClosing() && !isRetired()
  return [
    { token: Clock, useValue: clock },
    ...(harness === NO_HARNESS ? [] : [{ token: UnderTest, useValue: true }]),
    {
      token: Health,
      useValue: new Health({ plugins, checks, app, clock, logger, isClosing }),
    },
    { token: Metrics, useValue: new Metrics() },
    { token: RequestRecords, useValue: new RequestRecords() },
    {
      token: Statements,
      useValue: new Statements({
        clock,
        currentRequest: () => currentRequest.get(),
        currentTenant: getTenantId,
        answer: harness.answerStatement,
      }),
    },
    { token: TenantStates, useValue: tenantStates(settings.tenant, clock) },
    { token: LogSource, useValue: requestLogs },
    { token: OutgoingSource, useValue: outgoing },
  ]
}

/** The health check for calls to other hosts, in the form of a plugin. */
function circuitCheck({ settings, outgoing }: FrameworkProviders): Plugin[] {
  if (!settings.outgoing.circuit) return []
  return [{ name: 'outgoing', health: { check: outgoing.checkCircuits, required: false } }]
}

/** The health checks for stores that requests do not strictly need, in the form of plugins. */
function storeChecks({ cache, rateLimit }: Pick<Settings, 'cache' | 'rateLimit'>): Plugin[] {
  const stores = { cache: cache.store, limits: rateLimit.store }
  return Object.entries(stores).flatMap(([name, store]) =>
    store?.check === undefined
      ? []
      : [{ name, health: { check: () => store.check?.(), required: false } }],
  )
}
