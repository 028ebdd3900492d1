import { lowerableIn, subschemasOf } from '../keywords.js'
import { ANONYMOUS_MARK, isNode, type Node, RESOURCE_MARK } from './conversion.js'

/** The base URL for relative identifiers. It never appears in a document. */
const BASE = 'schema:///'

/** A schema with its own identifier, against which the references inside the schema are resolved. */
interface Resource {
  readonly root: Node
  readonly base: string
}

/** Finds the schemas to which references point. */
export interface References {
  /** Returns the schema to which a `$ref` points; `undefined` if there is no such schema. */
  readonly resolve: (node: Node) => unknown
  /**
   * Whether a schema refers to itself. In a cycle that contains objects, only the objects count as recursive. The lists
   * between them do not.
   */
  readonly isRecursive: (node: Node) => boolean
  /** Whether a union contains itself without an object with properties in between. */
  readonly isBareUnion: (node: Node) => boolean
  /** The key of a schema in `$defs` or `definitions`. */
  readonly keyOf: (node: Node) => string | undefined
}

/** The result for a schema that has no references. */
const NONE: References = {
  resolve: () => undefined,
  isRecursive: () => false,
  isBareUnion: () => false,
  keyOf: () => undefined,
}

/** Indexes the `$id`, `$anchor`, `$defs` and `definitions` of a whole JSON Schema. */
export function readReferences(root: unknown): References {
  return mayRefer(root) ? indexReferences(root) : NONE
}

/**
 * Whether the schema may contain references. Most schemas contain no references and need no index. Plain values
 * (`enum`, `default`) are also searched, because a false positive only causes an unnecessary index.
 */
function mayRefer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(mayRefer)
  const node = value as Node
  for (const key in node) {
    if (key === '$ref' || key === '$defs' || key === 'definitions') return true
    if (mayRefer(node[key])) return true
  }
  return false
}

function indexReferences(root: unknown): References {
  const resources = new Map<Node, Resource>()
  const targets = new Map<string, Node>()
  const keys = new Map<Node, string>()
  const referring: Node[] = []
  const whole: Resource = { root: isNode(root) ? root : {}, base: BASE }
  const index = (node: unknown, parent: Resource): void => {
    if (!isNode(node) || resources.has(node)) return
    const resource = resourceOf(node, parent)
    resources.set(node, resource)
    if (typeof node.$ref === 'string') referring.push(node)
    for (const name of namesOf(node, resource, parent)) {
      if (!targets.has(name)) targets.set(name, node)
    }
    for (const { schema } of subschemasOf(node)) index(schema, resource)
    for (const definitions of [node.$defs, node.definitions]) noteKeys(definitions, keys)
  }
  index(root, whole)
  const resolve = (node: Node): unknown => {
    const { $ref } = node
    if (typeof $ref !== 'string') return undefined
    // Pointers can also lead to places outside known keywords, so `follow` uses the raw object.
    return lookUp($ref, resources.get(node) ?? whole, { root: whole.root, targets })
  }
  const referred = new Set<unknown>()
  // A target can be in a place that only a pointer reaches, and can contain further references. `index` adds these
  // references to the list during the loop.
  for (const node of referring) {
    const target = resolve(node)
    referred.add(target)
    index(target, whole)
  }
  const isBreaker = (node: unknown): boolean => referred.has(node) && isObject(node)
  const isBareUnion = (node: Node): boolean =>
    referred.size > 0 &&
    (Array.isArray(node.anyOf) || Array.isArray(node.oneOf)) &&
    reaches(node, { resolve, skip: 'properties' })
  return {
    resolve,
    isRecursive: (node) =>
      referred.has(node) &&
      reaches(node, isObject(node) ? { resolve } : { resolve, stopsAt: isBreaker }),
    isBareUnion,
    keyOf: (node) => keys.get(node),
  }
}

function noteKeys(definitions: unknown, keys: Map<Node, string>): void {
  if (!isNode(definitions)) return
  for (const [key, child] of Object.entries(definitions)) {
    if (isNode(child) && child[ANONYMOUS_MARK] !== true) keys.set(child, key)
  }
}

function resourceOf(node: Node, parent: Resource): Resource {
  const { $id } = node
  if (node[RESOURCE_MARK] === true) return { root: node, base: parent.base }
  if (typeof $id !== 'string' || $id.startsWith('#')) return parent
  return { root: node, base: absolute($id, parent.base) }
}

/** Returns the identifiers of a schema: its resolved `$id`, its `$id` as written, and its anchors. */
function namesOf(node: Node, { base }: Resource, parent: Resource): string[] {
  const { $id, $anchor } = node
  const names: string[] = []
  if (typeof $id === 'string') names.push(absolute($id, parent.base), $id)
  if (typeof $anchor === 'string') names.push(absolute(`#${$anchor}`, base))
  return names
}

function absolute(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}

function lookUp(
  reference: string,
  { root: from, base }: Resource,
  { root, targets }: { readonly root: Node; readonly targets: ReadonlyMap<string, Node> },
): unknown {
  if (reference === '#') return from
  if (reference.startsWith('#/')) {
    const found = follow(from, reference.slice(1)) ?? follow(root, reference.slice(1))
    if (found !== undefined) return found
  }
  const exact = targets.get(absolute(reference, base)) ?? targets.get(reference)
  if (exact !== undefined) return exact
  const [file = '', pointer = ''] = reference.split('#')
  const resource = targets.get(absolute(file, base))
  return resource === undefined ? undefined : follow(resource, pointer)
}

/**
 * Follows a JSON Pointer in a URI fragment (RFC 6901, section 6). Only own properties are followed, so that no pointer
 * reaches a prototype.
 */
export function follow(root: unknown, pointer: string): unknown {
  let value = root
  for (const step of pointer.split('/').slice(1)) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Node)[key]
  }
  return value
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // The `%` is part of a definition's name and not an escape.
    return step
  }
}

function isObject(node: unknown): boolean {
  return isNode(node) && isNode(node.properties)
}

interface Walk {
  readonly resolve: References['resolve']
  /** A keyword that the search skips. */
  readonly skip?: string
  readonly stopsAt?: (node: unknown) => boolean
}

/** Whether a search that starts from a schema returns to that schema. */
function reaches(start: Node, { resolve, skip, stopsAt = () => false }: Walk): boolean {
  const seen = new Set<unknown>()
  const open: unknown[] = [start]
  while (open.length > 0) {
    const node = open.pop()
    if (!isNode(node)) continue
    const next = lowerableIn(node).filter(({ keyword }) => keyword !== skip)
    for (const child of [resolve(node), ...next.map(({ schema }) => schema)]) {
      if (child === start) return true
      if (!seen.has(child) && !stopsAt(child)) open.push(child)
      seen.add(child)
    }
  }
  return false
}
