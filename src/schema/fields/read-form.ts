import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { positionsOf } from '../places.js'
import { isNever, toExpression } from './bounds.js'
import {
  ANY,
  both,
  type Choice,
  common,
  either,
  type Form,
  type Lazy,
  type ListForm,
  type ObjectForm,
  once,
  SCALAR,
  type Tag,
} from './form.js'
import type { Matches } from './matcher.js'

/** Creates the function that returns the form of a JSON Schema and of all schemas inside it. */
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
    // A schema that leads back to itself in the same place has no constraints.
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
  // A schema without `type` that names properties describes objects. It does not also allow every list.
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

/** Whether the types and the fixed values of a schema allow objects, or lists. */
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

/**
 * Returns `true`, the schema that allows every value, if a schema has rules for names but no schemas for their values.
 */
function onlyNames({ properties, patternProperties, propertyNames }: Node): true | undefined {
  const isAlone = properties === undefined && patternProperties === undefined
  return isAlone && propertyNames !== undefined ? true : undefined
}

/** A pattern that does not compile matches no name. */
function readPatterns({ patternProperties }: Node): (readonly [RegExp, unknown])[] {
  if (!isNode(patternProperties)) return []
  return Object.entries(patternProperties).flatMap(([source, schema]) => {
    const pattern = toExpression(source)
    return pattern === null ? [] : [[pattern, schema] as const]
  })
}

function readList(node: Node, { read }: FormReader): ListForm {
  const { first, rest } = positionsOf(node)
  const others = rest ?? node.unevaluatedItems
  const end = first.findIndex(isNever)
  const isClosed = others === undefined || isNever(others)
  const lazy = (schema: unknown): Lazy => once(() => read(schema))
  if (end >= 0) return { first: first.slice(0, end).map(lazy), rest: null }
  return { first: first.map(lazy), rest: isClosed ? null : lazy(others) }
}

interface Branch {
  readonly schema: unknown
  readonly form: Form
}

/**
 * Reads a union. An object is compared only with the alternatives that allow objects, and a list only with the
 * alternatives that allow lists. The names in all matching alternatives are kept. If no alternative matches, only the
 * names that occur in every alternative are kept.
 */
function chooseBranch(schemas: readonly unknown[], reader: FormReader): Form {
  const branches = schemas.map((schema) => ({ schema, form: reader.read(schema) }))
  const objects = branches.filter(({ form }) => form.object !== 'none')
  const lists = branches.filter(({ form }) => form.list !== 'none')
  const decided = decide(objects, lists)
  if (decided !== null) return decided
  const tag = findTag(objects, reader)
  return { ...ANY, choices: [{ tag, select }] }
  function select(plain: unknown): Form {
    if (Array.isArray(plain)) return fitting(lists, plain, reader)
    const tagged = tag && isNode(plain) && Object.hasOwn(plain, tag.name)
    return (tagged && tag.forms.get(plain[tag.name])) || fitting(objects, plain, reader)
  }
}

/** Returns the form of a union if it does not depend on the value; otherwise `null`. */
function decide(objects: readonly Branch[], lists: readonly Branch[]): Form | null {
  if (objects.length > 1 || lists.length > 1) return null
  const [object = SCALAR, list = SCALAR] = [objects[0]?.form, lists[0]?.form]
  if (object === list) return object
  const choices = [...object.choices, ...list.choices]
  const isClear = choices.length === 0 || object === SCALAR || list === SCALAR
  return isClear ? { object: object.object, list: list.list, choices } : null
}

function fitting(candidates: readonly Branch[], plain: unknown, { matches }: FormReader): Form {
  const [only, ...others] = candidates
  if (only === undefined) return SCALAR
  if (others.length === 0) return only.form
  const fit = candidates.filter(({ schema }) => matches(schema, plain)).map(({ form }) => form)
  return fit.length > 0 ? fit.reduce(either) : candidates.map(({ form }) => form).reduce(common)
}

/**
 * Finds a property that has different fixed values in each alternative. Its value selects the alternative, as in a
 * discriminated union.
 */
function findTag(branches: readonly Branch[], reader: FormReader): Tag | null {
  const [first, ...others] = branches.map(({ schema }) => fixedValues(schema, reader))
  for (const name of first?.keys() ?? []) {
    if (!others.every((values) => values.has(name))) continue
    const forms = new Map<unknown, Form>()
    const isDistinct = [first, ...others].every((values, at) =>
      (values?.get(name) ?? []).every((value) => {
        const isFree = !forms.has(value)
        forms.set(value, branches[at]?.form ?? ANY)
        return isFree
      }),
    )
    if (isDistinct) return { name, forms }
  }
  return null
}

function fixedValues(
  schema: unknown,
  { resolve }: FormReader,
): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>()
  const seen = new Set<unknown>()
  const open = [schema]
  while (open.length > 0) {
    const node = open.pop()
    if (!isNode(node) || seen.has(node)) continue
    seen.add(node)
    if (node.$ref !== undefined) open.push(resolve(node))
    if (Array.isArray(node.allOf)) open.push(...node.allOf)
    for (const [name, property] of Object.entries(isNode(node.properties) ? node.properties : {})) {
      const values = isNode(property) ? valuesOf(property) : null
      if (values !== null) found.set(name, values)
    }
  }
  return found
}

function valuesOf({ const: fixed, enum: values }: Node): readonly unknown[] | null {
  const all = fixed !== undefined ? [fixed] : Array.isArray(values) ? values : []
  return all.length > 0 && all.every((value) => typeof value !== 'object') ? all : null
}

function chooseByCondition(node: Node, { read, matches }: FormReader): Form {
  const { if: condition, then: yes, else: no } = node
  const select = (plain: unknown) =>
    matches(condition, plain) ? both(read(condition), read(yes)) : read(no)
  return choosing(select)
}

/**
 * Reads `dependentSchemas`, or `dependencies` of draft 07. Each schema applies if the value has the property with its
 * name.
 */
function chooseByName(byName: Node, { read }: FormReader): Form {
  const select = (plain: unknown) =>
    Object.entries(byName)
      .filter(([name, schema]) => isNode(schema) && isNode(plain) && Object.hasOwn(plain, name))
      .map(([, schema]) => read(schema))
      .reduce(both, ANY)
  return choosing(select)
}

function choosing(select: Choice['select']): Form {
  return { ...ANY, choices: [{ select, tag: null }] }
}

interface FormReader {
  readonly resolve: References['resolve']
  readonly matches: Matches
  /** Returns the form of a schema. The form is the same object for the same schema. */
  readonly read: (schema: unknown) => Form
}
