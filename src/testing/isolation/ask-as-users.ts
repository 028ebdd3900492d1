import type { User } from '../../contracts/handler.js'
import type { ConnectionFacts } from '../connections.js'
import type { MemoryAgent } from '../memory-agent.js'
import type { Canaries } from './canaries.js'
import type { Gate, GatePlan } from './gate.js'
import type { IsolationOptions } from './isolation-options.js'
import type { Asked, IsolationSession } from './isolation-session.js'
import { commandOf, type Side } from './isolation-side.js'
import { isSafe } from './replay.js'
import { searchResponse } from './search-response.js'
import { NO_ANSWER, sendWhole } from './send-whole.js'

/** What users of a tenant are made with. */
export interface UserConfig {
  readonly session: IsolationSession
  readonly users: IsolationOptions['users']
  readonly as: IsolationOptions['as']
  readonly canaries: Canaries
  readonly gate: Gate
  readonly connect: (facts: ConnectionFacts) => MemoryAgent
  /** Whether answers of a handler are cached. */
  readonly isCached: (handler: string) => boolean
}

/** Numbers that nobody has had. */
const FIRST_ID = 2 ** 40

/**
 * Asks cached operations as two users of one tenant, whom something in front of the application has set, and as whoever else calls for
 * it. What a tenant's users share is theirs; what says who one of them is has no place in an answer to another.
 */
export async function askAsUsers(
  all: readonly Asked[],
  rounds: number,
  config: UserConfig,
): Promise<void> {
  if (config.users === false) return
  const asked = all.filter((each) => isSafe(each) && config.isCached(handlerOf(each)))
  if (asked.length === 0) return
  const { session } = config
  for (const tenant of session.config.sides) {
    const users = [1, 2].map((number) => openUser(tenant, number, config))
    for (const each of asked) {
      for (let round = 0; round < rounds; round++)
        await askInAllWays(each, round, { tenant, users, config })
    }
    for (const { agent } of users) agent.destroy()
  }
  // What these have left behind is nobody's business any more.
  await session.config.clearCache()
  session.config.newLogs()
  session.config.newEntries()
}

interface Colleagues {
  readonly tenant: Side
  readonly users: readonly Side[]
  readonly config: UserConfig
}

async function askInAllWays(asked: Asked, round: number, colleagues: Colleagues): Promise<void> {
  const { tenant, users, config } = colleagues
  const { clearCache } = config.session.config
  const others = users.map(({ name }) => name)
  await clearCache()
  for (const temper of ['cold', 'warm']) {
    for (const side of [...users, tenant]) {
      await ask(asked, side, {
        ...colleagues,
        round,
        phase: `users of one tenant in turns, ${temper}`,
      })
    }
  }
  await clearCache()
  const held = others[round % 2] as string
  const plan: GatePlan = { place: 'handler', order: others, held, turns: 1 }
  config.gate.arm(plan)
  const phase = 'users of one tenant at once'
  await Promise.all(users.map((side) => ask(asked, side, { ...colleagues, round, phase })))
  config.gate.disarm()
}

interface Way extends Colleagues {
  readonly round: number
  readonly phase: string
}

async function ask(
  asked: Asked,
  side: Side,
  { tenant, users, config, round, phase }: Way,
): Promise<void> {
  const { session, canaries } = config
  const { documented } = asked.maker
  const { wire } = asked.maker.make({
    round,
    sender: tenant.name,
    target: null,
    ids: { of: tenant.name },
  })
  const isAsked = session.config.leadsTo(wire, documented)
  if (isAsked) session.requests++
  const answer = isAsked ? await sendWhole(wire, side) : NO_ANSWER
  for (const { owner: from, origin, where } of searchResponse(answer, canaries)) {
    if (from === side.name || users.every(({ name }) => name !== from)) continue
    const curl = commandOf(wire, side)
    asked.observation.leaked({ kind: 'answer', from, to: side.name, where, origin, phase, curl })
  }
}

function handlerOf({ maker }: Asked): string {
  return maker.documented.handler
}

function openUser(tenant: Side, number: number, config: UserConfig): Side {
  const { connect, gate, canaries } = config
  const name = `${tenant.name} (user ${number})`
  const canary = canaries.mint(name, 'its user')
  const principal = makeUser(tenant, canary, { number, config })
  const pause: ConnectionFacts['pause'] = (place) => gate.pass(name, place)
  const agent = connect({ principal, name, pause, isSetEarly: true })
  return { ...tenant, name, agent, principal, told: new Set() }
}

/** One that may do what the tenant's caller may, and is somebody else. */
function makeUser(
  { name, principal }: Side,
  canary: string,
  { number, config: { users, as } }: { number: number; config: UserConfig },
): User {
  if (typeof users === 'function') return users(name, canary)
  const base = typeof as === 'function' ? as(name, canary) : (principal ?? {})
  const id = typeof base['id'] === 'number' ? FIRST_ID + number : canary
  const own = { id, sub: canary, name: canary, username: canary, email: `${canary}@example.com` }
  const user = Object.create(Object.getPrototypeOf(base), Object.getOwnPropertyDescriptors(base))
  for (const [field, value] of Object.entries(own)) {
    Object.defineProperty(user, field, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return user as User
}
