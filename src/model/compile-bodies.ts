import type { BodyModel, BodyOptions, BodyType } from '../contracts/inputs.js'
import type { RouteBounds } from '../contracts/limits.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import { toBytes } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** The media type of each type of body. */
export const CONTENT_TYPES: Readonly<Record<BodyType, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
  bytes: 'application/octet-stream',
}

/** The result of the `@Body` decorators with options of a route. */
type Bodies = Pick<RouteModel, 'inputs' | 'bodies' | 'limits'>

/** Adds the bodies that have options to the inputs and the limits of a route. */
export function withBodies(facts: FactsByKind, { inputs, limits }: Omit<Bodies, 'bodies'>): Bodies {
  if (facts.body === undefined && facts.webhook === undefined) {
    return { inputs, bodies: null, limits }
  }
  // A webhook signs the bytes, so its body is read by the same step as a `bytes` body.
  const isPlain = inputs.body !== null || facts.body === undefined
  const isDescribed = inputs.body !== null
  const plain = isPlain ? [{ ...modelOf('json', inputs.body, {}), isDescribed }] : []
  const bodies = [...plain, ...factsOf(facts, 'body').flatMap(modelsOf)]
  const body = bodies.find(({ schema }) => schema !== null)?.schema ?? null
  return {
    inputs: Object.freeze({ ...inputs, body }),
    bodies: facts.webhook === undefined && isDefault(bodies) ? null : Object.freeze(bodies),
    limits: withLimits(limits, bodies),
  }
}

/** The types in the options of a body. */
export function typesOf({ type = 'json' }: BodyOptions): readonly BodyType[] {
  return [type].flat()
}

/** The media types of a body, in lower case. */
export function contentTypesOf(type: BodyType, { contentType }: BodyOptions): readonly string[] {
  return [contentType ?? CONTENT_TYPES[type]].flat().map((each) => String(each).toLowerCase())
}

function modelsOf({ schema, options }: { schema?: Schema; options: unknown }): BodyModel[] {
  // `checkBodies` reports invalid options.
  const given = Object(options) as BodyOptions
  return typesOf(given).map((type) => modelOf(type, schema ?? null, given))
}

function modelOf(type: BodyType, schema: Schema | null, options: BodyOptions): BodyModel {
  const { limit } = options
  const contentTypes = Object.freeze(contentTypesOf(type, options))
  const maxBytes = limit === undefined ? null : (toBytes(limit) ?? Number.NaN)
  return Object.freeze({ type, contentTypes, schema, maxBytes, isDescribed: true })
}

/** Whether the route reads its body as with `@Body(schema)`, apart from the limit. */
function isDefault([first, second]: readonly BodyModel[]): boolean {
  const isJson = first?.type === 'json' && first.contentTypes.join() === CONTENT_TYPES.json
  return second === undefined && isJson && first.schema !== null
}

/** If every body has its own limit, the maximum is the limit of the route. */
function withLimits(limits: RouteBounds | null, bodies: readonly BodyModel[]): RouteBounds | null {
  const sizes = bodies.map(({ maxBytes }) => maxBytes)
  if (sizes.includes(null)) return limits
  return Object.freeze({ ...limits, bodyBytes: Math.max(...(sizes as number[])) })
}
