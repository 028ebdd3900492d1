import type { TestRecords } from './explain/test-records.js'
import type { Finish } from './finish-test.js'
import { joinFailures } from './join-failures.js'
import type { TestLog } from './test-log.js'
import type { TestWatch } from './test-watch.js'

/** The parts of an application under test that know more about a failed request. */
export interface FinisherParts {
  readonly log: TestLog
  readonly watch: TestWatch
  readonly records: TestRecords
}

/** Creates the function that joins all failures of a request, with their reasons. */
export function finisher({ log, watch, records }: FinisherParts): Finish {
  return (failure, request) => {
    log.explain(failure, request)
    if (failure !== null) records.explainTo(failure, request)
    return joinFailures([failure, watch.takeRejection(request), records.takeOver(request)])
  }
}
