import type { User } from '../../contracts/handler.js'
import type { ConnectionFacts } from '../connections.js'
import type { MemoryAgent } from '../memory-agent.js'
import type { Canaries } from './canaries.js'
import type { Gate, GatePlan } from './gate.js'
import type { IsolationOptions } from './isolation-options.js'
import { type IsolationSession, isSafe, type TestedOperation } from './isolation-session.js'
import { commandOf, type Side } from './isolation-side.js'
import { searchResponse } from './search-response.js'
import { NO_RESPONSE, sendWhole } from './send-whole.js'

/** The input of {@link sendAsUsers}, besides the operations and rounds. */
export interface UserConfig {
  readonly session: IsolationSession
  readonly users: IsolationOptions['users']
  readonly as: IsolationOptions['as']
  readonly canaries: Canaries
  readonly gate: Gate
  readonly connect: (facts: ConnectionFacts) => MemoryAgent
  /** Whether the responses of a handler are cached. */
  readonly isCached: (handler: string) => boolean
}

/** The numeric IDs of generated users begin here, far above real IDs. */
const FIRST_ID = 2 ** 40

/**
 * Calls cached operations as two users of one tenant, and as the tenant's own caller. The users are set before the
 * application receives the request, as a middleware would set them. Users of a tenant can share the tenant's data, but
 * data that identifies one user must not be in a response to another user.
 */
export async function sendAsUsers(
  all: readonly TestedOperation[],
  rounds: number,
  config: UserConfig,
): Promise<void> {
  if (config.users === false) return
  const tested = all.filter((each) => isSafe(each) && config.isCached(handlerOf(each)))
  if (tested.length === 0) return
  const { session } = config
  for (const tenant of session.config.sides) {
    const users = [1, 2].map((number) => openUser(tenant, number, config))
    for (const each of tested) {
      for (let round = 0; round < rounds; round++)
        await sendInAllWays(each, round, { tenant, users, config })
    }
    for (const { agent } of users) agent.destroy()
  }
  // The following phases must not report data that these requests have left in the cache and logs.
  await session.config.clearCache()
  session.config.newLogs()
  session.config.newEntries()
}

interface TenantUsers {
  readonly tenant: Side
  readonly users: readonly Side[]
  readonly config: UserConfig
}

async function sendInAllWays(
  tested: TestedOperation,
  round: number,
  tenantUsers: TenantUsers,
): Promise<void> {
  const { tenant, users, config } = tenantUsers
  const { clearCache } = config.session.config
  const others = users.map(({ name }) => name)
  await clearCache()
  for (const cacheState of ['cold', 'warm']) {
    for (const side of [...users, tenant]) {
      await send(tested, side, {
        ...tenantUsers,
        round,
        phase: `users of one tenant in turns, ${cacheState}`,
      })
    }
  }
  await clearCache()
  const held = others[round % 2] as string
  const plan: GatePlan = { place: 'handler', order: others, held, turns: 1 }
  config.gate.arm(plan)
  const phase = 'users of one tenant at once'
  await Promise.all(users.map((side) => send(tested, side, { ...tenantUsers, round, phase })))
  config.gate.disarm()
}

interface Way extends TenantUsers {
  readonly round: number
  readonly phase: string
}

async function send(
  tested: TestedOperation,
  side: Side,
  { tenant, users, config, round, phase }: Way,
): Promise<void> {
  const { session, canaries } = config
  const { documented } = tested.maker
  const { wire } = tested.maker.make({
    round,
    sender: tenant.name,
    target: null,
    ids: { of: tenant.name },
  })
  const isSent = session.config.leadsTo(wire, documented)
  if (isSent) session.requests++
  const response = isSent ? await sendWhole(wire, side) : NO_RESPONSE
  for (const { owner: from, origin, where } of searchResponse(response, canaries)) {
    if (from === side.name || users.every(({ name }) => name !== from)) continue
    const curl = commandOf(wire, side)
    tested.observation.leaked({ kind: 'response', from, to: side.name, where, origin, phase, curl })
  }
}

function handlerOf({ maker }: TestedOperation): string {
  return maker.documented.handler
}

function openUser(tenant: Side, number: number, config: UserConfig): Side {
  const { connect, gate, canaries } = config
  const name = `${tenant.name} (user ${number})`
  const canary = canaries.mint(name, 'its user')
  const principal = makeUser(tenant, canary, { number, config })
  const pause: ConnectionFacts['pause'] = (place) => gate.pass(name, place)
  const agent = connect({ principal, tenant: tenant.id, name, pause, isSetEarly: true })
  return { ...tenant, name, agent, principal, knownCanaries: new Set() }
}

/** Creates a user with the permissions of the tenant's caller, but another identity. */
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
