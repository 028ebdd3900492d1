import { invalid, type Problem } from '../../errors/config-error.js'
import type { OptionGroup } from '../../errors/option-group.js'
import { type DocumentSettings, swaggerGroup } from '../../openapi/swagger-options.js'

type Option = Parameters<typeof swaggerGroup.check>[0]

/** The `openapi` option: another name of `swagger`. The settings are `null` without it. */
export const openapiGroup: OptionGroup<Option, readonly DocumentSettings[] | null> = {
  unknown: (option) => underThisName(swaggerGroup.unknown(option)),
  check: (option) => underThisName(swaggerGroup.check(option)),
  resolve: (option) => (option === undefined ? null : swaggerGroup.resolve(option)),
}

function underThisName(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    subject: problem.subject.replace(/^swagger/, 'openapi'),
  }))
}

/** Checks that only one of the two names is used. */
export function checkDocumentNames(options: {
  readonly openapi?: unknown
  readonly swagger?: unknown
}): Problem[] {
  if (options.openapi === undefined || options.swagger === undefined) return []
  const cause = '`openapi` and `swagger` are two names of one option, and both are given.'
  return [invalid('openapi', cause, 'Keep one of them.')]
}
