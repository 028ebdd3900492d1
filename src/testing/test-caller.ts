import type { Duplex } from 'node:stream'
import type TestAgent from 'supertest/lib/agent.js'
import type { User } from '../contracts/handler.js'
import type { ConnectionFacts } from './connections.js'
import type { Judge } from './exchange.js'
import type { Finish } from './finish-test.js'
import type { MemoryAgent } from './memory-agent.js'
import { memoryFetch } from './memory-fetch.js'
import { type Supertest, supertestAgent } from './supertest-agent.js'

type Headers = ReadonlyMap<string, string>

/** What all callers of an application share. */
export interface CallerLink {
  /** Connections of one kind. */
  readonly connect: (facts: ConnectionFacts) => MemoryAgent
  readonly supertest: Supertest
  /** `null` where nobody checks answers. */
  readonly judge: Judge | null
  readonly finish: Finish
  /** The header that names the tenant; `null` where the application reads none. */
  readonly tenantHeader: string | null
}

/** Who calls, and with which headers. */
export interface CallerState {
  /** Asked for with every request. */
  readonly headers: () => Headers
  /** `undefined` leaves it to the guard who calls. */
  readonly principal?: User | undefined
}

/** What a caller is; for the harness, and not for tests. */
export let stateOf: (caller: TestCaller) => CallerState

/**
 * A way to call an application under test. It never changes, so two of them can be used at the same time:
 * `as`, `asTenant` and `with` make others.
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
    this.#agent = link.connect({ principal: state.principal })
  }

  /** A supertest agent with a cookie jar of its own. */
  request(): TestAgent {
    const { supertest, judge, finish } = this.#link
    return supertestAgent(supertest, {
      agent: this.#agent,
      headers: this.#state.headers,
      judge,
      finish,
    })
  }

  /**
   * The standard's `fetch`, bound: it can be handed to whatever asks for one. Relative URLs are fine; whatever host
   * others name, the application answers.
   *
   * @throws TypeError as `fetch`; the reason of an aborted signal; `ContractError` where `contract` is `'throw'`.
   */
  readonly fetch = (
    input: string | URL | globalThis.Request,
    init?: RequestInit,
  ): Promise<globalThis.Response> => {
    const headers = this.#state.headers()
    return memoryFetch(input, init, { agent: this.#agent, headers, judge: this.#link.judge })
  }

  /** A connection of its own, bound: for clients that take one, such as a WebSocket's `createConnection`. */
  readonly connect = (): Duplex => this.#agent.createConnection()

  /**
   * The same, as this user: the guard is not asked, `req.user` is set where it would be, and `@Can` decides as
   * ever. `null` is nobody: the guard is asked, without the `Authorization` header.
   *
   * @throws TypeError when it is neither: `undefined` would act as nobody, unnoticed.
   */
  as(user: User | null): TestCaller {
    if (typeof user !== 'object') {
      const advice = 'Give a user, such as { id: 1, permissions: [] }, or null for nobody.'
      throw new TypeError(`as(): ${String(user)} is not a user. ${advice}`)
    }
    const headers = new Map(this.#state.headers())
    headers.delete('authorization')
    return new TestCaller(this.#link, { headers: () => headers, principal: user ?? undefined })
  }

  /**
   * The same, for this tenant: sends the header of the `tenant` option, `x-tenant-id` where there is none.
   *
   * @throws Error where the application reads no header.
   */
  asTenant(id: string): TestCaller {
    const { tenantHeader } = this.#link
    if (tenantHeader !== null) return this.with({ [tenantHeader]: id })
    throw new Error(
      'asTenant() sends a header, and `tenant.header` is false: name the tenant as your clients do.',
    )
  }

  /** The same, with these headers too. */
  with(headers: Readonly<Record<string, string>>): TestCaller {
    const merged = new Map(this.#state.headers())
    for (const [name, value] of Object.entries(headers)) merged.set(name.toLowerCase(), value)
    return new TestCaller(this.#link, { ...this.#state, headers: () => merged })
  }
}
