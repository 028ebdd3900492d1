import type { User } from '../../contracts/handler.js'
import type { ConnectionFacts } from '../connections.js'
import { curlOf } from '../fuzz/describe-request.js'
import type { WireRequest } from '../fuzz/wire-request.js'
import type { MemoryAgent } from '../memory-agent.js'
import { stateOf, TestCaller } from '../test-caller.js'
import { type Canaries, neutralText } from './canaries.js'
import type { Gate } from './gate.js'
import {
  type IsolationCaller,
  type IsolationOptions,
  isList,
  namesOf,
} from './isolation-options.js'

/** One of those between whom nothing may pass. */
export interface Side {
  /** What it is called in the report. */
  readonly name: string
  /** As applications know it; `undefined` where only its credentials say. */
  readonly id: string | undefined
  readonly agent: MemoryAgent
  readonly headers: ReadonlyMap<string, string>
  readonly principal: User | undefined
  /** What of others it has been told by us: that it knows this proves nothing. */
  readonly told: Set<string>
}

/** What sides are made with. */
export interface SideConfig {
  /** Without a tenant, and with the headers that are set now. */
  readonly caller: TestCaller
  readonly connect: (facts: ConnectionFacts) => MemoryAgent
  readonly canaries: Canaries
  readonly gate: Gate
  readonly seed: number
  /** In lower case; `null` where tenants are known by something else. */
  readonly tenantHeader: string | null
}

/** Those who are to be kept apart. */
export function openSides(options: IsolationOptions, config: SideConfig): Side[] {
  const { seed, caller } = config
  const tenants = options.tenants ?? [1, 2].map((n) => `t${neutralText(seed, -n)}`)
  const common = caller.with(options.headers ?? {})
  const callerOf = (name: string) => {
    if (isList(tenants)) return common.asTenant(name)
    const given = tenants[name] as TestCaller | IsolationCaller
    return given instanceof TestCaller ? given.with(options.headers ?? {}) : called(given, common)
  }
  return namesOf(tenants).map((name) =>
    openSide(name, withUser(callerOf(name), name, options.as, config), config),
  )
}

function called({ headers = {}, as }: IsolationCaller, common: TestCaller): TestCaller {
  return (as === undefined ? common : common.as(as)).with(headers)
}

function withUser(
  caller: TestCaller,
  name: string,
  as: IsolationOptions['as'],
  { canaries }: SideConfig,
): TestCaller {
  if (as === undefined) return caller
  if (typeof as === 'function') return caller.as(as(name, canaries.mint(name, 'its user')))
  return caller.as(as[name] as User)
}

function openSide(name: string, caller: TestCaller, config: SideConfig): Side {
  const { connect, gate, canaries, tenantHeader } = config
  const { principal, headers: headersNow } = stateOf(caller)
  const headers = headersNow()
  const agent = connect({ principal, name, pause: (place) => gate.pass(name, place) })
  const id = tenantHeader === null ? undefined : headers.get(tenantHeader)
  if (id !== undefined) canaries.watchId(name, id)
  return { name, id, agent, headers, principal, told: new Set() }
}

/** A command for bash that sends a request as a side would, without what lets only the side in. */
export function commandOf(request: WireRequest, { headers, principal }: Side): string {
  return curlOf(request, { headers, own: {}, as: principal })
}
