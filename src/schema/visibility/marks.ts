import { isNode, type Node } from '../dialect/conversion.js'
import { readReferences } from '../dialect/references.js'
import { listPlaces, type Place } from '../places.js'

/**
 * The abilities that a caller needs to see a field, sorted and without duplicates. The caller must have all of them.
 */
export type Mark = readonly string[]

/** The JSON Schema keyword that marks a field. */
const KEYWORD = 'visibleTo'

/** Returns the mark of a schema itself; `null` if there is none, or if its value is invalid. */
export function markOf(node: Node): Mark | null {
  const value = node[KEYWORD]
  if (value === undefined) return null
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isValid = names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')
  return isValid ? [...new Set(names as readonly string[])].sort() : null
}

/** Whether the keyword of a schema has an invalid value. */
export function hasWrongMark(node: Node): boolean {
  return node[KEYWORD] !== undefined && markOf(node) === null
}

/** Returns a key that is the same only for equal marks. */
export function keyOfMark(mark: Mark): string {
  return JSON.stringify(mark)
}

/** A marked part of a value. */
export interface MarkedPlace extends Pick<Place, 'path' | 'name' | 'isRequired'> {
  readonly mark: Mark
}

/** A mark that has no effect, and the reason. */
export interface WrongMark {
  readonly path: string
  readonly cause: string
  /** Whether the value of the mark is wrong. Otherwise, its place is wrong. */
  readonly isValue: boolean
}

/** The marks of one schema. */
export interface FoundMarks {
  readonly places: readonly MarkedPlace[]
  readonly wrong: readonly WrongMark[]
}

const NONE: FoundMarks = { places: [], wrong: [] }

/** Finds all marks of a JSON Schema. Only a property or an item can be removed. */
export function findMarks(json: unknown): FoundMarks {
  if (!isNode(json) || !mayHaveMarks(json)) return NONE
  const places = new Map<string, MarkedPlace>()
  const wrong = new Map<string, WrongMark>()
  for (const { node, path, name, isRequired, kind } of listPlaces(
    json,
    readReferences(json).resolve,
  )) {
    const mark = markOf(node)
    if (hasWrongMark(node)) {
      wrong.set(path, { path, cause: 'is neither a string nor a list of strings', isValue: true })
    } else if (mark !== null && kind !== 'member') {
      wrong.set(path, { path, cause: CAUSES[kind], isValue: false })
    } else if (mark !== null) {
      places.set(`${path} ${keyOfMark(mark)}`, { path, name, isRequired, mark })
    }
  }
  return { places: [...places.values()], wrong: [...wrong.values()] }
}

const CAUSES: Readonly<Record<Exclude<Place['kind'], 'member'>, string>> = {
  whole: 'is on the whole value, which cannot be omitted',
  position: 'is on a position of a tuple, which cannot be omitted',
  condition: 'is in a condition, which does not describe a field',
}

/**
 * Whether the keyword occurs anywhere in a schema. A false positive, for example in an example value, only causes an
 * unnecessary search.
 */
export function mayHaveMarks(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(mayHaveMarks)
  for (const key in value) {
    if (key === KEYWORD || mayHaveMarks((value as Node)[key])) return true
  }
  return false
}

/**
 * Returns a schema for any value. In this schema, every property with the name of a marked field has that field's
 * marks, at every depth. It is used to find marked fields in places that no schema describes.
 */
export function markByName(schemas: readonly FoundMarks[]): Node {
  const marks = new Map<string, Mark[]>()
  for (const { name, mark } of schemas.flatMap(({ places }) => places)) {
    if (name !== null) marks.set(name, [...(marks.get(name) ?? []), mark])
  }
  const anywhere: Record<string, unknown> = {}
  const properties = [...marks].map(([name, of]) => {
    return [name, { allOf: [...of.map((visibleTo) => ({ visibleTo })), anywhere] }] as const
  })
  return Object.assign(anywhere, {
    properties: Object.fromEntries(properties),
    additionalProperties: anywhere,
    items: anywhere,
  })
}
