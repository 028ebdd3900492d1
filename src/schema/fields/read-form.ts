import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { toExpression } from './bounds.js'
import { chooseBranch, chooseByCondition, chooseByName } from './choice.js'
import { ANY, type Form, type Lazy, type ListForm, type ObjectForm, once, SCALAR } from './form.js'
import type { FormReader } from './form-reader.js'
import { both } from './join-forms.js'
import type { Matches } from './matcher.js'
import { isNever } from './never.js'

/** Creates the function that reads the forms of one JSON Schema and of all schemas inside it. */
export function createFormReader(
  resolve: References['resolve'],
  matches: Matches,
): FormReader['read'] {
  const known = new WeakMap<Node, Form>()
  const reader: FormReader = { resolve, matches, read }
  function read(schema: unknown): Form {
    if (schema === false) return SCALAR
    if (!isNode(schema)) return ANY
    const form = known.get(schema)
    if (form !== undefined) return form
    // A schema that leads back to itself at the same place has no meaning there.
    known.set(schema, ANY)
    const made = readParts(schema, reader).reduce(both, ownForm(schema, reader))
    known.set(schema, made)
    return made
  }
  return read
}

function readParts(node: Node, reader: FormReader): Form[] {
  const { $ref, allOf, anyOf, oneOf, if: condition } = node
  const parts: Form[] = []
  if ($ref !== undefined) parts.push(reader.read(reader.resolve(node)))
  if (Array.isArray(allOf)) parts.push(...allOf.map(reader.read))
  if (Array.isArray(anyOf)) parts.push(chooseBranch(anyOf, reader))
  if (Array.isArray(oneOf)) parts.push(chooseBranch(oneOf, reader))
  if (condition !== undefined) parts.push(chooseByCondition(node, reader))
  for (const byName of [node.dependentSchemas, node.dependencies]) {
    if (isNode(byName)) parts.push(chooseByName(byName, reader))
  }
  return parts
}

const OBJECT_WORDS = ['properties', 'patternProperties', 'additionalProperties', 'propertyNames']
const LIST_WORDS = ['items', 'prefixItems', 'additionalItems']

function ownForm(node: Node, reader: FormReader): Form {
  if (isNever(node)) return SCALAR
  const ofObject = says(node, [...OBJECT_WORDS, 'unevaluatedProperties'])
  const ofList = says(node, [...LIST_WORDS, 'unevaluatedItems'])
  // A schema without `type` that names properties describes an object, and not also every list.
  const isTyped = node.type !== undefined
  const mayBeObject = allows(node, 'object') && (isTyped || ofObject || !ofList)
  const mayBeList = allows(node, 'array') && (isTyped || ofList || !ofObject)
  return {
    object: mayBeObject ? (ofObject ? readObject(node, reader) : 'any') : 'none',
    list: mayBeList ? (ofList ? readList(node, reader) : 'any') : 'none',
    choices: [],
  }
}

function says(node: Node, words: readonly string[]): boolean {
  return words.some((word) => node[word] !== undefined)
}

/** Whether the types and the fixed values of a schema allow an object, or a list. */
function allows({ type, const: fixed, enum: values }: Node, kind: 'object' | 'array'): boolean {
  if (type !== undefined && ![type].flat().includes(kind)) return false
  const all = fixed !== undefined ? [fixed] : values
  if (!Array.isArray(all)) return true
  return all.some((value) => (kind === 'array' ? Array.isArray(value) : isNode(value)))
}

function readObject(node: Node, reader: FormReader): ObjectForm {
  const { properties, propertyNames } = node
  const patterns = readPatterns(node)
  const names = new Map<string, Lazy>()
  const forbidden = new Set<string>()
  const all = isNode(properties) ? Object.entries(properties) : []
  for (const [name, schema] of all) {
    const more = patterns.filter(([pattern]) => pattern.test(name)).map(([, form]) => form)
    if ([schema, ...more].some(isNever)) forbidden.add(name)
    else
      names.set(
        name,
        once(() => more.map(reader.read).reduce(both, reader.read(schema))),
      )
  }
  const others = node.additionalProperties ?? node.unevaluatedProperties ?? onlyNames(node)
  const isClosed = others === undefined || isNever(others)
  if (isClosed && patterns.length === 0) return { names, rest: null }
  const isAllowed = (name: string) =>
    !forbidden.has(name) && (propertyNames === undefined || reader.matches(propertyNames, name))
  const rest = (name: string): Lazy | null => {
    if (!isAllowed(name)) return null
    const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, form]) => form)
    if (matching.length === 0) return isClosed ? null : () => reader.read(others)
    return matching.some(isNever) ? null : () => matching.map(reader.read).reduce(both)
  }
  return { names, rest }
}

/** A schema that has rules for names, and no schema for their values, allows every value. */
function onlyNames({ properties, patternProperties, propertyNames }: Node): true | undefined {
  const isAlone = properties === undefined && patternProperties === undefined
  return isAlone && propertyNames !== undefined ? true : undefined
}

/** Patterns that do not compile match nothing. */
function readPatterns({ patternProperties }: Node): (readonly [RegExp, unknown])[] {
  if (!isNode(patternProperties)) return []
  return Object.entries(patternProperties).flatMap(([source, schema]) => {
    const pattern = toExpression(source)
    return pattern === null ? [] : [[pattern, schema] as const]
  })
}

/** `prefixItems` and `items` of 2020-12, or the list `items` and `additionalItems` of earlier drafts. */
function readList(node: Node, { read }: FormReader): ListForm {
  const { prefixItems, items, additionalItems, unevaluatedItems } = node
  const isOld = Array.isArray(items)
  const first: readonly unknown[] = isOld ? items : Array.isArray(prefixItems) ? prefixItems : []
  const others = (isOld ? additionalItems : items) ?? unevaluatedItems
  const end = first.findIndex(isNever)
  const isClosed = others === undefined || isNever(others)
  const lazy = (schema: unknown): Lazy => once(() => read(schema))
  if (end >= 0) return { first: first.slice(0, end).map(lazy), rest: null }
  return { first: first.map(lazy), rest: isClosed ? null : lazy(others) }
}
