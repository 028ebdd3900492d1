import type { Plugin } from '../contracts/plugin.js'
import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { planLimits } from '../features/rate-limit/plan-limits.js'
import type { Settings } from './settings/settings.js'
import { findWorkerLink } from './worker-link.js'

/** Something that each worker keeps in its own memory, and what that means. */
interface Kept {
  readonly subject: string
  readonly effect: string
  readonly remedy: string
}

/** Finds what each worker of `blazon start` keeps for itself. One worker reports it for all. */
export function checkWorkers(settings: Settings, model: AppModel): Problem[] {
  const link = findWorkerLink()
  if (link === undefined || !link.isSpeaker) return []
  const { workers } = link
  return [
    ...limitsOf(settings, model, workers),
    ...cacheOf(settings, model),
    ...capacityOf(settings, workers),
    ...settings.plugins.flatMap(keptByPlugin),
  ].map(({ subject, effect, remedy }) => ({
    code: 'W_WORKERS_MEMORY',
    subject,
    cause: `Each of the ${workers} workers has its own in its memory: ${effect}`,
    remedy,
  }))
}

function limitsOf({ rateLimit }: Settings, model: AppModel, workers: number): Kept[] {
  const { ofApp, ofRoutes } = planLimits(rateLimit, model)
  const isUsed = [ofApp, ...ofRoutes].some((limits) => limits.length > 0)
  if (!isUsed || (rateLimit.store !== null && rateLimit.store.isShared !== false)) return []
  return [
    {
      subject: 'rateLimit',
      effect: `a client may send up to ${workers} times as many requests as a limit allows.`,
      remedy: 'Count in Redis: store: redisLimits() of blazon/redis; or run one worker.',
    },
  ]
}

function cacheOf({ cache }: Settings, { routes }: AppModel): Kept[] {
  const isUsed = routes.some((route) => route.cache !== null)
  if (!isUsed || (cache.store !== null && cache.store.isShared !== false)) return []
  return [
    {
      subject: 'cache',
      effect: 'a response is made once in each, and invalidate() of one reaches no other.',
      remedy: 'Share it: store: redisCache() of blazon/redis; or run one worker.',
    },
  ]
}

function capacityOf({ capacity }: Settings, workers: number): Kept[] {
  if (capacity === null) return []
  const { concurrent } = capacity
  return [
    {
      subject: 'capacity',
      effect: `together they run ${workers * concurrent} requests at once.`,
      remedy: `Divide concurrent, queue and perTenant by ${workers}, unless they are those of one worker.`,
    },
  ]
}

function keptByPlugin(plugin: Plugin): Kept[] {
  const kept = plugin.keptInProcess?.() ?? null
  if (kept === null) return []
  return [
    {
      subject: `plugin '${plugin.name}'`,
      effect: `${kept} of one are unknown to the others.`,
      remedy:
        'Give it a store that processes share, such as Redis or PostgreSQL; or run one worker.',
    },
  ]
}
