import type { SchemaConverters } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { type DatePlaces, either, findDatePlaces, within } from './date-places.js'
import { createDateWriter, type WriteDates } from './date-writer.js'
import { describeOnce } from './describe-once.js'
import { isSentWithoutEnvelope, type Wire } from './response-shape.js'

/**
 * Compiles one function that writes the dates of all successful responses of an operation; `null` when no
 * response holds dates.
 *
 * @param converters Converters for libraries that cannot describe their schemas.
 */
export function compileResponseDates(
  route: Wire & Pick<RouteModel, 'operation'>,
  converters?: SchemaConverters,
): WriteDates | null {
  const { responses } = route.operation
  const places = responses.map((each) => placesOf(each, route, converters)).reduce(either, null)
  return places && createDateWriter(places)
}

function placesOf(
  response: ApiResponseOptions,
  wire: Wire,
  converters: SchemaConverters | undefined,
): DatePlaces | null {
  const { status, schema } = response
  if (status >= 400 || schema === undefined) return null
  const places = findDatePlaces(describeOnce(schema, { side: 'output', converters }))
  return places && (isSentWithoutEnvelope(response, wire) ? places : inEnvelope(places))
}

/**
 * A schema with a `data` property may describe the whole envelope or only its data, so dates are looked for
 * in both places.
 */
function inEnvelope(places: DatePlaces): DatePlaces | null {
  return either(within('data', places), places.properties.has('data') ? places : null)
}
