import type { DefaultStatus } from '../../contracts/route-model.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { prefixProblem } from '../../model/path-problem.js'
import { joinPaths } from '../../model/paths.js'
import { PREFIX_REMEDY, wrongPrefix } from '../route-prefixes.js'

/** The `prefix` option. */
export const prefixGroup: OptionGroup<string | undefined, string> = {
  unknown: () => [],
  check(prefix = '') {
    const problem = prefixProblem(prefix)
    return problem === null ? [] : [invalid('prefix', wrongPrefix(prefix, problem), PREFIX_REMEDY)]
  },
  resolve: (prefix = '') => joinPaths('', prefix),
}

const METHODS: OptionNames<Required<DefaultStatus>> = {
  GET: true,
  POST: true,
  PUT: true,
  PATCH: true,
  QUERY: true,
  DELETE: true,
  HEAD: true,
  OPTIONS: true,
  ALL: true,
}

/**
 * The `defaultStatus` option. An unknown method is an error: the routes of a misspelt method would keep their status.
 */
export const statusGroup: OptionGroup<DefaultStatus | undefined, DefaultStatus> = {
  unknown: (statuses) =>
    Array.isArray(statuses) ? [] : unknownOptions('defaultStatus.', statuses, METHODS),
  check: checkStatuses,
  resolve: (statuses) => Object.freeze({ ...statuses }),
}

function checkStatuses(statuses: unknown): Problem[] {
  if (statuses === undefined) return []
  if (typeof statuses !== 'object' || statuses === null || Array.isArray(statuses)) {
    return [invalid('defaultStatus', `It is ${shown(statuses)}.`, 'Pass { POST: 201 }.')]
  }
  return Object.entries(statuses)
    .filter(([method, status]) => Object.hasOwn(METHODS, method) && !isSuccess(status))
    .map(([method, status]) =>
      invalid(`defaultStatus.${method}`, `${shown(status)} is not a success status.`, REMEDY),
    )
}

const REMEDY =
  'Pass a whole number from 200 to 299. For another status, use @HttpCode or @Redirect.'

function isSuccess(status: unknown): boolean {
  if (status === undefined) return true
  return Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 299
}
