import type { BodyModel, BodyOptions, BodyType } from '../contracts/inputs.js'
import type { RouteBounds } from '../contracts/limits.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import { toBytes } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** The media type for each body type. */
export const CONTENT_TYPES: Readonly<Record<BodyType, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
  bytes: 'application/octet-stream',
}

/** The part of a route model that `@Body` decorators with options determine. */
type Bodies = Pick<RouteModel, 'inputs' | 'bodies' | 'limits'>

/** Adds the `@Body` decorators with options to a route's inputs and limits. */
export function withBodies(facts: FactsByKind, { inputs, limits }: Omit<Bodies, 'bodies'>): Bodies {
  if (facts.body === undefined && facts.webhook === undefined) {
    return { inputs, bodies: null, limits }
  }
  // A webhook signature covers the bytes, so the body is read by the same step as a `bytes` body.
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

/** Returns the types in a body's options. */
export function typesOf({ type = 'json' }: BodyOptions): readonly BodyType[] {
  return [type].flat()
}

/** Returns the media types of a body, in lower case. */
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

/** Whether the route reads its body in the same way as with `@Body(schema)`, except for the limit. */
function isDefault([first, second]: readonly BodyModel[]): boolean {
  const isJson = first?.type === 'json' && first.contentTypes.join() === CONTENT_TYPES.json
  return second === undefined && isJson && first.schema !== null
}

/** Adds the limit of the bodies. If every body has its own limit, the largest of them becomes the route's limit. */
function withLimits(limits: RouteBounds | null, bodies: readonly BodyModel[]): RouteBounds | null {
  const sizes = bodies.map(({ maxBytes }) => maxBytes)
  if (sizes.includes(null)) return limits
  return Object.freeze({ ...limits, bodyBytes: Math.max(...(sizes as number[])) })
}
