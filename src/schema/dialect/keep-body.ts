import type { OpenApiSchema } from '../../contracts/openapi.js'
import { annotationsOf } from './annotations.js'
import { watched } from './combination.js'
import { type Conversion, type Dialect, type Node, toJsonValue } from './conversion.js'
import { KEYWORDS } from './keep-keywords.js'

/**
 * The dialect of OpenAPI 3.1 and later: JSON Schema 2020-12 as the library produces it. Keywords of earlier drafts and
 * of OpenAPI 3.0 are converted to keywords of 2020-12 with the same meaning. Converting the result again does not
 * change it.
 */
export const KEPT: Dialect<OpenApiSchema> = {
  write(node, path, conversion) {
    const { hasLost } = watched(conversion)
    const [referred] = conversion.follow(node, path)
    const all = limitUnevaluated(ownKeywords(node, path, conversion), () => {
      const isInexact = hasLost()
      if (isInexact) conversion.lose(path, UNEVALUATED)
      return isInexact
    })
    const only = referred === undefined ? onlyBranch(all) : undefined
    const [target, own] = only === undefined ? [referred, all] : [only, {}]
    const { example, ...annotations } = annotationsOf(node)
    const examples = examplesOf(node, example)
    const said = { ...annotations, ...(examples.length > 0 && { examples }) }
    if (target === undefined) return { ...withRequired(own), ...said }
    const isBare = Object.keys(own).length === 0
    // Some readers ignore keywords beside a reference, as in OpenAPI 3.0, so the reference is put in `allOf`.
    if (isBare && (target.$ref === undefined || Object.keys(said).length === 0)) {
      return { ...target, ...said }
    }
    return { ...own, ...said, allOf: [target, ...(own.allOf ?? [])] }
  },
  of: (schema) => schema,
}

/**
 * Adds the required properties of a record to `properties`, because tools refuse a document with a required property
 * that has no schema. The schema of the additional properties applies to them. If there is no such schema, or if there
 * are `patternProperties`, no properties are added.
 */
function withRequired(schema: OpenApiSchema): OpenApiSchema {
  const { required = [], properties = {}, additionalProperties: rest, patternProperties } = schema
  const missing = required.filter((name) => !Object.hasOwn(properties, name))
  if (missing.length === 0 || typeof rest !== 'object' || patternProperties !== undefined)
    return schema
  const added = Object.fromEntries(missing.map((name) => [name, rest]))
  return { ...schema, properties: { ...properties, ...added } }
}

/** Returns the branch of a union that has only one branch and no other keywords; otherwise `undefined`. */
function onlyBranch({ anyOf, oneOf, ...others }: OpenApiSchema): OpenApiSchema | undefined {
  const [only, ...more] = [...(anyOf ?? []), ...(oneOf ?? [])]
  return more.length === 0 && Object.keys(others).length === 0 ? only : undefined
}

function examplesOf({ examples }: Node, example: unknown): unknown[] {
  if (!Array.isArray(examples)) return example === undefined ? [] : [example]
  return examples.map(toJsonValue).filter((value) => value !== undefined)
}

function ownKeywords(
  node: Node,
  path: string,
  conversion: Conversion<OpenApiSchema>,
): OpenApiSchema {
  const place = { node, path, conversion }
  let schema: OpenApiSchema = {}
  for (const keyword in node) {
    const write = KEYWORDS.get(keyword)
    if (write !== undefined && node[keyword] !== undefined) {
      schema = { ...schema, ...write(node[keyword], place) }
    }
  }
  return schema
}

const UNEVALUATED =
  'Its unevaluated properties or items are not restricted, because the document cannot describe another part of the schema exactly.'

/**
 * Drops the keywords for unevaluated parts if a part of the schema has become less exact. The inexact part evaluates
 * less, so these keywords would refuse valid values.
 */
function limitUnevaluated(schema: OpenApiSchema, isInexact: () => boolean): OpenApiSchema {
  const { unevaluatedItems, unevaluatedProperties, ...others } = schema
  const isLimited = unevaluatedItems !== undefined || unevaluatedProperties !== undefined
  return isLimited && isInexact() ? others : schema
}
