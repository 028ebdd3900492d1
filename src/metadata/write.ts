import { inspect } from 'node:util'
import type { DualClassOrMethodDecorator, DualMethodDecorator } from '../contracts/decorator.js'
import type { Fact } from '../contracts/facts.js'
import type { Token } from '../contracts/provider.js'
import { ConfigError } from '../errors/config-error.js'
import { captureStack, noteDecorator } from './applied.js'
import { type ClassRecord, classRecord } from './store.js'

/** The facts that a decorator declares for each kind of target. A kind that is omitted is not supported as a target. */
export interface Writers {
  readonly class?: Fact
  /** The facts for a method or a field route. */
  readonly method?: Fact | readonly Fact[]
  /** `false` for a decorator that is not allowed on fields, because field routes have an equivalent option. */
  readonly field?: false
  /** Returns the facts for a decorated handler parameter (legacy dialect). */
  readonly parameter?: (index: number) => readonly Fact[]
}

/**
 * Creates a function that works as a decorator in both dialects. The function only stores facts. It throws a
 * `ConfigError` if `writers` does not list the kind of its target.
 */
export function decorator(name: string, writers: Writers): (...args: unknown[]) => void {
  const created = captureStack()
  function write(first?: unknown, second?: unknown, third?: unknown): void {
    const kind = kindOf(first, second, third)
    if (kind === 'class') refuseReplaced(first as object)
    const facts = factsFor(kind, writers, third)
    if (facts === null) throw misplaced(name, labelOf(first, second, third), placesOf(writers))
    const record = classRecord(ownerOf(first, second))
    const member = kind === 'class' ? null : keyOf(second)
    const stored = member === null ? record.facts : factsOfMethod(record, member)
    // Decorators run from the last to the first. `unshift` restores the order in the source code.
    if (kind === 'parameter') stored.push(...facts)
    else stored.unshift(...facts)
    if (created === null) return
    const parameter = kind === 'parameter' ? (third as number) : null
    const className = kind === 'class' ? (first as { readonly name: string }).name : null
    noteDecorator({ name, record, member, parameter, className, created })
  }
  made.set(write, { name, writers })
  return write
}

/** Creates a decorator for classes and methods. */
export function classOrMethod(name: string, fact: Fact): DualClassOrMethodDecorator {
  return decorator(name, { class: fact, method: fact }) as DualClassOrMethodDecorator
}

/** Creates a decorator for methods. */
export function methodOnly(name: string, fact: Fact): DualMethodDecorator {
  return decorator(name, { method: fact }) as DualMethodDecorator
}

function placesOf({ field: _, ...writers }: Writers): readonly string[] {
  return Object.keys(writers)
}

/**
 * Returns the facts that a decorator declares for a kind of target; `null` if the decorator does not support the
 * target.
 */
function factsFor(kind: Kind, writers: Writers, third: unknown): readonly Fact[] | null {
  const { class: ofClass, method: ofMethod, parameter: ofParameter } = writers
  if (kind === 'class' && ofClass !== undefined) return [ofClass]
  const isMember = kind === 'method' || (kind === 'field' && writers.field !== false)
  if (isMember && ofMethod !== undefined) return isList(ofMethod) ? ofMethod : [ofMethod]
  if (kind === 'parameter' && ofParameter !== undefined) return ofParameter(third as number)
  return null
}

/** Like `Array.isArray`, but also narrows the types of read-only arrays. */
function isList(facts: Fact | readonly Fact[]): facts is readonly Fact[] {
  return Array.isArray(facts)
}

/** The name of each decorator, for messages, and the facts that it writes. */
const made = new WeakMap<object, { readonly name: string; readonly writers: Writers }>()

/** Returns the facts that a decorator declares for a method; empty for a function that is not a decorator. */
export function methodFactsOf(decorate: object | undefined): readonly Fact[] {
  const writers = decorate === undefined ? undefined : made.get(decorate)?.writers
  return writers === undefined ? [] : (factsFor('method', writers, undefined) ?? [])
}

/**
 * Throws if `@Body` without parentheses has replaced the class, in the legacy dialect. `@Body` itself cannot detect
 * this error, because a single class can also be a valid argument.
 */
function refuseReplaced(target: object): void {
  const known = made.get(target)
  if (known !== undefined) throw bare(known.name.replace('()', ''))
}

/** Stores the token of a constructor parameter. */
export function writeParameterToken(target: object, index: number, token: Token): void {
  classRecord(target).parameters.set(index, token)
}

/** Stores the token of a field (legacy dialect). In the standard dialect, a field initializes itself. */
export function writeFieldToken(prototype: object, key: PropertyKey, token: Token): void {
  classRecord(prototype.constructor).fields.set(key, token)
}

/**
 * Throws if a decorator factory was called with the arguments of a decorator. Otherwise, `@Auth` without parentheses
 * would have no effect, and its route would have no guard.
 */
export function refuseBare(name: string, first: unknown, second: unknown): void {
  const isMember = isPrototype(first) && isKey(second)
  const isClass = typeof first === 'function' && !('~standard' in first)
  if (!isStandardContext(second) && !isMember && !isClass) return
  const member = isStandardContext(second) ? second.name : isKey(second) ? second : undefined
  const owner = isClass ? first.name : isMember ? first.constructor.name : ''
  const subject = [owner, member].filter(Boolean).map(String).join('.')
  const cause = isClass
    ? `${name} was given ${first.name || 'a function'}: the parentheses are missing, or the argument is a function that was not called.`
    : undefined
  throw bare(name, subject || name, cause)
}

/** Whether a value is a class prototype, which is the first argument of a member decorator in the legacy dialect. */
function isPrototype(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const { constructor: owner } = value as {
    readonly constructor?: { readonly prototype?: unknown }
  }
  return owner?.prototype === value
}

function bare(
  name: string,
  subject = name,
  cause = `${name} is written without parentheses, so it would never take effect.`,
): ConfigError {
  const remedy = `Write ${name}() with parentheses and any arguments that it needs.`
  return new ConfigError([{ code: 'E_DECORATOR_TARGET', subject, cause, remedy }])
}

/** Throws for arguments to a decorator without parameters, because they would be ignored. */
export function refuseArguments(name: string, args: readonly unknown[]): void {
  refuseBare(name, args[0], args[1])
  if (args.length === 0) return
  throw new ConfigError([
    {
      code: 'E_DECORATOR_TARGET',
      subject: name,
      cause: `${name} was given ${inspect(args[0], { depth: 1, breakLength: Infinity })}, but takes ${TAKEN[name] ?? 'no arguments'}.`,
      remedy: ELSEWHERE[name] ?? `Write ${name}() without arguments.`,
    },
  ])
}

/** Descriptions of the arguments, for decorators that accept only certain values. */
const TAKEN: Readonly<Record<string, string>> = {
  '@Auth': 'only guard names and { optional: true }',
}

/** The remedies for arguments that belong elsewhere, by decorator. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '@Auth':
    "Write @Auth(), and configure the guard as `auth.guard`. List roles and permissions in @Can('…').",
  '@Injectable':
    'Write @Injectable() without arguments. There are no scopes: every instance lives as long as the application.',
}

function isKey(value: unknown): value is string | symbol {
  return typeof value === 'string' || typeof value === 'symbol'
}

/** Creates the error for a decorator on an unsupported target. */
export function misplaced(name: string, where: string, allowed: readonly string[]): ConfigError {
  return new ConfigError([
    {
      code: 'E_DECORATOR_TARGET',
      subject: where,
      cause: `${name} is on ${where}, which it cannot decorate.`,
      remedy: `Put it on a ${allowed.join(' or a ')}.`,
    },
  ])
}

/** Whether a value is the second of the standard decorator arguments `(value, context)`. */
export function isStandardContext(value: unknown): value is DecoratorContext {
  return typeof value === 'object' && value !== null && 'kind' in value && 'name' in value
}

/** The kind of target that a decorator is on. */
type Kind = 'class' | 'method' | 'field' | 'parameter' | 'misplaced'

function kindOf(first: unknown, second: unknown, third: unknown): Kind {
  if (isStandardContext(second)) {
    const { kind } = second
    if (kind === 'class') return kind
    const isOfInstance = !second.static && !second.private
    return isOfInstance && (kind === 'method' || kind === 'field') ? kind : 'misplaced'
  }
  if (second === undefined) {
    // A single argument is a class. A class with an index is a constructor parameter, which these decorators do not
    // support.
    return typeof first === 'function' && typeof third !== 'number' ? 'class' : 'misplaced'
  }
  if (typeof first === 'function') return 'misplaced'
  if (third === undefined) return 'field'
  if (typeof third === 'number') return 'parameter'
  const isMethod = typeof (third as PropertyDescriptor).value === 'function'
  return isMethod ? 'method' : 'misplaced'
}

/**
 * Returns the key of the record to write: a class, or the metadata object that all decorators of a class share before
 * the class exists.
 */
function ownerOf(first: unknown, second: unknown): object {
  if (isStandardContext(second)) return metadataOf(second)
  return second === undefined ? (first as object) : (first as object).constructor
}

function keyOf(second: unknown): PropertyKey {
  // Only the context of a class has no name.
  return (isStandardContext(second) ? second.name : second) as PropertyKey
}

function metadataOf(context: DecoratorContext): object {
  if (typeof context.metadata === 'object' && context.metadata !== null) return context.metadata
  throw new ConfigError([
    {
      code: 'E_DECORATORS_NOT_APPLIED',
      subject: String(context.name),
      cause: 'The compiler passed no metadata to its decorators.',
      remedy:
        'Compile with TypeScript 5.2 or later, esbuild, swc or tsx, and import blazon before the class.',
    },
  ])
}

function factsOfMethod({ methods }: ClassRecord, key: PropertyKey): Fact[] {
  let facts = methods.get(key)
  if (facts === undefined) {
    facts = []
    methods.set(key, facts)
  }
  return facts
}

/** Returns the name of the target, for the error about a misplaced decorator. */
function labelOf(first: unknown, second: unknown, third: unknown): string {
  if (isStandardContext(second)) return standardLabel(first, second)
  if (second === undefined) {
    if (typeof first !== 'function') return String(first)
    const owner = typeof third === 'number' ? `constructor parameter ${third} of` : 'class'
    return `${owner} ${first.name}`
  }
  const isStatic = typeof first === 'function'
  const owner = (isStatic ? first : (first as object).constructor) as { name: string }
  const member = `${isStatic ? 'static ' : ''}${owner.name}.${String(second)}`
  if (isStatic) return member
  if (typeof third === 'number') return `parameter ${third} of ${member}`
  const isMethod = typeof (third as PropertyDescriptor | undefined)?.value === 'function'
  return isMethod ? member : `field ${member}`
}

function standardLabel(first: unknown, context: DecoratorContext): string {
  if (context.kind === 'class') return `class ${(first as { name: string }).name}`
  const label = `${context.kind} ${String(context.name)}`
  return context.static ? `static ${label}` : label
}
