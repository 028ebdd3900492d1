import type { PluginSteps, Stage as PublicStage } from '../../contracts/steps.js'
import { kIsPassedOn } from '../../http/own-fields.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { joinStages } from '../../step/join-stages.js'
import { Refusal } from '../../step/refusal.js'
import type { Stage, Step } from '../../step/step.js'
import { isThenable, whenSettled } from '../../step/thenable.js'
import { type NamedSteps, type Observation, observeStage } from './observe.js'

/** The places of `PluginSteps` that are stages. */
type PluginPlace = Exclude<keyof PluginSteps, 'onResponse' | 'onEnd'>

/** The stages of all plugins of one route, by place; `null` for a place without any. */
export type PluginStages = Readonly<Record<PluginPlace | 'observe', Stage | null>>

const NONE: PluginStages = Object.freeze({
  observe: null,
  enter: null,
  beforeGuard: null,
  afterGuard: null,
  beforeBody: null,
  beforeHandler: null,
  aroundHandler: null,
})

/** Joins the steps that plugins add to one route. Most routes share an object without any. */
export function pluginStages(added: readonly NamedSteps[], config: Observation): PluginStages {
  if (added.length === 0) return NONE
  const stageAt = (place: PluginPlace) => pluginStage(added, place, config.scopes)
  return {
    observe: observeStage(added, config),
    enter: stageAt('enter'),
    beforeGuard: stageAt('beforeGuard'),
    afterGuard: stageAt('afterGuard'),
    beforeBody: stageAt('beforeBody'),
    beforeHandler: stageAt('beforeHandler'),
    aroundHandler: stageAt('aroundHandler'),
  }
}

/**
 * Joins the stages that plugins have for one place; `null` if there are none. A step may wait for a pool, whose
 * callback runs in another async context. Therefore the request enters its scope again before the next step.
 *
 * @param scopes `null` if requests have no scopes.
 */
function pluginStage(
  added: readonly NamedSteps[],
  place: PluginPlace,
  scopes: RequestScopes | null,
): Stage | null {
  const stages = added.flatMap(({ plugin, steps }) => {
    const stage = steps[place]
    if (stage === undefined || stage === null) return []
    const kept = keepScope(stage, scopes)
    return [place === 'beforeGuard' ? mustPassOn(kept, plugin) : kept]
  })
  return joinStages(stages)
}

function keepScope(stage: PublicStage, scopes: RequestScopes | null): Stage {
  // A step of a plugin declares the request of the public types, which every request of ours is.
  const own = stage as unknown as Stage
  if (scopes === null) return own
  return (next) => own((req, res) => scopes.keep(req, () => next(req, res)))
}

/**
 * Makes a step before the guard call `next` or refuse. A step that responds in place of the guard would let a stranger
 * in.
 */
function mustPassOn(stage: Stage, plugin: string): Stage {
  return (next) => {
    const step = stage((req, res) => {
      req[kIsPassedOn] = true
      return next(req, res)
    })
    const judge = (req: Parameters<Step>[0], value: unknown): unknown => {
      if (req[kIsPassedOn] || value instanceof Refusal) return value
      return new Refusal(
        new Error(
          `The beforeGuard step of plugin '${plugin}' has neither called next nor refused the request`,
        ),
      )
    }
    return function runBeforeGuard(req, res) {
      req[kIsPassedOn] = false
      const value = step(req, res)
      if (req[kIsPassedOn] || !isThenable(value)) return judge(req, value)
      return whenSettled(value, (settled) => judge(req, settled))
    }
  }
}
