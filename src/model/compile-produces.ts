import type { Produced, ProducedModel, Representation } from '../contracts/representation.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { csv, isCsv } from '../http/csv.js'
import { essenceOf, isJsonType } from '../schema/response-shape.js'
import { type FactsByKind, factsOf, firstOf } from './facts-by-kind.js'

/**
 * Compiles `@Produces` on a method, otherwise on its class; `null` without `@Produces`. `@Produces` on the class does
 * not apply to a method that itself specifies the type of its response.
 */
export function compileProduces(
  facts: FactsByKind,
  ofClass: FactsByKind,
): readonly ProducedModel[] | null {
  const inherited = typeNames(facts).length > 0 ? undefined : firstOf(ofClass, 'produces')
  const entries = (firstOf(facts, 'produces') ?? inherited)?.entries
  if (entries === undefined || entries.length === 0) return null
  return Object.freeze(entries.filter((entry) => entry != null).map(modelOf))
}

function modelOf(entry: Produced): ProducedModel {
  if (typeof entry !== 'string') {
    const { type } = entry
    const serialize = entry.serialize?.bind(entry) ?? null
    return Object.freeze({ type, serialize, isTable: isCsv(entry) })
  }
  const isTable = essenceOf(entry) === 'text/csv'
  return Object.freeze({ type: entry, serialize: isTable ? csv().serialize : null, isTable })
}

/** Checks each `@Produces` of one class, without its base classes, or of one method. */
export function checkProduces(subject: string, facts: FactsByKind): Problem[] {
  const place = `${subject} @Produces`
  return factsOf(facts, 'produces').flatMap(({ entries }) => {
    if (entries.length === 0) {
      return [
        invalid(
          place,
          'It lists no media type.',
          "Pass the media types: 'application/json', 'text/csv'.",
        ),
      ]
    }
    return [...entries.flatMap((entry) => checkEntry(place, entry)), ...checkTwice(place, entries)]
  })
}

/** Checks one entry of `@Produces`. In JavaScript code, the value may have any type. */
function checkEntry(subject: string, entry: unknown): Problem[] {
  const isText = typeof entry === 'string'
  const { type, serialize } = (isText ? { type: entry } : (entry ?? {})) as Partial<Representation>
  if (!isMediaType(type) || type.includes('*')) {
    const cause = `${shown(type)} is not a valid media type for a response.`
    return [invalid(subject, cause, "Pass a type with its subtype, without `*`: 'text/csv'.")]
  }
  const isKnown = isJsonType(type) || essenceOf(type) === 'text/csv'
  if (isText ? isKnown : typeof serialize === 'function') return []
  const remedy = `Pass { type: '${type}', serialize: (data) => … }.`
  return [invalid(subject, `It has no function that serializes the body as '${type}'.`, remedy)]
}

function checkTwice(subject: string, entries: readonly Produced[]): Problem[] {
  const types = entries.map((entry) => (typeof entry === 'string' ? entry : entry?.type))
  const twice = types.filter((type, at) => type !== undefined && types.indexOf(type) !== at)
  return [...new Set(twice)].map((type) =>
    invalid(
      subject,
      `It lists '${type}' twice, but only the first can be chosen.`,
      'Remove one of them.',
    ),
  )
}

/** Finds response descriptions that specify a media type although `@Produces` determines the type. */
export function checkProducedTypes(subject: string, facts: FactsByKind): Problem[] {
  if (facts.produces === undefined) return []
  return typeNames(facts).map((other) => ({
    code: 'E_DECORATOR_CONFLICT' as const,
    subject,
    cause: `${other} sets the media type of the response, but @Produces chooses it for each request.`,
    remedy: `Remove the type from ${other}, or remove @Produces.`,
  }))
}

/** Returns the decorators of a method that specify the media type of its success responses. */
function typeNames(facts: FactsByKind): string[] {
  const isDocumented = factsOf(facts, 'responseDoc').some(
    ({ options }) =>
      options?.status < 300 && (options.contentType ?? options.content) !== undefined,
  )
  const isSet = factsOf(facts, 'header').some(
    ({ name }) => typeof name === 'string' && /^content-type$/i.test(name),
  )
  return [
    ...(isDocumented ? ['@ApiResponseDoc'] : []),
    ...(isSet ? ["@Header('Content-Type')"] : []),
  ]
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const QUOTED = '"(?:[\\t\\x20!#-\\[\\]-~]|\\\\[\\t\\x20-~])*"'
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`,
)

/** Whether a value is a media type, with or without parameters (RFC 9110, 8.3.1), or a range such as `image/*`. */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && MEDIA_TYPE.test(value)
}
