import type { RouteModel } from '../../contracts/route-model.js'
import { acceptQuery, checkQueryMethod } from '../../model/accept-query.js'
import type { Feature } from '../../step/feature.js'

const isQuery = ({ method }: RouteModel) => method === 'QUERY'

/** Implements the rules of RFC 10008 for `@QueryMethod()` routes, except for the method itself. */
export const queryMethod: Feature<unknown> = {
  name: 'query-method',
  check: checkQueryMethod,
  contract: () => (route) => {
    if (!isQuery(route)) return null
    const description = 'The media types that a `QUERY` request can have (RFC 10008).'
    const schema = { type: 'string', enum: [acceptQuery(route)] }
    return { errors: [415], headers: { 'Accept-Query': { description, schema } } }
  },
  places: (route) => (isQuery(route) ? ['beforeGuard', 'beforeBody'] : []),
  load({ model }) {
    if (!model.routes.some(isQuery)) return null
    return import('./query-method-plugin.js').then((file) => file.queryMethodPlugin())
  },
}
