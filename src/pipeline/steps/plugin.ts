import type { PluginSteps, StepFactory as PublicStage } from '../../contracts/steps.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import { kIsExpired, kPassedSteps } from '../../http/symbol-fields.js'
import { Refusal, throwRefusal } from '../../step/refusal.js'
import {
  isThenable,
  joinStages,
  type OnError,
  type Step,
  type StepFactory,
  whenSettled,
} from '../../step/step.js'
import type { Deadlines } from '../deadlines.js'
import type { OnLateError } from '../middleware-errors.js'
import { type NamedSteps, type Observation, observeStage } from './observe.js'

/** The places of `PluginSteps` that are stages. */
type PluginPlace = Exclude<keyof PluginSteps, 'onResponse' | 'onEnd'>

/** The stages of all plugins of one route, by place; `null` for a place without stages. */
export type PluginStages = Readonly<Record<PluginPlace | 'observe', StepFactory | null>>

const NONE: PluginStages = Object.freeze({
  observe: null,
  enter: null,
  beforeGuard: null,
  afterGuard: null,
  beforeBody: null,
  beforeHandler: null,
  aroundHandler: null,
})

/** The parts of an application that plugin steps depend on. */
export interface PluginStepsConfig extends Observation, EnterConfig {}

interface AddedStage {
  readonly plugin: string
  readonly place: PluginPlace
  readonly stage: PublicStage
  /** The position of the stage in the list of the route's stages that call `next` only once. */
  readonly index: number
}

/** The places, in the order in which a request passes them. */
const PLACES = [
  'enter',
  'beforeGuard',
  'afterGuard',
  'beforeBody',
  'beforeHandler',
  'aroundHandler',
] as const satisfies readonly PluginPlace[]

/** Combines the steps that plugins add to one route. Most routes share an object without steps. */
export function pluginStages(
  added: readonly NamedSteps[],
  config: PluginStepsConfig,
): PluginStages {
  if (added.length === 0) return NONE
  const stages = PLACES.flatMap((place) =>
    added.flatMap(({ plugin, steps: { [place]: stage } }) =>
      stage === undefined || stage === null ? [] : [{ plugin, place, stage }],
    ),
  ).map((each, index): AddedStage => ({ ...each, index }))
  const stageAt = (wanted: PluginPlace) =>
    joinStages(
      stages.filter(({ place }) => place === wanted).map((each) => stepOf(each, config.scopes)),
    )
  const enter = stageAt('enter')
  const lastToEnter = stages.findLastIndex(({ place }) => place === 'enter')
  return {
    observe: observeStage(added, config),
    enter: enter === null ? null : enterStage(enter, lastToEnter, config),
    beforeGuard: stageAt('beforeGuard'),
    afterGuard: stageAt('afterGuard'),
    beforeBody: stageAt('beforeBody'),
    beforeHandler: stageAt('beforeHandler'),
    aroundHandler: stageAt('aroundHandler'),
  }
}

/** The places whose steps can end a request only by refusing it, because the guard has not decided yet. */
const BEFORE_ACCESS: readonly PluginPlace[] = ['enter', 'beforeGuard']

/**
 * Makes a plugin's stage safe. A step may wait for a pool whose callback runs in another async context, so the request
 * enters its scope again before the next step. A request that has ended in the meantime does not enter further steps.
 * If a later step refuses the request, `next` throws the error. If `next` returned the refusal instead, a step that
 * puts the result of `next` into an object would turn the refusal into a success response.
 *
 * @param scopes `null` if requests have no scopes.
 */
function stepOf(added: AddedStage, scopes: RequestScopes | null): StepFactory {
  // A plugin's step declares the public request type. Every request in the framework has this type.
  const own = added.stage as unknown as StepFactory
  const once = added.place === 'aroundHandler' ? null : passOnce(added)
  const safe: StepFactory = (next) => {
    const proceed = once === null ? next : once(next)
    const run: Step = (req, res) => (req[kIsExpired] ? res : throwRefusal(proceed(req, res)))
    return own(scopes === null ? run : (req, res) => scopes.keep(req, () => run(req, res)))
  }
  return BEFORE_ACCESS.includes(added.place) ? mustPassOn(safe, added) : safe
}

/**
 * Allows a step to call `next` only once, because a second call would read the body again or send a second response.
 * Only steps around the handler are allowed to call `next` several times.
 */
function passOnce({ plugin, place, index }: AddedStage): StepFactory {
  return (next) => (req, res) => {
    if (req[kPassedSteps] > index) {
      throw new Error(`The ${place} step of plugin '${plugin}' called next twice`)
    }
    req[kPassedSteps] = index + 1
    return next(req, res)
  }
}

/**
 * Requires a step before the guard either to call `next` and wait for the result, or to refuse the request. A step that
 * sends a response without calling `next` would bypass access control.
 */
function mustPassOn(stage: StepFactory, { plugin, place, index }: AddedStage): StepFactory {
  const fail = (req: BlazonRequest, mistake: string): Refusal => {
    // The client receives this error, so a later call to `next` and steps that are still running must not reach the
    // handler.
    req[kIsExpired] = true
    return new Refusal(new Error(`The ${place} step of plugin '${plugin}' ${mistake}`))
  }
  return (next) => {
    const waiting = new WeakSet<BlazonRequest>()
    const step = stage(noteWaiting(next, waiting))
    const judge = (req: BlazonRequest, value: unknown): unknown => {
      if (req[kIsExpired] || value instanceof Refusal) return value
      if (req[kPassedSteps] <= index)
        return fail(req, 'neither called next nor refused the request')
      return waiting.has(req) ? fail(req, 'did not wait for the result of next') : value
    }
    return function runBeforeAccess(req, res) {
      const value = step(req, res)
      return isThenable(value)
        ? whenSettled(value, (settled) => judge(req, settled))
        : judge(req, value)
    }
  }
}

/** Collects the requests whose later steps are still running. */
function noteWaiting(next: Step, waiting: WeakSet<BlazonRequest>): Step {
  return (req, res) => {
    const value = next(req, res)
    if (!isThenable(value)) return value
    waiting.add(req)
    const end = () => void waiting.delete(req)
    whenSettled(value, end, end)
    return value
  }
}

/** The parts of an application that `enter` steps depend on. */
export interface EnterConfig {
  readonly onError: OnError
  /** Handles an error of a step that has already called `next`. */
  readonly onLateError: OnLateError
  /** The time limits of handlers; `null` for no limit. */
  readonly deadlines: Deadlines | null
}

/**
 * Handles the errors of `enter` steps, which run outside the step that sends responses, and limits how long they can
 * wait.
 *
 * @param last The position of the innermost `enter` step among the steps that call `next` once.
 */
function enterStage(stage: StepFactory, last: number, config: EnterConfig): StepFactory {
  const { onError, onLateError, deadlines } = config
  return (next) => {
    const step = stage((req, res) => {
      deadlines?.stop(req)
      return next(req, res)
    })
    const fail = (error: unknown, ...[req, res]: Parameters<Step>) => {
      deadlines?.stop(req)
      const end = (reason: unknown) => onError(reason, req, res)
      if (req[kPassedSteps] <= last) return end(error)
      onLateError(error, { req, res, isAtRoute: true, fail: end })
    }
    const settle = (value: unknown, ...exchange: Parameters<Step>) => {
      if (value instanceof Refusal) fail(value.error, ...exchange)
    }
    return function enter(req, res) {
      try {
        const value = step(req, res)
        // Most steps return the result of `next`, which is always `undefined` here.
        if (value === undefined) return
        if (!isThenable(value)) return settle(value, req, res)
        if (req[kPassedSteps] <= last) deadlines?.start(req)
        whenSettled(
          value,
          (settled) => settle(settled, req, res),
          (error) => fail(error, req, res),
        )
      } catch (error) {
        fail(error, req, res)
      }
    }
  }
}
