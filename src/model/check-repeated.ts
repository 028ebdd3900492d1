import type { Fact } from '../contracts/facts.js'
import type { Problem } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Decorators that a class or a method can only have once: a second one would never be read. */
const SINGULAR: readonly (readonly [kind: Fact['kind'], name: string])[] = [
  ['controller', '@Controller'],
  ['tenant', '@Tenant'],
  ['limits', '@Limits'],
  ['queries', '@Queries'],
  ['version', '@Version'],
  ['responseFields', '@ResponseFields'],
  ['tags', '@ApiTags'],
  ['status', '@HttpCode'],
  ['redirect', '@Redirect'],
  ['envelope', '@Envelope'],
  ['produces', '@Produces'],
  ['webhook', '@Webhook'],
  ['operation', '@ApiOperation'],
  ['bodyDoc', '@ApiBody'],
]

/** Finds decorators that are repeated on one method, or on one class without its base classes. */
export function checkRepeated(subject: string, facts: FactsByKind): Problem[] {
  return SINGULAR.flatMap(([kind, name]) => {
    const count = factsOf(facts, kind).length
    if (count < 2) return []
    const cause = `It has ${count} ${name}; only one of them would be read.`
    return [conflict(subject, cause, 'Remove all but one, or merge them.')]
  })
}

/** Finds parameters with two decorators that both fill them, and parameters that receive no key. */
export function checkParameters(subject: string, facts: FactsByKind): Problem[] {
  const indexes = factsOf(facts, 'parameter').map(({ index }) => index)
  const repeated = indexes.filter((index, place) => indexes.indexOf(index) !== place)
  return [...new Set(repeated)].map((index) => {
    const cause = `Its parameter ${index} has several decorators, and only one can fill it.`
    return conflict(subject, cause, 'Give each decorator a parameter of its own.')
  })
}

function conflict(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_DECORATOR_CONFLICT', subject, cause, remedy }
}
