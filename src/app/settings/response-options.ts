import type { ApiResponseOptions } from '../../contracts/operation.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'
import { checkDocumented } from '../../model/check-documentation.js'

/** The `responses` option. */
export interface ResponseOptions {
  /**
   * Responses that every route documents, as if it had an `@ApiResponseDoc` for each: for example the 422 that an
   * interceptor throws. The `@ApiResponseDoc` of a method or a class replaces the one of the same status.
   *
   * @defaultValue none
   */
  readonly documented?: readonly ApiResponseOptions[]
}

/** The `responses` option, resolved. */
export interface ResponseSettings {
  readonly documented: readonly ApiResponseOptions[]
}

type Option = ResponseOptions | undefined

const NAMES: Names<ResponseOptions> = { documented: true }
const GIVE = 'Give { documented: [{ status, description, schema }] }.'

/** The `responses` option. */
export const responseGroup: OptionGroup<Option, ResponseSettings> = {
  unknown: (responses) => refusedNames('responses.', responses, NAMES),
  check,
  // The items stay the same objects: an application that is created again then has the same model.
  resolve: (responses) => {
    const documented = (responses?.documented ?? []).map((each) => Object.freeze(each))
    return Object.freeze({ documented: Object.freeze(documented) })
  },
}

function check(responses: unknown): Problem[] {
  if (responses === undefined) return []
  if (typeof responses !== 'object' || responses === null || Array.isArray(responses)) {
    return [invalid('responses', 'It is not an object.', GIVE)]
  }
  const { documented } = responses as ResponseOptions
  if (documented === undefined) return []
  const subject = 'responses.documented'
  if (!Array.isArray(documented)) return [invalid(subject, 'It is not a list.', GIVE)]
  return checkDocumented({ subject, label: 'a response' }, documented)
}
