import type { Problem } from '../errors/config-error.js'
import { checkAccess } from './check-access.js'
import { checkBounds } from './check-bounds.js'
import { checkResponseDocs } from './check-documentation.js'
import { checkEnvelopes } from './check-envelope.js'
import { checkLimits } from './check-limits.js'
import { checkOptions } from './check-options.js'
import { checkQueries } from './check-queries.js'
import { checkRepeated } from './check-repeated.js'
import { checkUses } from './check-uses.js'
import { checkProduces } from './compile-produces.js'
import type { FactsByKind } from './facts-by-kind.js'
import { checkVersions } from './versions.js'

/** Checks the decorators of one class, without its base classes, or of one method. */
export function checkLink(subject: string, facts: FactsByKind): Problem[] {
  return [
    ...checkAccess(subject, facts),
    ...checkLimits(subject, facts),
    ...checkRepeated(subject, facts),
    ...checkOptions(subject, facts),
    ...checkUses(subject, facts),
    ...checkBounds(subject, facts),
    ...checkQueries(subject, facts),
    ...checkVersions(subject, facts),
    ...checkEnvelopes(subject, facts),
    ...checkResponseDocs(subject, facts),
    ...checkProduces(subject, facts),
  ]
}
