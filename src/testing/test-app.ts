import type { Test } from 'supertest'
import type TestAgent from 'supertest/lib/agent.js'
import { App } from '../app/app.js'
import type { AppOptions } from '../app/options.js'
import type { Override } from '../di/build-container.js'
import { ConfigError } from '../errors/config-error.js'
import { MemoryAgent } from './memory-agent.js'
import { mergeOptions } from './merge-options.js'

/** What tests rarely want; explicit options turn it back on (specification section 4.7, rule 1). */
const TEST_DEFAULTS = {
  rateLimit: false,
  security: { helmet: false, cors: false },
} as const satisfies AppOptions

/** Never resolved: connections are made in memory. The name is what `req.hostname` shows. */
const ORIGIN = 'http://in-process'

type Supertest = typeof import('supertest')

/**
 * An application under test: the whole of it, through the real HTTP parser and a real supertest, over
 * connections in memory. It listens on no port.
 *
 * @example
 * const app = await TestApp.create({ controllers: defineControllers(UsersController) })
 * const { status, body } = await app.withAuth(token).request().get('/users/1')
 * await app.close()
 */
export class TestApp extends App {
  readonly #overrides: readonly Override[]
  readonly #headers: Map<string, string> = new Map()
  #supertest: Supertest | undefined
  #memory: MemoryAgent | undefined

  private constructor(options: AppOptions) {
    super(mergeOptions(TEST_DEFAULTS, options))
    this.#overrides = options.testOverrides ?? []
  }

  /**
   * Makes and starts an application without a port.
   *
   * @param options As for `App`, over test defaults: no rate limit, no helmet, no CORS. `testOverrides`
   * win over every provider of the same token.
   * @throws ConfigError as `App.init`, and when `supertest` is not installed.
   */
  static override async create(options: AppOptions = {}): Promise<TestApp> {
    const app = new TestApp(options)
    app.#supertest = await loadSupertest()
    await app.init()
    app.#memory = new MemoryAgent(app.server)
    return app
  }

  /**
   * A supertest agent of its own cookie jar. Headers of `withAuth` and `withHeaders` are added to each of
   * its requests as they stand when the request is made.
   */
  request(): TestAgent {
    if (this.#supertest === undefined || this.#memory === undefined) {
      throw new Error('request() needs a started application: make it with TestApp.create().')
    }
    const memory = this.#memory
    const agent = this.#supertest.agent(ORIGIN)
    agent.use((test: Test) => {
      test.agent(memory as never)
      for (const [name, value] of this.#headers) test.set(name, value)
    })
    return agent
  }

  /** Sends `Authorization: Bearer <token>` with every later request, until cleared. */
  withAuth(token: string): this {
    return this.withHeaders({ authorization: `Bearer ${token}` })
  }

  /** Sends these headers with every later request; a later call changes the ones it names. */
  withHeaders(headers: Readonly<Record<string, string>>): this {
    for (const [name, value] of Object.entries(headers))
      this.#headers.set(name.toLowerCase(), value)
    return this
  }

  /** Forgets what `withAuth` and `withHeaders` have set. */
  clearHeaders(): this {
    this.#headers.clear()
    return this
  }

  override close(signal?: string): Promise<void> {
    this.#memory?.destroy()
    return super.close(signal)
  }

  protected override ignoredOverrides(): readonly [] {
    return []
  }

  protected override overrides(): readonly Override[] {
    return this.#overrides
  }
}

async function loadSupertest(): Promise<Supertest> {
  try {
    const module = await import('supertest')
    return module.default as unknown as Supertest
  } catch (cause) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/testing',
      cause: 'TestApp makes its requests with supertest, which is not installed.',
      remedy: 'npm install --save-dev supertest @types/supertest',
    } as const
    throw new ConfigError([problem], { cause })
  }
}
