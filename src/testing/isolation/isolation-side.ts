import type { User } from '../../contracts/handler.js'
import type { ConnectionFacts } from '../connections.js'
import { curlOf } from '../fuzz/findings.js'
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

/** One of the parties whose data must remain separate: a tenant, or a user of a tenant. */
export interface Side {
  /** The name in the report. */
  readonly name: string
  /** The tenant ID in the header, or the credential's tenant once a guard has confirmed it; otherwise `undefined`. */
  readonly id: string | undefined
  readonly agent: MemoryAgent
  readonly headers: ReadonlyMap<string, string>
  readonly principal: User | undefined
  /**
   * The canaries of other sides that the test itself has sent in requests of this side. Finding them in a
   * response is not a leak.
   */
  readonly knownCanaries: Set<string>
}

/** The input of {@link openSides} for its connections. */
export interface SideConfig {
  /** A caller without a tenant, with the current headers. */
  readonly caller: TestCaller
  readonly connect: (facts: ConnectionFacts) => MemoryAgent
  readonly canaries: Canaries
  readonly gate: Gate
  readonly seed: number
  /** The tenant header in lower case; `null` if the application does not read a tenant header. */
  readonly tenantHeader: string | null
}

/** Opens a side for each tenant. */
export function openSides(options: IsolationOptions, config: SideConfig): Side[] {
  const { seed, caller } = config
  const tenants = options.tenants ?? [1, 2].map((n) => `t${neutralText(seed, -n)}`)
  const common = caller.with(options.headers ?? {})
  const callerOf = (name: string) => {
    if (isList(tenants)) return common
    const given = tenants[name] as TestCaller | IsolationCaller
    return given instanceof TestCaller ? given.with(options.headers ?? {}) : called(given, common)
  }
  return namesOf(tenants).map((name) => {
    const asUser = withUser(callerOf(name), name, options.as, config)
    return openSide(name, isList(tenants) ? asUser.asTenant(name) : asUser, config)
  })
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
  const { principal, tenant, headers: headersNow } = stateOf(caller)
  const headers = headersNow()
  const inHeader = tenantHeader === null ? undefined : headers.get(tenantHeader)
  let id: string | undefined
  const tenantFound = (found: string) => {
    if (id !== undefined) return
    id = found
    canaries.watchId(name, found)
  }
  const own = tenant ?? inHeader
  if (own !== undefined) tenantFound(own)
  const pause: ConnectionFacts['pause'] = (place) => gate.pass(name, place)
  const agent = connect({ principal, tenant: own, tenantFound, name, pause })
  const knownCanaries = new Set<string>()
  return {
    ...{ name, agent, headers, principal, knownCanaries },
    get id() {
      return id
    },
  }
}

/** Returns a curl command for a request of a side, without credentials. */
export function commandOf(request: WireRequest, { headers, principal }: Side): string {
  return curlOf(request, { headers, own: {}, as: principal })
}
