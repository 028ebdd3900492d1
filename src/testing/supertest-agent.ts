import type { ClientRequest } from 'node:http'
import type { Response, Test } from 'supertest'
import type TestAgent from 'supertest/lib/agent.js'
import { ConfigError } from '../errors/config-error.js'
import { refuseOldPeer } from '../errors/peer-floor.js'
import { type Judge, observe } from './exchange.js'
import { type Finish, finishTest } from './finish-test.js'
import type { MemoryAgent } from './memory-agent.js'
import { ORIGIN } from './memory-fetch.js'

export type Supertest = typeof import('supertest')

/** What every request of an agent is given. */
export interface RequestDefaults {
  readonly agent: MemoryAgent
  /** Asked for with every request. */
  readonly headers: () => ReadonlyMap<string, string>
  /** `null` where nobody checks answers. */
  readonly judge: Judge | null
  readonly finish: Finish
}

/** @throws ConfigError when supertest is not installed, or is too old. */
export async function loadSupertest(): Promise<Supertest> {
  refuseOldPeer('supertest', { subject: 'blazon/testing', origin: import.meta.url })
  try {
    const module = await import('supertest')
    return module.default as unknown as Supertest
  } catch (cause) {
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/testing',
      cause: 'TestApp needs the package supertest, which is not installed.',
      remedy: 'npm install --save-dev supertest @types/supertest',
    } as const
    throw new ConfigError([problem], { cause })
  }
}

/** A supertest agent whose requests go over connections in memory. */
export function supertestAgent(supertest: Supertest, defaults: RequestDefaults): TestAgent {
  const { agent, headers, judge, finish } = defaults
  return supertest.agent(ORIGIN).use((test: Test) => {
    test.agent(agent as never)
    for (const [name, value] of headers()) test.set(name, value)
    if (judge !== null) judgeTest(test, judge)
    finishTest(test, finish)
  })
}

type Done = (error: unknown, response: Response) => void

/**
 * Hands what the judge finds to whoever waits for the test, behind its own expectations: a status that the test
 * itself rejects says more. `then` and `expect(…, callback)` go through `end`, too.
 */
function judgeTest(test: Test, judge: Judge): void {
  let failure: Error | undefined
  // Once for every redirect that is followed.
  test.on('request', () => {
    const { req } = test as unknown as { req: ClientRequest }
    observe(req, judge, (found) => {
      failure ??= found
    })
  })
  const end = test.end as (this: Test, done: Done) => Test
  test.end = function endJudged(this: Test, done?: Done) {
    return end.call(this, (error, response) => done?.call(this, error ?? failure ?? null, response))
  } as Test['end']
}
