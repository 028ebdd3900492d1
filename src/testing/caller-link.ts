import type { CompiledRoutes } from '../app/compile-routes.js'
import { versionPlace } from '../app/version-router.js'
import { type Finish, joinFailures } from './finish-test.js'
import { type CallerLink, callerFacts } from './test-caller.js'
import type { TestRecords } from './test-failures.js'
import type { TestLog } from './test-log.js'
import type { TestParts } from './test-parts.js'
import type { TestWatch } from './test-watch.js'

/** The link between callers and an application in a test. */
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

/** The parts of an application in a test that provide more facts about a failed request. */
interface FinisherParts {
  readonly log: TestLog
  readonly watch: TestWatch
  readonly records: TestRecords
}

/** Creates the function that combines all failures of a request, with their reasons. */
function finisher({ log, watch, records }: FinisherParts): Finish {
  return (failure, request) => {
    log.explain(failure, request)
    if (failure !== null) records.explainTo(failure, request)
    return joinFailures([failure, watch.takeRejection(request), records.takeOver(request)])
  }
}

/**
 * Creates the function that adds a version to a request path if paths specify the version (`by: 'path'`). The path of a
 * route that exists in every version does not change.
 */
function versionPaths(routes: () => CompiledRoutes): CallerLink['pathIn'] {
  return (version, { method, path }) => {
    const { match, model, settings } = routes()
    const versionAt = (url: string) => {
      const found = match(method, url)
      return found.kind === 'route' ? (model.routes[found.index]?.version ?? null) : undefined
    }
    const place = versionPlace(settings.prefix)
    const own = path.split('/').toSpliced(place, 0, `v${version}`).join('/')
    return versionAt(own) !== version && versionAt(path) === null ? path : own
  }
}
