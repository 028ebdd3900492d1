import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { IdempotencyStore } from '../features/idempotency/idempotency-store.js'
import { usesIdempotency } from '../features/idempotency/idempotent.js'
import { planLimits } from '../features/rate-limit/plan-limits.js'
import type { Settings } from './settings/settings.js'
import { findWorkerLink } from './worker-link.js'

const SHARE =
  'Give it a store that processes share, such as Redis or PostgreSQL; or run one worker.'

/** Finds data that each worker of `blazon start` keeps for itself. One worker reports it for all. */
export function checkWorkers(settings: Settings, model: AppModel): Problem[] {
  const { workers, isSpeaker } = findWorkerLink() ?? {}
  if (workers === undefined || isSpeaker === false) return []
  const { rateLimit, cache, capacity, plugins } = settings
  const { ofApp, ofRoutes } = planLimits(rateLimit, model)
  const isLimited = [ofApp, ...ofRoutes].some((limits) => limits.length > 0)
  const isCached = model.routes.some((route) => route.cache !== null)
  const kept: [subject: string, effect: string, remedy?: string][] = []
  if (isLimited && isOwn(rateLimit.store)) {
    kept.push([
      'rateLimit',
      `a client may send up to ${workers} times as many requests as a limit allows.`,
    ])
  }
  if (isCached && isOwn(cache.store)) {
    kept.push([
      'cache',
      'a response is made once in each, and invalidate() of one reaches no other.',
    ])
  }
  if (capacity !== null) {
    const effect = `together they run ${workers * capacity.concurrent} requests at once.`
    const remedy = `Divide concurrent, queue and perTenant by ${workers}, unless each worker may have so many.`
    kept.push(['capacity', effect, remedy])
  }
  const given = [settings, ...plugins].flatMap(({ providers = [] }) => providers)
  const hasStore = given.some((each) => Object.values(each).includes(IdempotencyStore))
  if (usesIdempotency(model) && !hasStore) {
    kept.push(['@Idempotent()', 'a repeated request that reaches another one runs again.'])
  }
  for (const plugin of plugins) {
    const what = plugin.keptInProcess?.()
    if (what) kept.push([`plugin '${plugin.name}'`, `${what} of one are unknown to the others.`])
  }
  return kept.map(([subject, effect, remedy = SHARE]) => {
    const cause = `Each of the ${workers} workers has its own in its memory: ${effect}`
    return { code: 'W_WORKERS_MEMORY', subject, cause, remedy }
  })
}

/** Without a store, each process has its own. */
function isOwn(store: { readonly isShared?: boolean | undefined } | null): boolean {
  return store === null || store.isShared === false
}
