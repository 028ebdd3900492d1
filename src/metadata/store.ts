import type { Fact } from '../contracts/facts.js'
import type { Token } from '../contracts/provider.js'

/** The facts that a class declares itself. Its decorators add them. */
export interface ClassRecord {
  readonly facts: Fact[]
  readonly methods: Map<PropertyKey, Fact[]>
  readonly fields: Map<PropertyKey, Token>
  readonly parameters: Map<number, Token>
}

// The package sets this well-known symbol of the decorator metadata proposal only if it is missing. Without the symbol,
// TypeScript passes no `metadata` to decorators, whereas esbuild and swc use the registered symbol. Without `metadata`,
// the class of a method is unknown if another decorator has replaced the method: a guard could be lost, or be applied
// to another class.
const symbols = Symbol as unknown as { metadata?: symbol }
symbols.metadata ??= Symbol.for('Symbol.metadata')
const kMetadata = symbols.metadata

// The keys are the application's classes and their metadata objects, which are held weakly. The only data that two
// applications share is the metadata of a class.
const records = new WeakMap<object, ClassRecord>()

let writes = 0

/**
 * Returns a counter that is incremented whenever a decorator may have written facts. As long as it does not change, no
 * record has changed.
 */
export function writeCount(): number {
  return writes
}

/** Returns the record of a class; `undefined` if there is none. */
export function findClass(target: object): ClassRecord | undefined {
  return records.get(keyOf(target))
}

/**
 * Returns the record of a class, or of the metadata object of a class that does not exist yet. Creates the record if
 * necessary.
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
 * Returns the key of a class. In the standard dialect, this is the metadata object that the class's decorators
 * received. In the legacy dialect, it is the class itself.
 */
function keyOf(target: object): object {
  return Object.hasOwn(target, kMetadata)
    ? ((target as Record<symbol, object>)[kMetadata] as object)
    : target
}
