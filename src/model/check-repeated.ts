import type { Fact } from '../contracts/facts.js'
import type { Problem } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Decorators of which one class, or one method, can only have one: the second would never be read. */
const SINGULAR: readonly (readonly [kind: Fact['kind'], name: string])[] = [
  ['controller', '@Controller'],
  ['tenant', '@Tenant'],
  ['tags', '@ApiTags'],
  ['status', '@HttpCode'],
  ['redirect', '@Redirect'],
  ['operation', '@ApiOperation'],
  ['bodyDoc', '@ApiBody'],
]

/** What is said twice of one method, or of one class without those it extends. */
export function checkRepeated(subject: string, facts: FactsByKind): Problem[] {
  return SINGULAR.flatMap(([kind, name]) => {
    const count = factsOf(facts, kind).length
    if (count < 2) return []
    const cause = `It has ${count} ${name}; only one of them would be read.`
    return [conflict(subject, cause, 'Remove all but one, or merge them.')]
  })
}

/** Parameters that two decorators want to fill. */
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
