import type { Class } from '../contracts/provider.js'
import type { Placement } from '../di/modules.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { prefixProblem } from '../model/path-problem.js'
import { joinPaths } from '../model/paths.js'

/** The prefix of every controller, and the errors in module prefixes. */
export interface RoutePrefixes {
  /**
   * Returns one path: the prefix of the application (if it has one), `segment` (such as a version), and the prefix of
   * the controller's module.
   */
  readonly prefixOf: (controller: Class, segment?: string) => string
  readonly problems: readonly Problem[]
}

/** The remedy for a prefix with an invalid syntax. */
export const PREFIX_REMEDY =
  "Use literal segments and `:param`: 'api', 'v1', 'organizations/:organization'."

/** A prefix, and the location that declares it. */
interface Stated {
  readonly prefix: string
  readonly name: string
}

/**
 * Finds the prefix of each controller. A controller has one set of routes, so all places that list it must have the
 * same prefix.
 */
export function routePrefixes(ofApp: string, placements: readonly Placement[]): RoutePrefixes {
  const problems: Problem[] = []
  const stated = new Map<Class, Stated>()
  for (const { name, prefix: given = '', controllers } of placements) {
    const problem = prefixProblem(given)
    if (problem !== null) {
      problems.push(invalid(`${name}, prefix`, wrongPrefix(given, problem), PREFIX_REMEDY))
      continue
    }
    const prefix = joinPaths('', given as string)
    for (const controller of controllers) {
      const first = stated.get(controller)
      if (first === undefined) stated.set(controller, { prefix, name })
      else if (first.prefix !== prefix) problems.push(conflict(controller, first, { prefix, name }))
    }
  }
  const prefixOf = (controller: Class, segment = '') =>
    joinPaths(joinPaths(ofApp, segment), stated.get(controller)?.prefix ?? '')
  return { prefixOf, problems }
}

/** The cause of the error for an invalid prefix. */
export function wrongPrefix(given: unknown, problem: string): string {
  return typeof given === 'string'
    ? `${given} cannot be the prefix of a path: ${problem}.`
    : `${problem}.`
}

function conflict({ name: subject }: Class, first: Stated, second: Stated): Problem {
  const places = [first, second].map(({ prefix, name }) => `in ${name} (prefix ${prefix})`)
  return {
    code: 'E_PREFIX_CONFLICT',
    subject,
    cause: `It is listed twice with different prefixes: ${places.join(' and ')}. A class can have only one prefix.`,
    remedy: `List it once. For versions of an API, use @Version('1', '2'). To add the routes under another prefix, list a subclass there: class Other extends ${subject} {}.`,
  }
}
