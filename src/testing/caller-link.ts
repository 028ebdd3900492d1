import { callerFacts } from './caller-facts.js'
import { finisher } from './finisher.js'
import type { CallerLink } from './test-caller.js'
import type { TestParts } from './test-parts.js'
import { versionPaths } from './version-path.js'

/** The way from the callers of an application under test to the application. */
export function callerLink(supertest: CallerLink['supertest'], parts: TestParts): CallerLink {
  return {
    supertest,
    connect: (facts) => parts.connect(facts),
    checkExchange: parts.contract?.checkExchange ?? null,
    finish: finisher(parts),
    records: parts.records,
    pathIn: versionPaths(() => parts.routes),
    ...callerFacts(parts.options),
  }
}
