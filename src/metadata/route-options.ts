import type { Fact } from '../contracts/facts.js'
import type { UploadParts } from '../contracts/inputs.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteOptions } from '../contracts/route-options.js'
import type { InputSource, Schema } from '../contracts/schema.js'
import { describeBody, isBodyDescription } from './input.js'
import { pagesFacts } from './paged.js'

type ToFacts = (value: unknown, by: string) => readonly Fact[]

const input =
  (source: InputSource): ToFacts =>
  (value, by) =>
    inputFacts(source, value, by)

/** The options of features. `model/feature-options.ts` reads them, because decorators import no features. */
type OfFeatures = 'cache' | 'rateLimit'

/**
 * For each of the other options, the function that creates its facts. The values are not validated here: the checks
 * report invalid values.
 */
const FACTS: Readonly<Record<Exclude<keyof RouteOptions, OfFeatures>, ToFacts>> = {
  params: input('params'),
  query: input('query'),
  headers: input('headers'),
  cookies: input('cookies'),
  body: input('body'),
  upload: (parts, by) => [{ kind: 'upload', parts: parts as UploadParts, by }],
  paged: pagesFacts,
  returns: (schema) => [{ kind: 'returns', schema: schema as Schema }],
  status: (status) => [{ kind: 'status', status: status as number }],
  errors: (errors) =>
    entriesOf(errors).map(([status, described]) => ({
      kind: 'responseDoc',
      options: { ...describedAs(described), status: Number(status) },
    })),
  responseHeaders: (headers) =>
    entriesOf(headers).map(([name, value]) => ({ kind: 'header', name, value: value as string })),
  summary: (summary) => [{ kind: 'operation', options: { summary: summary as string } }],
  can: (can) => [{ kind: 'can', abilities: listOf(can) as string[] }],
}

/** Returns the unchanged options, for the checks, and the facts for each option. */
export function optionFacts(by: string, options: unknown): Fact[] {
  const given: Fact = { kind: 'routeOptions', by, options }
  if (typeof options !== 'object' || options === null) return [given]
  const stated = Object.entries(options).flatMap(([name, value]) => {
    const isInput = Object.hasOwn(FACTS, name) && (value !== undefined || name in INPUTS)
    return isInput ? FACTS[name as keyof typeof FACTS](value, by) : []
  })
  return [given, ...stated]
}

/**
 * The options that are schemas. An `undefined` schema is an error, which is often caused by a circular import. Any
 * other option that is `undefined` counts as not set.
 */
const INPUTS: Readonly<Record<InputSource, true>> = {
  params: true,
  query: true,
  headers: true,
  body: true,
  cookies: true,
}

function inputFacts(source: InputSource, given: unknown, by: string): Fact[] {
  const bodies: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (source === 'body' && bodies.length > 0 && bodies.every(isBodyDescription)) {
    return bodies.map((each): Fact => ({ kind: 'body', ...describeBody(each), by }))
  }
  if (source === 'cookies' && isBodyDescription(given)) {
    return [{ kind: 'input', source, by, ...(describeBody(given) as { schema: Schema }) }]
  }
  return [{ kind: 'input', source, schema: given as Schema, by }]
}

function describedAs(described: unknown): Partial<ApiResponseOptions> {
  return typeof described === 'object' && described !== null
    ? described
    : { description: described as string }
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
