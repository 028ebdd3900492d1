import type { PluginContext } from '../contracts/plugin.js'
import { Metrics } from '../features/metrics/metrics.js'
import { Statements } from '../features/statements/statements.js'
import type { BlazonRequest } from '../http/request.js'
import type { DescribedApp } from './described-app.js'
import type { ErrorPaths } from './error-paths.js'
import { collectObservers, type ObserverConfig, type RequestObservers } from './observe-requests.js'

/** Collects the observers. Databases report their statements, with their requests, if an observer needs them. */
export function observe(
  config: ObserverConfig & Pick<DescribedApp, 'currentRequest' | 'harness'>,
): RequestObservers | null {
  const observers = collectObservers(config)
  const report = observers?.onStatement ?? null
  if (observers === null || report === null) return observers
  const { harness, currentRequest } = config
  config.get(Statements).start(report, { hasStacks: observers.needs.stacks })
  if (harness.currentRequest !== null) currentRequest.setUnderTest(harness.currentRequest)
  if (observers.needs.currentRequest) currentRequest.need()
  return observers
}

/** Connects the calls to other hosts with the observers, the time limits and the metrics of the application. */
export async function connectCalls(
  { outgoing }: DescribedApp,
  {
    get,
    errors,
    observers,
  }: Pick<PluginContext, 'get'> & {
    readonly errors: ErrorPaths
    readonly observers: RequestObservers | null
  },
): Promise<void> {
  await outgoing.connect({
    onCall: observers?.onCall ?? null,
    needs: observers?.needs ?? { stacks: false, bodies: false },
    restOf: (req) => errors.deadlines.restOf(req as BlazonRequest),
    addMetric: (metric) => get(Metrics).add(metric),
  })
}
