import type { RouteLimits } from '../contracts/limits.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { checkCount, checkDuration, checkSize } from '../http/units.js'
import { hasBody } from './body-methods.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

const NAMES: OptionNames<RouteLimits> = { body: true, depth: true, timeout: true }

/** Checks the `@Limits` of one method, or of one class without its base classes. */
export function checkBounds(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'limits').flatMap(({ limits }) => checkStated(`${subject} @Limits`, limits))
}

function checkStated(subject: string, limits: unknown): Problem[] {
  const remedy =
    "Write @Limits({ body: '5mb', depth: 20, timeout: '5s' }), with one field at least."
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) {
    return [invalid(subject, `${shown(limits)} is not an object of limits.`, remedy)]
  }
  const { body, depth, timeout } = limits as RouteLimits
  const unknown = unknownNames(`${subject} `, limits, NAMES)
  const isEmpty = body === undefined && depth === undefined && timeout === undefined
  if (isEmpty && unknown.length === 0) return [invalid(subject, 'It sets no limit.', remedy)]
  return [
    ...unknown,
    ...checkSize(`${subject} body`, body),
    ...checkCount(`${subject} depth`, depth),
    ...(timeout === false ? [] : checkDuration(`${subject} timeout`, timeout)),
  ]
}

/** Warns of limits for a body on a method that reads none. Limits on a class are for its other methods. */
export function checkUnusedBounds(subject: string, facts: FactsByKind): Problem[] {
  const methods = factsOf(facts, 'route').map(({ method }) => method)
  const inputs = factsOf(facts, 'input')
  const isRead =
    (facts.body ?? facts.upload) !== undefined || inputs.some(({ source }) => source === 'body')
  if (isRead || methods.length === 0 || methods.some(hasBody)) return []
  const stated = factsOf(facts, 'limits').map(({ limits }) => limits)
  const unused = (['body', 'depth'] as const).filter((name) =>
    stated.some((limits) => limits?.[name] !== undefined),
  )
  return unused.map((name) => ({
    code: 'W_LIMIT_UNUSED',
    subject,
    cause: `@Limits sets \`${name}\`, and no body is read on ${methods.join(' and ')} without @Body.`,
    remedy: `Remove \`${name}\`, or use a method with a body.`,
  }))
}
