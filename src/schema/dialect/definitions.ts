import type { OpenApiSchema, SchemaDefinition } from '../../contracts/openapi.js'
import { type Dialect, isNode, type Node } from './conversion.js'
import type { References } from './references.js'

/** Matches keys that zod and valibot generate. An author did not choose these keys as names. */
const MADE_UP = /^(__schema\d+|\d+)$/

/** The schemas to which other schemas refer, in the order of their first visit. */
export interface Definitions<S> {
  /**
   * Returns a reference if the schema becomes a definition, otherwise `null`. `body` is called once for a definition.
   */
  readonly refer: (node: Node, body: () => S) => S | null
  readonly all: () => SchemaDefinition<S>[]
}

interface Definition<S> {
  name: string
  readonly isNamed: boolean
  schema: S
}

/** Turns named and recursive schemas into definitions. All other schemas stay inline. */
export function createDefinitions<S>(references: References, { of }: Dialect<S>): Definitions<S> {
  const byNode = new Map<Node, Definition<S>>()
  const byName = new Map<string, Definition<S>>()
  const plain = new Set<Node>()
  const reference = (name: string): S => of({ $ref: referenceTo(name) })

  const define = (node: Node, author: string | undefined): Definition<S> => {
    const name = author === undefined ? free('Schema', byName, 1) : free(author, byName, 2)
    const definition = { name, isNamed: name === author, schema: of({}) }
    byNode.set(node, definition)
    byName.set(name, definition)
    return definition
  }

  const refer = (node: Node, body: () => S): S | null => {
    const known = byNode.get(node)
    if (known !== undefined) return reference(known.name)
    if (plain.has(node)) return null
    const author = authorName(node, references)
    const isNeeded = references.isRecursive(node) && !references.isBareUnion(node)
    if (author === undefined && !isNeeded) {
      plain.add(node)
      return null
    }
    const definition = define(node, author)
    definition.schema = body()
    const twin = author === undefined ? undefined : byName.get(author)
    if (twin === undefined || twin === definition || !isSame(twin, definition)) {
      return reference(definition.name)
    }
    // An equal schema already exists under the same name.
    byNode.set(node, twin)
    byName.delete(definition.name)
    return reference(twin.name)
  }

  return { refer, all: () => [...byName.values()].map((definition) => ({ ...definition })) }
}

/** Returns a reference to a component. */
export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`
}

/** Whether two definitions are equal. References to themselves count as equal. */
function isSame(a: Definition<unknown>, b: Definition<unknown>): boolean {
  const textOf = ({ name, schema }: Definition<unknown>): string =>
    JSON.stringify(schema).replaceAll(JSON.stringify({ $ref: referenceTo(name) }), '"itself"')
  return textOf(a) === textOf(b)
}

function free(name: string, taken: ReadonlyMap<string, unknown>, from: number): string {
  if (from > 1 && !taken.has(name)) return name
  for (let n = from; ; n++) {
    const candidate = from === 1 ? `${name}${n}` : `${name}_${n}`
    if (!taken.has(candidate)) return candidate
  }
}

function authorName(node: Node, { keyOf }: References): string | undefined {
  const { $id } = node
  if (typeof $id === 'string' && toComponentName($id) !== '') return toComponentName($id)
  const key = keyOf(node)
  if (key !== undefined && !MADE_UP.test(key) && toComponentName(key) !== '')
    return toComponentName(key)
  return isTitled(node) ? (node.title as string) : undefined
}

/**
 * Whether the title is used as a type name. The title must look like a type name, and the schema must be an object, an
 * enum or a combination, because no other schema needs a name.
 */
function isTitled({ title, type, enum: values, anyOf, oneOf, allOf, properties }: Node): boolean {
  if (typeof title !== 'string' || !/^[A-Z][A-Za-z0-9]*$/.test(title)) return false
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isObject || isNode(properties) || [values, anyOf, oneOf, allOf].some(Array.isArray)
}

/** Converts a name to a valid component name (OpenAPI 3.0.3, section 4.7.7.1). For a URL, it uses the last segment. */
export function toComponentName(name: string): string {
  const isUrl = /^([a-z][a-z0-9+.-]*:\/\/|urn:)/i.test(name)
  const [, last = name] = (isUrl && /([^/#:]+)[/#]*$/.exec(name)) || []
  const fitting = last
    .replace(/(\.schema)?\.json$/, '')
    .replace(/^[^A-Za-z0-9._-]+|[^A-Za-z0-9._-]+$/g, '')
    .replace(/[^A-Za-z0-9._-]+/g, '_')
  return fitting === '__proto__' ? 'proto' : fitting
}

/**
 * Whether a definition leads back to itself through only references and combinations. Checking a value against it would
 * never end.
 */
export function isEmptyCycle(name: string, schemas: ReadonlyMap<string, unknown>): boolean {
  const seen = new Set<string>()
  const open: unknown[] = [schemas.get(name)]
  while (open.length > 0) {
    const schema = open.pop()
    if (!isNode(schema)) continue
    const { $ref, allOf = [], anyOf = [], oneOf = [], ...others } = schema as OpenApiSchema
    open.push(...allOf, ...anyOf, ...oneOf, others.if, others.then, others.else)
    open.push(...Object.values(others.dependentSchemas ?? {}))
    const target = $ref?.slice('#/components/schemas/'.length)
    if (target === name) return true
    if (target === undefined || seen.has(target)) continue
    seen.add(target)
    open.push(schemas.get(target))
  }
  return false
}
