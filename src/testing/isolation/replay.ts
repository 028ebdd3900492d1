import { hash } from '../fuzz/choose.js'
import type { GatePlan } from './gate.js'
import type { Asked, IsolationSession, Meeting, Question } from './isolation-session.js'
import type { Side } from './isolation-side.js'

/** Methods that change nothing: what they answer may come from a cache. */
const SAFE = ['GET', 'HEAD', 'OPTIONS']
/** How many things of its own each tenant makes with one operation. */
const WRITES = 2
/** Turns by which one request is sent later, or its answer later, than the other; at most. */
const TURNS = 8

/** Two between whom nothing may pass. */
export type Pair = readonly [Side, Side]

/** Which of its rounds a replay is, and what decides the rest. */
export interface Replay {
  readonly session: IsolationSession
  readonly round: number
  readonly seed: number
}

/** How the requests of two sides compare. */
interface Likeness {
  readonly name: string
  /** What a side sends, apart from its body. */
  readonly planOf: (side: Side, pair: Pair) => Pick<Question['plan'], 'target' | 'ids'>
}

/** Equal but for who asks: what is kept under the same key for both would be mixed up here. */
const EQUAL: readonly Likeness[] = [0, 1].map((index) => ({
  name: 'the same URL',
  planOf: (_side, pair) => ({ target: null, ids: { of: (pair[index] as Side).name } }),
}))

const OWN: Likeness = {
  name: 'URLs of their own',
  planOf: ({ name }) => ({ target: name, ids: { of: name } }),
}

/** Those that make a difference: without parameters, all URLs are the same. */
function likenessesOf({ maker }: Asked, pair: Pair, round: number): Likeness[] {
  const different = new Map<string, Likeness>()
  for (const likeness of [...EQUAL, OWN]) {
    const targets = pair.map((side) => {
      const { wire } = maker.make({ round, sender: side.name, ...likeness.planOf(side, pair) })
      return [wire.target, wire.headers]
    })
    const key = JSON.stringify(targets)
    if (!different.has(key)) different.set(key, likeness)
  }
  return [...different.values()]
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Whether an operation only reads. */
export function isSafe({ method }: Asked): boolean {
  return SAFE.includes(method)
}

/** Puts things of a side's own into the application. */
export async function write(
  session: IsolationSession,
  asked: Asked,
  rounds: number,
): Promise<void> {
  for (const side of session.config.sides) {
    for (let count = 0; count < WRITES; count++) {
      const plan = { round: count % rounds, ...OWN.planOf(side, [side, side]) }
      const { made, answer } = await session.ask({ asked, side, plan, phase: 'while writing' })
      if (isSuccess(answer.status) && made.ids.length > 0) asked.observation.served(side.name)
    }
  }
}

/** Asks one after the other, in every order, twice: what the first one has left somewhere, the next one finds. */
export async function askInTurns(
  asked: Asked,
  pair: Pair,
  { session, round }: Replay,
): Promise<void> {
  const [a, b] = pair
  // What changes something changes it every time.
  const orders = isSafe(asked)
    ? [
        [a, b],
        [b, a],
        [a, b, a],
      ]
    : [[a, b, a]]
  for (const likeness of likenessesOf(asked, pair, round)) {
    for (const order of orders) {
      const names = order.map(({ name }) => name).join(', ')
      await session.config.clearCache()
      for (const temper of isSafe(asked) ? ['cold', 'warm'] : ['']) {
        const phase = [`in turns (${names}), ${likeness.name}`, temper].filter(Boolean).join(', ')
        for (const side of order) {
          const plan = { round, ...likeness.planOf(side, pair) }
          const { made, answer } = await session.ask({ asked, side, plan, phase })
          const isServed = likeness === OWN && isSuccess(answer.status) && made.ids.length > 0
          if (isServed) asked.observation.served(side.name)
        }
      }
    }
  }
}

/** Asks at the same time, so that each finds what the other has just begun. */
export async function askAtOnce(
  asked: Asked,
  pair: Pair,
  { session, round, seed }: Replay,
): Promise<void> {
  const { operationId } = asked.maker.documented
  for (const [index, likeness] of likenessesOf(asked, pair, round).entries()) {
    for (const place of ['handler', 'entry', null] as const) {
      const chance = hash(`${operationId} ${round} ${index} ${place}`, seed)
      const order = chance % 2 === 0 ? pair : ([pair[1], pair[0]] as const)
      await session.config.clearCache()
      const phase = phaseOf(place, order, likeness)
      const questions = order.map((side) => {
        const plan = { round, ...likeness.planOf(side, pair) }
        return { asked, side, plan, phase }
      })
      await session.askTogether(questions, meetingOf(place, { order, pair, round, chance }))
    }
  }
}

function phaseOf(place: GatePlan['place'], order: Pair, { name }: Likeness): string {
  const [first, second] = order
  const how =
    place === 'handler'
      ? 'both at the handler'
      : place === 'entry'
        ? 'both at the door'
        : 'staggered'
  return `at once (${first.name}, ${second.name}; ${how}), ${name}`
}

interface Draw {
  readonly order: Pair
  readonly pair: Pair
  readonly round: number
  readonly chance: number
}

function meetingOf(place: GatePlan['place'], { order, pair, round, chance }: Draw): Meeting {
  const held = order[(chance >>> 1) % 2] as Side
  const turns = (chance >>> 2) % TURNS
  // Those who meet at a place wait for each other there.
  const stagger = place === null ? (chance >>> 5) % TURNS : 0
  // Two rounds let each of them go first.
  const release = round % 2 === 0 ? pair : [...pair].reverse()
  return {
    gate: { place, order: release.map(({ name }) => name), held: held.name, turns },
    stagger,
  }
}
