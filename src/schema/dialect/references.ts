import { ANONYMOUS_MARK, isNode, type Node, RESOURCE_MARK } from './conversion.js'
import { childrenOf, subschemasOf } from './keywords.js'

/** Something for `URL` to resolve relative identifiers against; never shown. */
const BASE = 'schema:///'

/** A schema with an identifier of its own: references within it start from there. */
interface Resource {
  readonly root: Node
  readonly base: string
}

/** Which schema a reference means. */
export interface References {
  /** `undefined` when there is no such schema. */
  readonly resolve: (node: Node) => unknown
  /** Whether a schema refers to itself. Of a circle through objects, the objects do, and the lists between them do not. */
  readonly isRecursive: (node: Node) => boolean
  /** Whether a union contains itself with no object with properties in between. */
  readonly isBareUnion: (node: Node) => boolean
  /** The name under which a schema is kept in `$defs` or `definitions`. */
  readonly keyOf: (node: Node) => string | undefined
}

/** Of a schema in which nothing refers to anything. */
const NONE: References = {
  resolve: () => undefined,
  isRecursive: () => false,
  isBareUnion: () => false,
  keyOf: () => undefined,
}

/** Reads a whole JSON Schema: `$id`, `$anchor`, `$defs` and `definitions`. */
export function readReferences(root: unknown): References {
  return mayRefer(root) ? indexReferences(root) : NONE
}

/** Most schemas do not, and need no index. Values count too: what looks like a keyword may be one. */
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
    for (const [, child] of subschemasOf(node)) index(child, resource)
    for (const definitions of [node.$defs, node.definitions]) noteKeys(definitions, keys)
  }
  index(root, whole)
  const resolve = (node: Node): unknown => {
    const { $ref } = node
    if (typeof $ref !== 'string') return undefined
    // Pointers lead to places that no keyword names, too.
    return lookUp($ref, resources.get(node) ?? whole, { root: whole.root, targets })
  }
  const referred = new Set<unknown>()
  // A target may be where only a pointer finds it, and refer on from there: the list grows.
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

/** A schema is found by its resolved `$id`, by its `$id` as written, and by its anchors. */
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

/** RFC 6901; only own properties, so that no pointer leads into a prototype. */
function follow(root: unknown, pointer: string): unknown {
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
    // A bare `%` is the name of a definition, not an escape.
    return step
  }
}

function isObject(node: unknown): boolean {
  return isNode(node) && isNode(node.properties)
}

interface Walk {
  readonly resolve: References['resolve']
  /** A keyword that is not followed. */
  readonly skip?: string
  readonly stopsAt?: (node: unknown) => boolean
}

/** Whether a walk from a schema comes back to it. */
function reaches(start: Node, { resolve, skip, stopsAt = () => false }: Walk): boolean {
  const seen = new Set<unknown>()
  const open: unknown[] = [start]
  while (open.length > 0) {
    const node = open.pop()
    if (!isNode(node)) continue
    const next = childrenOf(node).filter(([keyword]) => keyword !== skip)
    for (const child of [resolve(node), ...next.map(([, schema]) => schema)]) {
      if (child === start) return true
      if (!seen.has(child) && !stopsAt(child)) open.push(child)
      seen.add(child)
    }
  }
  return false
}
