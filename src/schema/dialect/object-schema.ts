import type { OpenApiSchema } from '../../contracts/openapi.js'
import { setOwn } from '../set-own.js'
import { combine } from './combine.js'
import { below, type Conversion, type Draft, isNever, isNode, type Node } from './conversion.js'
import { copyCount } from './scalar-schema.js'
import { isEqual } from './types.js'
import { anyOf } from './union.js'

/** Keywords that OpenAPI 3.0 does not have; without them a document accepts more. */
const DROPPED = ['dependencies', 'dependentRequired', 'dependentSchemas']

const UNSAID = 'is not in the document: OpenAPI 3.0 cannot say it.'

/** Patterns that all names match. */
const ANY_NAME = new Set(['', '.*', '^.*$', '^(.*)$', '^.*', '.*$', '^[\\s\\S]*$', '^'])

type Properties = Readonly<Record<string, OpenApiSchema>>

/** `properties` and the other keywords of objects. */
export function objectSchema(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  for (const keyword of DROPPED) {
    if (node[keyword] !== undefined) conversion.lose(path, `'${keyword}' ${UNSAID}`)
  }
  const others = otherProperties(node, path, conversion)
  const names = allowedNames(node, path, conversion)
  const declared = declaredProperties(node, path, conversion)
  const named = names === undefined ? declared : pickNames(declared, { names, others })
  const rest = names === undefined ? others : false
  const required = requiredNames(node)
  const properties = withRequired(named, { required, rest })
  const hasProperties = Object.keys(properties).length > 0
  // It means the same as silence, but who says it wants others to be there.
  const isLoose = hasProperties && rest === undefined && saysOthers(node)
  const schema: Draft = {}
  if (hasProperties) schema.properties = properties
  if (required.length > 0) schema.required = required
  if (rest !== undefined) schema.additionalProperties = rest
  else if (isLoose) schema.additionalProperties = true
  copyCount(schema, 'minProperties', node)
  copyCount(schema, 'maxProperties', node)
  return schema
}

function declaredProperties(node: Node, path: string, conversion: Conversion): Properties {
  const { properties, patternProperties } = node
  const declared: Record<string, OpenApiSchema> = {}
  if (!isNode(properties)) return declared
  for (const name of Object.keys(properties)) {
    const at = below(path, name)
    const own = conversion.convert(properties[name], at)
    const isAlone = patternProperties === undefined
    setOwn(declared, name, isAlone ? own : withPatterns(own, { node, name, at }, conversion))
  }
  return declared
}

/** A property must also be what the patterns ask for that its name matches. */
function withPatterns(
  own: OpenApiSchema,
  { node, name, at }: { readonly node: Node; readonly name: string; readonly at: string },
  { convert }: Conversion,
): OpenApiSchema {
  const { patternProperties } = node
  const patterns = isNode(patternProperties) ? Object.entries(patternProperties) : []
  const matching = patterns.filter(([pattern]) => isMatch(pattern, name))
  const all = [own, ...matching.map(([, other]) => convert(other, at))]
  const telling = all.filter((each) => Object.keys(each).length > 0)
  return telling.length > 1 ? combine({}, telling) : (telling[0] ?? own)
}

function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
  }
}

/** What properties that have no schema of their own may be; `undefined` for anything. */
function otherProperties(
  node: Node,
  path: string,
  conversion: Conversion,
): OpenApiSchema | false | undefined {
  const at = below(path, '*')
  const { patternProperties } = node
  const convertOne = (schema: unknown): OpenApiSchema => conversion.convert(schema, at)
  const rest = restOf(node)
  const fallback = rest === undefined ? undefined : convertOne(rest)
  if (!isNode(patternProperties)) return toRest(fallback)
  const patterns = Object.keys(patternProperties)
  const values = Object.values(patternProperties).map(convertOne)
  const catchAll = patterns.findIndex((pattern) => ANY_NAME.has(pattern))
  if (catchAll >= 0 && patterns.length === 1) return toRest(values[catchAll])
  conversion.lose(path, 'OpenAPI 3.0 has no patterns of names: they are not in the document.')
  if (fallback === undefined) return undefined
  const possible = isNever(fallback) ? values : [...values, fallback]
  if (possible.some((schema) => Object.keys(schema).length === 0)) return undefined
  return toRest(
    anyOf(
      possible.filter((schema, n) => !possible.slice(0, n).some((other) => isEqual(schema, other))),
    ),
  )
}

/** `unevaluatedProperties` is the same where nothing else evaluates properties. */
function restOf(node: Node): unknown {
  return node.additionalProperties ?? node.unevaluatedProperties
}

/** Whether something is said of properties that have no schema of their own. */
function saysOthers(node: Node): boolean {
  return restOf(node) !== undefined || isNode(node.patternProperties)
}

function toRest(schema: OpenApiSchema | undefined): OpenApiSchema | false | undefined {
  if (schema === undefined || Object.keys(schema).length === 0) return undefined
  return isNever(schema) ? false : schema
}

/** The names that `propertyNames` lists; patterns of names cannot be said. */
function allowedNames(node: Node, path: string, conversion: Conversion): string[] | undefined {
  if (node.propertyNames === undefined || node.propertyNames === true) return undefined
  const { type, enum: values, ...others } = conversion.convert(node.propertyNames, path)
  const isBare = Object.keys(others).length === 0
  if (isBare && values !== undefined) return values.filter((value) => typeof value === 'string')
  if (!isBare || (type !== undefined && type !== 'string')) {
    conversion.lose(path, 'OpenAPI 3.0 has no rules for names of properties: any name is accepted.')
  }
  return undefined
}

function pickNames(
  declared: Properties,
  {
    names,
    others,
  }: { readonly names: readonly string[]; readonly others: OpenApiSchema | false | undefined },
): Properties {
  const value = others === false ? { not: {} } : (others ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const own = Object.hasOwn(declared, name) ? declared[name] : undefined
      return [name, own ?? value]
    }),
  )
}

function requiredNames({ required }: Node): string[] {
  if (!Array.isArray(required)) return []
  return [...new Set(required)].filter((name): name is string => typeof name === 'string')
}

/** Tools refuse a required property that has no schema. */
function withRequired(
  properties: Properties,
  {
    required,
    rest,
  }: { readonly required: readonly string[]; readonly rest: OpenApiSchema | false | undefined },
): Properties {
  if (required.every((name) => Object.hasOwn(properties, name))) return properties
  const missing = required.filter((name) => !Object.hasOwn(properties, name))
  const value = rest === false ? { not: {} } : (rest ?? {})
  return Object.fromEntries([
    ...Object.entries(properties),
    ...missing.map((name) => [name, value] as const),
  ])
}
