import { hash } from '../fuzz/random.js'
import type { GatePlan } from './gate.js'
import {
  type IsolationSession,
  isSafe,
  isSuccess,
  type Overlap,
  type PlannedRequest,
  type TestedOperation,
} from './isolation-session.js'
import type { Side } from './isolation-side.js'

/** The number of records that each side creates with one operation. */
const WRITES = 2
/** The maximum number of turns by which a request or response is delayed. */
const TURNS = 8

/** Two sides whose data must remain separate. */
export type Pair = readonly [Side, Side]

/** The round of a replay, and the seed for its random choices. */
export interface Replay {
  readonly session: IsolationSession
  readonly round: number
  readonly seed: number
}

/** Creates data of each side in the application. */
export async function write(
  session: IsolationSession,
  tested: TestedOperation,
  rounds: number,
): Promise<void> {
  for (const side of session.config.sides) {
    for (let count = 0; count < WRITES; count++) {
      const plan = { round: count % rounds, ...OWN.planOf(side, [side, side]) }
      const { made, response } = await session.send({ tested, side, plan, phase: 'while writing' })
      if (isSuccess(response.status) && made.ids.length > 0) tested.observation.served(side.name)
    }
  }
}

/**
 * Sends requests sequentially, so that a later request finds shared state that an earlier request has left. Requests
 * that only read are sent in several orders, each order twice.
 */
export async function sendInTurns(
  tested: TestedOperation,
  pair: Pair,
  { session, round }: Replay,
): Promise<void> {
  const [a, b] = pair
  // An operation that changes data is called in only one order, because every call changes the data again.
  const orders = isSafe(tested)
    ? [
        [a, b],
        [b, a],
        [a, b, a],
      ]
    : [[a, b, a]]
  for (const variant of variantsOf(tested, pair, round)) {
    for (const order of orders) {
      const names = order.map(({ name }) => name).join(', ')
      await session.config.clearCache()
      for (const cacheState of isSafe(tested) ? ['cold', 'warm'] : ['']) {
        const phase = [`in turns (${names}), ${variant.name}`, cacheState]
          .filter(Boolean)
          .join(', ')
        for (const side of order) {
          const plan = { round, ...variant.planOf(side, pair) }
          const { made, response } = await session.send({ tested, side, plan, phase })
          const isServed = variant === OWN && isSuccess(response.status) && made.ids.length > 0
          if (isServed) tested.observation.served(side.name)
        }
      }
    }
  }
}

/** Sends requests concurrently, so that each request finds shared state that another request has just changed. */
export async function sendConcurrently(
  tested: TestedOperation,
  pair: Pair,
  { session, round, seed }: Replay,
): Promise<void> {
  const { operationId } = tested.maker.documented
  for (const [index, variant] of variantsOf(tested, pair, round).entries()) {
    for (const place of ['handler', 'entry', null] as const) {
      const chance = hash(`${operationId} ${round} ${index} ${place}`, seed)
      const order = chance % 2 === 0 ? pair : ([pair[1], pair[0]] as const)
      await session.config.clearCache()
      const phase = phaseOf(place, order, variant)
      const planned = order.map((side) => {
        const plan = { round, ...variant.planOf(side, pair) }
        return { tested, side, plan, phase }
      })
      await session.sendTogether(planned, overlapOf(place, { order, pair, round, chance }))
    }
  }
}

/** A way in which the requests of two sides are similar. */
interface Variant {
  readonly name: string
  /** The path, query and headers that a side sends. */
  readonly planOf: (side: Side, pair: Pair) => Pick<PlannedRequest['plan'], 'target' | 'ids'>
}

/** Equal requests of different callers. They detect responses that are stored under the same key for both. */
const EQUAL: readonly Variant[] = [0, 1].map((index) => ({
  name: 'the same URL',
  planOf: (_side, pair) => ({ target: null, ids: { of: (pair[index] as Side).name } }),
}))

const OWN: Variant = {
  name: 'URLs of their own',
  planOf: ({ name }) => ({ target: name, ids: { of: name } }),
}

/**
 * Returns the variants whose requests differ. Without parameters, all URLs are equal, so one variant is
 * enough.
 */
function variantsOf({ maker }: TestedOperation, pair: Pair, round: number): Variant[] {
  const different = new Map<string, Variant>()
  for (const variant of [...EQUAL, OWN]) {
    const targets = pair.map((side) => {
      const { wire } = maker.make({ round, sender: side.name, ...variant.planOf(side, pair) })
      return [wire.target, wire.headers]
    })
    const key = JSON.stringify(targets)
    if (!different.has(key)) different.set(key, variant)
  }
  return [...different.values()]
}

function phaseOf(place: GatePlan['place'], order: Pair, { name }: Variant): string {
  const [first, second] = order
  const how =
    place === 'handler'
      ? 'both at the handler'
      : place === 'entry'
        ? 'both at the entry'
        : 'staggered'
  return `at once (${first.name}, ${second.name}; ${how}), ${name}`
}

interface Draw {
  readonly order: Pair
  readonly pair: Pair
  readonly round: number
  readonly chance: number
}

function overlapOf(place: GatePlan['place'], { order, pair, round, chance }: Draw): Overlap {
  const held = order[(chance >>> 1) % 2] as Side
  const turns = (chance >>> 2) % TURNS
  // Requests that wait for each other at a place need no delay before that place.
  const stagger = place === null ? (chance >>> 5) % TURNS : 0
  // The order alternates with the round, so each side is first in every second round.
  const release = round % 2 === 0 ? pair : [...pair].reverse()
  return {
    gate: { place, order: release.map(({ name }) => name), held: held.name, turns },
    stagger,
  }
}
