import type { RouteModel } from '../contracts/route-model.js'
import type { ErrorFormat, ErrorWire } from '../contracts/wire-format.js'

/** The format of errors that the envelope of a route has; `undefined` if errors have the format of the application. */
export function errorFormatOf({ envelope }: Pick<RouteModel, 'envelope'>): ErrorFormat | undefined {
  return typeof envelope === 'object' ? envelope.error : undefined
}

/** The format of the errors of a route. */
export function errorWireOf(route: Pick<RouteModel, 'envelope'>, ofApp: ErrorWire): ErrorWire {
  return errorFormatOf(route) ?? ofApp
}
