import type { Fact } from '../contracts/facts.js'
import type { Token } from '../contracts/provider.js'

/** What one class states itself, while its decorators are still writing. */
export interface ClassRecord {
  readonly facts: Fact[]
  readonly methods: Map<PropertyKey, Fact[]>
  readonly fields: Map<PropertyKey, Token>
  readonly parameters: Map<number, Token>
}

// The one global this package sets, and only where it is missing: the well-known symbol of the decorator metadata
// proposal. TypeScript hands decorators no `metadata` without it (esbuild and swc fall back on the registered symbol),
// and without `metadata` nothing tells which class a method belongs to once another decorator has replaced it:
// a guard could be lost, or land on another class.
const symbols = Symbol as unknown as { metadata?: symbol }
symbols.metadata ??= Symbol.for('Symbol.metadata')
const kMetadata = symbols.metadata

// The keys are classes and metadata objects of the user, held weakly: two applications share what a class
// says of itself and nothing else.
const records = new WeakMap<object, ClassRecord>()

let writes = 0

/** Grows whenever anything may be written: while it stands still, every record is what it was. */
export function writeCount(): number {
  return writes
}

/** The record of a class, if it has one. */
export function findClass(target: object): ClassRecord | undefined {
  return records.get(keyOf(target))
}

/** The record of a class, or of the metadata that a class which does not exist yet will have; made when it is missing. */
export function classRecord(target: object): ClassRecord {
  writes++
  const key = keyOf(target)
  let record = records.get(key)
  if (record === undefined) {
    record = { facts: [], methods: new Map(), fields: new Map(), parameters: new Map() }
    records.set(key, record)
  }
  return record
}

/** A class of the standard dialect owns the object that its decorators were given; a legacy one is its own key. */
function keyOf(target: object): object {
  return Object.hasOwn(target, kMetadata)
    ? ((target as Record<symbol, object>)[kMetadata] as object)
    : target
}
