import type { ClientRequest } from 'node:http'
import type { Response, Test } from 'supertest'
import type TestAgent from 'supertest/lib/agent.js'
import { loadPeer } from '../errors/peer-floor.js'
import { type CheckExchange, observe } from './exchange.js'
import { type Finish, finishTest } from './finish-test.js'
import type { MemoryAgent } from './memory-agent.js'
import { ORIGIN, type SentPath } from './memory-fetch.js'

export type Supertest = typeof import('supertest')

/** The settings of every request of an agent. */
export interface RequestDefaults {
  readonly agent: MemoryAgent
  /** Returns the headers to add to every request. */
  readonly headers: () => ReadonlyMap<string, string>
  /** Returns the path that is sent. */
  readonly pathOf: (request: SentPath) => string
  /** Checks every response; `null` if responses are not checked. */
  readonly checkExchange: CheckExchange | null
  readonly finish: Finish
  /** Receives each request that is sent. */
  readonly follow: (sent: ClientRequest) => void
}

/** @throws ConfigError if supertest is not installed or is too old. */
export async function loadSupertest(): Promise<Supertest> {
  const install = 'npm install --save-dev supertest @types/supertest'
  const use = { subject: 'TestApp', origin: import.meta.url, install }
  const module = await loadPeer('supertest', use, () => import('supertest'))
  return module.default as unknown as Supertest
}

/** Creates a supertest agent whose requests use in-memory connections. */
export function supertestAgent(supertest: Supertest, defaults: RequestDefaults): TestAgent {
  const { agent, headers, pathOf, checkExchange, finish, follow } = defaults
  return supertest.agent(ORIGIN).use((test: Test) => {
    test.agent(agent as never)
    const { method, url } = test as unknown as { method: string; url: string }
    test.url = ORIGIN + pathOf({ method, path: url.slice(ORIGIN.length) })
    for (const [name, value] of headers()) test.set(name, value)
    // supertest emits this event once for the request, and once for every redirect that it follows.
    test.on('request', () => follow((test as unknown as { req: ClientRequest }).req))
    if (checkExchange !== null) checkTest(test, checkExchange)
    finishTest(test, finish)
  })
}

type Done = (error: unknown, response: Response) => void

/**
 * Fails a supertest request with the error of `checkExchange`, unless its own expectations fail first, because their
 * error is more exact. Replaces `end`, because `then` and `expect(…, callback)` also call it.
 */
function checkTest(test: Test, checkExchange: CheckExchange): void {
  let failure: Error | undefined
  test.on('request', () => {
    const { req } = test as unknown as { req: ClientRequest }
    observe(req, checkExchange, (found) => {
      failure ??= found
    })
  })
  const end = test.end as (this: Test, done: Done) => Test
  test.end = function endJudged(this: Test, done?: Done) {
    return end.call(this, (error, response) => done?.call(this, error ?? failure ?? null, response))
  } as Test['end']
}
