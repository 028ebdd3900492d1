import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { markedSides, marksOfRoute } from '../schema/audience/route-marks.js'
import { mapResponses } from '../schema/fields/response-bodies.js'
import type { Settings } from './settings/settings.js'

type RowSettings = Pick<Settings, 'responses' | 'converters'>

/** Finds tables (`text/csv`) whose fields are limited, and whose document has no list that could limit their rows. */
export function checkRows(settings: RowSettings, { routes }: AppModel): readonly Problem[] {
  return routes
    .filter(({ method, produces }) => method !== 'HEAD' && produces?.some(({ isTable }) => isTable))
    .filter((route) => isLimited(route, settings))
    .flatMap((route) =>
      statusesWithoutList(route, settings).map((status) => problem(route, status)),
    )
}

function isLimited(route: RouteModel, { responses, converters }: RowSettings): boolean {
  if ((route.responseFields ?? responses.fields) !== 'send') return true
  return markedSides(marksOfRoute(route, converters))?.limitsResponses === true
}

function statusesWithoutList(route: RouteModel, { converters }: RowSettings): readonly number[] {
  const found = mapResponses(route, converters, { of: () => true, either: () => true })
  return [...found].flatMap(([status, { rows }]) => (status < 300 && rows === null ? [status] : []))
}

function problem({ name }: RouteModel, status: number): Problem {
  return {
    code: 'E_ROWS_UNDESCRIBED',
    subject: `${name} @ApiResponseDoc(${status})`,
    cause:
      "It describes no list, and @Produces sends it as 'text/csv': nothing shows which fields of a row may leave.",
    remedy: 'Describe a list, or an object whose `items` is a list, as page() does.',
  }
}
