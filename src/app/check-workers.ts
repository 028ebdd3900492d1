import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import type { KeptByWorker } from '../step/feature.js'
import { keptByWorkers } from './features.js'
import type { Settings } from './settings/settings.js'
import { findWorkerLink } from './worker-link.js'

const SHARE =
  'Give it a store that processes share, such as Redis or PostgreSQL; or run one worker.'

/** Finds data that each worker of `blazon start` keeps for itself. One worker reports it for all. */
export function checkWorkers(settings: Settings, model: AppModel): Problem[] {
  const { workers, isSpeaker } = findWorkerLink() ?? {}
  if (workers === undefined || isSpeaker === false) return []
  const ofPlugins = settings.plugins.flatMap((plugin): KeptByWorker[] => {
    const kept = plugin.keptInProcess?.()
    if (!kept) return []
    const effect = `${kept} of one are unknown to the others.`
    return [{ subject: `plugin '${plugin.name}'`, effect }]
  })
  return [...keptByWorkers(settings, model, workers), ...ofPlugins].map(
    ({ subject, effect, remedy = SHARE }) => {
      const cause = `Each of the ${workers} workers has its own in its memory: ${effect}`
      return { code: 'W_WORKERS_MEMORY', subject, cause, remedy }
    },
  )
}
