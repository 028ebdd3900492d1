import type { Duplex } from 'node:stream'
import type TestAgent from 'supertest/lib/agent.js'
import { authGroup } from '../app/settings/auth-options.js'
import type { User } from '../contracts/handler.js'
import type { VersionSettings } from '../contracts/version.js'
import { tenantGroup } from '../features/tenancy/tenant-options.js'
import { versionHeaders } from '../features/versions/read-version.js'
import { versionGroup } from '../features/versions/version-options.js'
import type { CredentialPlaces } from '../http/credentials.js'
import type { ConnectionFacts } from './connections.js'
import type { CheckExchange } from './exchange.js'
import type { Finish } from './finish-test.js'
import type { MemoryAgent } from './memory-agent.js'
import { memoryFetch, type SentPath } from './memory-fetch.js'
import { type Supertest, supertestAgent } from './supertest-agent.js'
import type { TestRecords } from './test-failures.js'
import type { TestOptions } from './test-options.js'

type Headers = ReadonlyMap<string, string>

/** The values that all callers of an application share. */
export interface CallerLink {
  /** Opens an agent whose connections share these facts. */
  readonly connect: (facts: ConnectionFacts) => MemoryAgent
  readonly supertest: Supertest
  /** Checks every response; `null` if responses are not checked. */
  readonly checkExchange: CheckExchange | null
  readonly finish: Finish
  readonly records: TestRecords
  /** The header that specifies the tenant; `null` if the application does not use a header. */
  readonly tenantHeader: string | null
  /** Whether a guard confirms the tenant of its credential. */
  readonly confirmsTenants: boolean
  /** The places of the credentials that the guards read. */
  readonly credentials: CredentialPlaces
  /** The part of the request that specifies a version; `null` if the API has no versions. */
  readonly versions: VersionSettings | null
  /** Returns the path of a request in a version. */
  readonly pathIn: (version: string, request: SentPath) => string
}

/** The user and the headers of a caller. */
export interface CallerState {
  /** Returns the headers for a request. */
  readonly headers: () => Headers
  /** The user; `undefined` if the guard determines the caller. */
  readonly principal?: User | undefined
  /** The tenant to which the credential of `principal` belongs; `undefined` for the tenant that a request specifies. */
  readonly tenant?: string | undefined
  /** The version in the paths of requests (`by: 'path'`); `undefined` if paths do not change. */
  readonly version?: string | undefined
}

/** Returns the private state of a caller. It is only for the harness and is not exported to tests. */
export let stateOf: (caller: TestCaller) => CallerState

/**
 * A caller of an application under test. A caller never changes, so several callers can be used at the same time: `as`,
 * `asTenant` and `with` return new callers.
 */
export class TestCaller {
  readonly #link: CallerLink
  readonly #state: CallerState
  readonly #agent: MemoryAgent

  static {
    stateOf = (caller) => caller.#state
  }

  constructor(link: CallerLink, state: CallerState) {
    this.#link = link
    this.#state = state
    this.#agent = link.connect({ principal: state.principal, tenant: state.tenant })
  }

  /** Returns a supertest agent with its own cookie jar. */
  request(): TestAgent {
    const { supertest, checkExchange, finish, records } = this.#link
    return supertestAgent(supertest, {
      agent: this.#agent,
      headers: this.#state.headers,
      pathOf: this.#pathOf,
      checkExchange,
      finish,
      follow: records.exchanges.follow,
    })
  }

  /**
   * The standard `fetch`. It is bound, so you can pass it to any client that accepts a `fetch` function. Relative URLs
   * are allowed. Every request is sent to the application, even if its URL has another host.
   *
   * @throws TypeError like `fetch`; the abort reason of the signal; ContractError with `contract: 'throw'`;
   * QueryBudgetError for a request with too many statements; UnansweredCallError for a request with an unanswered call.
   */
  readonly fetch = async (
    input: string | URL | globalThis.Request,
    init?: RequestInit,
  ): Promise<globalThis.Response> => {
    const headers = this.#state.headers()
    const { checkExchange, records } = this.#link
    const { exchanges } = records
    const link = { agent: this.#agent, headers, pathOf: this.#pathOf, checkExchange, exchanges }
    return records.pass(await memoryFetch(input, init, link))
  }

  /**
   * Opens a new connection to the application. The function is bound, for clients that accept such a function
   * (`createConnection` of a WebSocket client).
   */
  readonly connect = (): Duplex => this.#agent.createConnection()

  /**
   * Returns a caller with the same headers that acts as this user: the guard is skipped, `req.user` is set instead, and
   * `@Can` still decides. `null` means a caller without credentials; the guard decides. In both cases, `Authorization`
   * and all headers and cookies from which guards read credentials are removed.
   *
   * @throws TypeError if `user` is neither an object nor `null`, because `undefined` would silently act without
   * credentials.
   */
  as(user: User | null): TestCaller {
    if (typeof user !== 'object') {
      const advice =
        'Pass a user, such as { id: 1, permissions: [] }, or null for a caller without credentials.'
      throw new TypeError(`as(): ${String(user)} is not a user. ${advice}`)
    }
    const headers = new Map(this.#state.headers())
    removeCredentials(headers, this.#link.credentials)
    const { tenant, version } = this.#state
    const principal = user ?? undefined
    return new TestCaller(this.#link, { headers: () => headers, principal, tenant, version })
  }

  /**
   * Returns a caller that also sends the header of the option `tenant` (default `x-tenant-id`) with this ID. For guards
   * with `tenantOf`, the credential of `as(user)` then belongs to this tenant: a request that specifies another tenant
   * is refused.
   *
   * @throws Error with `tenant: { header: false }`, unless the caller acts as a user and a guard has `tenantOf`.
   * @example
   * await app.as({ id: 7 }).asTenant('acme').request().get('/orders').expect(200)
   */
  asTenant(id: string): TestCaller {
    const { tenantHeader, confirmsTenants } = this.#link
    const { principal } = this.#state
    if (tenantHeader !== null) return this.#withTenant(id).with({ [tenantHeader]: id })
    if (confirmsTenants && principal !== undefined) return this.#withTenant(id)
    const advice = confirmsTenants
      ? 'call as(user) first, or send a credential of this tenant.'
      : 'specify the tenant as your clients do.'
    throw new Error(`asTenant() sends a header, and \`tenant.header\` is false: ${advice}`)
  }

  /**
   * Returns a caller whose requests specify this API version: in the header, in `Accept`, or in the path. Write paths
   * without the version. The paths of routes in every version do not change.
   *
   * @throws Error without the option `versions`.
   * @example
   * await app.version('2').request().get('/orders').expect(200)
   */
  version(name: string): TestCaller {
    const { versions } = this.#link
    if (versions === null) throw new Error('To use version(), set the option `versions`.')
    if (versions.by === 'path') return new TestCaller(this.#link, { ...this.#state, version: name })
    return this.with(versionHeaders({ version: name, versionHeader: versions.header }))
  }

  readonly #pathOf = (request: SentPath): string => {
    const { version } = this.#state
    return version === undefined ? request.path : this.#link.pathIn(version, request)
  }

  #withTenant(tenant: string): TestCaller {
    return new TestCaller(this.#link, { ...this.#state, tenant })
  }

  /** Returns a caller that also sends these headers. */
  with(headers: Readonly<Record<string, string>>): TestCaller {
    const merged = new Map(this.#state.headers())
    for (const [name, value] of Object.entries(headers)) merged.set(name.toLowerCase(), value)
    return new TestCaller(this.#link, { ...this.#state, headers: () => merged })
  }
}

/** Removes everything that a guard could use as a credential. Other cookies are kept. */
function removeCredentials(
  headers: Map<string, string>,
  { headers: names, cookies }: CredentialPlaces,
) {
  for (const name of ['authorization', ...names]) headers.delete(name)
  const sent = headers.get('cookie')
  if (sent === undefined || cookies.length === 0) return
  const isOther = (pair: string) => !cookies.includes((pair.split('=', 1)[0] as string).trim())
  const others = sent.split(';').filter(isOther)
  if (others.length > 0) headers.set('cookie', others.join(';').trim())
  else headers.delete('cookie')
}

/** Facts about an application for callers: how its requests specify a tenant, and where guards find credentials. */
export interface CallerFacts
  extends Pick<CallerLink, 'tenantHeader' | 'confirmsTenants' | 'credentials' | 'versions'> {
  /** The header that the application itself reads; `null` without the option `tenant`. */
  readonly ownTenantHeader: string | null
}

/** Reads the options of an application under test. */
export function callerFacts({ auth, tenant, versions: by }: TestOptions): CallerFacts {
  const { guards, credentials } = authGroup.resolve(auth)
  // Without the option `tenant`, the default header is used, because middlewares can read it.
  const tenantHeader = tenantGroup.resolve(tenant ?? {})?.header ?? null
  const ownTenantHeader = tenant === undefined ? null : tenantHeader
  const confirms = guards.some(({ confirmsTenant }) => confirmsTenant)
  const confirmsTenants = tenant !== undefined && confirms
  const versions = versionGroup.resolve(by)
  return { tenantHeader, ownTenantHeader, confirmsTenants, credentials, versions }
}
