import type { SchemaConverters } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { createDateWriter, type WriteDates } from './date-writer.js'
import { isNode, type Node, RESOURCE_MARK } from './dialect/conversion.js'
import { readReferences } from './dialect/references.js'
import { type FoundPlace, findPlaces } from './found-places.js'
import { jsonIfDescribed } from './json-once.js'
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
  const places = findDates({
    anyOf: responses.flatMap((each) => bodiesOf(each, route, converters)),
  })
  return places && createDateWriter(places)
}

/** Finds every place that is a `date-time` in at least one alternative of a schema; `null` when there is none. */
export function findDates(json: unknown): FoundPlace | null {
  return findPlaces(json, readReferences(json).resolve, ({ format }) => format === 'date-time')
}

/** The schemas of the bodies that a response may have. */
function bodiesOf(
  response: ApiResponseOptions,
  wire: Wire,
  converters: SchemaConverters | undefined,
): Node[] {
  const { status, schema } = response
  if (status >= 400 || schema === undefined) return []
  const json = jsonIfDescribed(schema, { side: 'output', converters })
  if (!isNode(json)) return []
  const body = asResource(json)
  if (isSentWithoutEnvelope(response, wire)) return [body]
  const enveloped = { properties: { data: body } }
  // A schema with a `data` property may describe the whole envelope or only its data.
  return findDates(body)?.properties.has('data') ? [enveloped, body] : [enveloped]
}

/** A schema whose references also lead to their targets inside another schema. */
function asResource(json: Node): Node {
  return typeof json.$id === 'string' ? json : { ...json, [RESOURCE_MARK]: true }
}
