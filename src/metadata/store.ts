import type { Fact } from '../contracts/facts.js'
import type { Token } from '../contracts/provider.js'

/** The facts that one class declares itself, while its decorators are running. */
export interface ClassRecord {
  readonly facts: Fact[]
  readonly methods: Map<PropertyKey, Fact[]>
  readonly fields: Map<PropertyKey, Token>
  readonly parameters: Map<number, Token>
}

// The only global that this package sets, and only if it is missing: the well-known symbol of the decorator metadata
// proposal. Without it, TypeScript passes no `metadata` to decorators (esbuild and swc fall back on the registered
// symbol). Without `metadata`, after another decorator has replaced a method, it is unknown to which class the method
// belongs: a guard could be lost, or be applied to another class.
const symbols = Symbol as unknown as { metadata?: symbol }
symbols.metadata ??= Symbol.for('Symbol.metadata')
const kMetadata = symbols.metadata

// The keys are user classes and their metadata objects, held weakly. Two applications share only the facts of a class.
const records = new WeakMap<object, ClassRecord>()

let writes = 0

/** Incremented whenever a decorator may write. While it does not change, no record has changed. */
export function writeCount(): number {
  return writes
}

/** The record of a class; `undefined` if there is none. */
export function findClass(target: object): ClassRecord | undefined {
  return records.get(keyOf(target))
}

/**
 * The record of a class, or of the metadata object of a class that does not exist yet. Created if it does not exist.
 */
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

/**
 * A class of the standard dialect owns the metadata object that its decorators received; a legacy class is its own
 * key.
 */
function keyOf(target: object): object {
  return Object.hasOwn(target, kMetadata)
    ? ((target as Record<symbol, object>)[kMetadata] as object)
    : target
}
