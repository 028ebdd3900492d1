import type { SchemaConverters } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import { type DatePlaces, either, findDatePlaces, within } from './date-places.js'
import { createDateWriter, type WriteDates } from './date-writer.js'
import { describeOnce } from './describe-once.js'
import { isStatedBare } from './response-shape.js'

/**
 * Compiles what writes the dates of an operation's answers, whichever of them comes; `null` when they hold none.
 *
 * @param converters Of libraries that do not describe their schemas.
 */
export function compileResponseDates(
  responses: readonly ApiResponseOptions[],
  converters?: SchemaConverters,
): WriteDates | null {
  const places = responses.map((each) => placesOf(each, converters)).reduce(either, null)
  return places && createDateWriter(places)
}

function placesOf(
  response: ApiResponseOptions,
  converters: SchemaConverters | undefined,
): DatePlaces | null {
  const { status, schema } = response
  if (status >= 400 || schema === undefined) return null
  const places = findDatePlaces(describeOnce(schema, { side: 'output', converters }))
  return places && (isStatedBare(response) ? places : inEnvelope(places))
}

/** What has a `data` may be the whole envelope. */
function inEnvelope(places: DatePlaces): DatePlaces | null {
  return either(within('data', places), places.properties.has('data') ? places : null)
}
