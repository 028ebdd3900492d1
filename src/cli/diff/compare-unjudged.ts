import type { OpenApiDocument } from '../../contracts/openapi.js'
import { breaking, type LocalChange } from './change.js'

/** Keywords of JSON Schema 2020-12 that OpenAPI 3.0 does not have. The effect of changes to them is unknown. */
const UNJUDGED: readonly string[] = [
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'dependentSchemas',
  'dependentRequired',
  'patternProperties',
  'propertyNames',
]

/** Keywords whose value is one schema, or a list of schemas. */
const SCHEMAS: readonly string[] = [
  ...['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf'],
  ...['contains', 'prefixItems', 'if', 'then', 'else', 'propertyNames'],
]

/** Keywords whose value contains schemas by name. */
const NAMED: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas']

/** Keywords that do not affect which values are valid. */
const NOTES: readonly string[] = ['title', 'description', 'examples', 'example', 'deprecated']

type Json = Readonly<Record<string, unknown>>

/**
 * Finds changes to keywords that the comparison in the OpenAPI 3.0 dialect ignores. Each change counts as breaking,
 * because its effect is unknown. If either document has version 3.0, which has no such keywords, nothing is compared.
 *
 * @param operations The same operation in both documents.
 * @param documents The older and the newer document in their original form.
 */
export function compareUnjudged(
  operations: readonly [unknown, unknown],
  documents: readonly [OpenApiDocument, OpenApiDocument],
): LocalChange[] {
  if (documents.some(({ openapi }) => openapi.startsWith('3.0'))) return []
  const [before, after] = documents.map((document, index) => {
    const found = new Map<string, string>()
    walk(operations[index], [], { document, found, active: [] })
    return found
  }) as [Map<string, string>, Map<string, string>]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((place) => before.get(place) !== after.get(place))
    .map((place) => {
      const [keyword, location] = JSON.parse(place) as [string, string]
      const message = `\`${keyword}\` has changed. The command cannot determine whether clients still work: compare the two versions of \`${keyword}\` yourself.`
      return breaking('schema-unjudged', location, message)
    })
}

interface Search {
  readonly document: OpenApiDocument
  /** The values of the keywords, by keyword and location. */
  readonly found: Map<string, string>
  /** The references that lead to this schema. */
  readonly active: readonly string[]
}

/** Finds the schemas of an operation. */
function walk(value: unknown, path: readonly string[], search: Search): void {
  const { node, active } = resolve(value, search)
  if (node === null) return
  for (const [name, inner] of Object.entries(node)) {
    if (NOTES.includes(name)) continue
    if (name === 'schema' || name === 'itemSchema') walkSchema(inner, path, { ...search, active })
    else walk(inner, [...path, name], { ...search, active })
  }
}

function walkSchema(value: unknown, path: readonly string[], search: Search): void {
  const { node, active } = resolve(value, search)
  if (node === null) return
  const inner = { ...search, active }
  for (const keyword of UNJUDGED.filter((name) => Object.hasOwn(node, name))) {
    const place = JSON.stringify([keyword, path.join(' › ')])
    search.found.set(place, JSON.stringify(plain(node[keyword], inner)))
  }
  for (const name of SCHEMAS) {
    const given = node[name]
    if (!Array.isArray(given)) walkSchema(given, [...path, name], inner)
    else for (const [at, each] of given.entries()) walkSchema(each, [...path, name, `${at}`], inner)
  }
  for (const [name, each] of NAMED.flatMap((keyword) => Object.entries(node[keyword] ?? {}))) {
    walkSchema(each, [...path, name], inner)
  }
}

/** Returns a value with resolved references and sorted keys, without annotations. */
function plain(value: unknown, search: Search): unknown {
  if (Array.isArray(value)) return value.map((each) => plain(each, search))
  const { node, active } = resolve(value, search)
  if (node === null) return value
  const entries = Object.entries(node).filter(([name]) => !NOTES.includes(name))
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([name, each]) => [name, plain(each, { ...search, active })])
}

/**
 * Follows a reference. The node is `null` for a value that is not an object, for a reference without a target in the
 * document, and for a schema that contains itself.
 */
function resolve(
  value: unknown,
  { document, active }: Search,
): { node: Json | null; active: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { node: null, active }
  const { $ref } = value as { $ref?: unknown }
  if (typeof $ref !== 'string') return { node: value as Json, active }
  if (!$ref.startsWith('#/') || active.includes($ref)) return { node: null, active }
  const target = $ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, part) => Object(node)[part], document)
  const { $ref: _, ...beside } = value as Json
  const whole = typeof target === 'object' && target !== null ? { ...target, ...beside } : null
  return { node: whole, active: [...active, $ref] }
}
