import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { schemasOfBody } from '../schema/body-schemas.js'
import { describeOnce } from '../schema/describe-once.js'
import { findUnboundedLists } from '../schema/unbounded-lists.js'
import type { Settings } from './settings/settings.js'

/**
 * An item takes at least two bytes, so a body of this size has at most 100,000 items. With a lower limit, no
 * schema needs to be read.
 */
const HARMLESS_BYTES = 200_000

/**
 * Warns of lists without a maximum if `limits.body` or `@Limits` allows very long ones. Their validation would block all
 * other requests.
 */
export function checkBodies(
  { limits, converters }: Settings,
  { routes }: AppModel,
): readonly Problem[] {
  return routes.flatMap((route) => {
    const bodyBytes = route.bounds?.bodyBytes ?? limits.bodyBytes
    if (bodyBytes <= HARMLESS_BYTES) return []
    return schemasOfBody(route).flatMap((body) => {
      const described = describeOnce(body, { side: 'input', converters })
      return findUnboundedLists(described, bodyBytes).map((path) => unbounded(route, path))
    })
  })
}

function unbounded({ name }: RouteModel, path: string): Problem {
  const list = path === '' ? 'its list' : `the list '${path}'`
  return {
    code: 'W_LIST_UNBOUNDED',
    subject: `${name} @Body`,
    cause: `A body within the limit of its size can have more than 100,000 items in ${list}, and all are validated at once.`,
    remedy:
      'Give the list a maximum (`maxItems`, `.max(1000)`), or lower the limit (limits.body, @Limits).',
  }
}
