import type { Fact } from '../contracts/facts.js'
import type { Token } from '../contracts/provider.js'

/** What one class states itself, while its decorators are still writing. */
export interface ClassRecord {
  readonly facts: Fact[]
  readonly methods: Map<PropertyKey, Fact[]>
  readonly fields: Map<PropertyKey, Token>
  readonly parameters: Map<number, Token>
}

/** A method of a class that is not known yet: standard decorators of methods run before the class exists. */
export interface MethodRecord {
  readonly name: PropertyKey
  readonly facts: Fact[]
  /** Tells two methods of one name in two classes apart; see `identityOf`. */
  readonly identity: unknown
}

// The keys are classes and functions of the user, held weakly: two applications share what a class
// says of itself and nothing else.
const classes = new WeakMap<object, ClassRecord>()
const methods = new WeakMap<object, MethodRecord>()

/** Methods whose class has not been decorated yet, in the order they were written. */
let pending: MethodRecord[] = []

/** The record of a class, if it has one. */
export function findClass(target: object): ClassRecord | undefined {
  return classes.get(target)
}

/** The record of a class, made when it is missing. */
export function classRecord(target: object): ClassRecord {
  let record = classes.get(target)
  if (record === undefined) {
    record = { facts: [], methods: new Map(), fields: new Map(), parameters: new Map() }
    classes.set(target, record)
  }
  return record
}

/** The facts of a method function, if standard decorators wrote any. */
export function findMethod(method: object): MethodRecord | undefined {
  return methods.get(method)
}

/**
 * The record of a method under the standard dialect. Decorators of one method run one after the
 * other, so a record of the same identity and name at the end of the list is the same method,
 * even when another library's decorator has replaced the function in between.
 */
export function methodRecord(method: object, context: ClassMethodDecoratorContext): MethodRecord {
  const known = methods.get(method)
  if (known !== undefined) return known
  const identity = identityOf(context)
  const last = pending.at(-1)
  const isSame = last !== undefined && last.name === context.name && last.identity === identity
  const record = isSame ? last : { name: context.name, facts: [], identity }
  if (!isSame) pending.push(record)
  methods.set(method, record)
  return record
}

/**
 * Gives the methods written since the last decorated class to this one. Class bodies are evaluated
 * one at a time, so what is pending belongs to this class or to an undecorated one before it; the
 * latter are found by their functions when a subclass is read.
 */
export function claimPending(target: object): void {
  const records = pending
  pending = []
  for (const record of records) {
    const owner = ownerOf(target, record)
    if (owner !== undefined) classRecord(owner).methods.set(record.name, record.facts)
  }
}

/** The class in the chain of `target` that has the method itself: a foreign decorator may have subclassed it. */
function ownerOf(target: object, record: MethodRecord): object | undefined {
  for (let owner = target; typeof owner === 'function'; owner = Object.getPrototypeOf(owner)) {
    const method = Object.getOwnPropertyDescriptor(owner.prototype ?? {}, record.name)?.value
    if (method === undefined) continue
    const known = methods.get(method)
    return known === undefined || known === record ? owner : undefined
  }
  return undefined
}

/**
 * What all decorators of one method share and two methods do not. esbuild and swc hand every
 * decorator of a class one `metadata` object; TypeScript does so only where `Symbol.metadata`
 * exists, but hands all decorators of one element the same accessor functions.
 */
function identityOf(context: ClassMethodDecoratorContext): unknown {
  return context.metadata ?? context.access?.has
}
