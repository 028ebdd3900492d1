import type { Fact } from '../contracts/facts.js'
import type { Token } from '../contracts/provider.js'
import { ConfigError } from '../errors/config-error.js'
import { classRecord } from './store.js'

/** What a decorator states on each kind of target; a kind that is left out is a mistake of the user. */
export interface Writers {
  readonly class?: Fact
  readonly method?: Fact
  /** Facts of a decorated handler parameter (legacy dialect). */
  readonly parameter?: (index: number) => readonly Fact[]
}

/** What a decorator was put on. */
type Target =
  | { readonly kind: 'class'; readonly facts: () => Fact[]; readonly class: object }
  | { readonly kind: 'method'; readonly facts: () => Fact[]; readonly label: string }
  | {
      readonly kind: 'parameter'
      readonly facts: () => Fact[]
      readonly index: number
      readonly label: string
    }
  | { readonly kind: 'misplaced'; readonly label: string }

/**
 * Makes the function that both dialects can call. It only writes, and throws a `ConfigError` when
 * the target is not one of `writers`.
 */
export function decorator(name: string, writers: Writers): (...args: unknown[]) => void {
  return function write(...args) {
    const target = targetOf(args)
    if (target.kind === 'class' && writers.class !== undefined) {
      return void target.facts().unshift(writers.class)
    }
    if (target.kind === 'method' && writers.method !== undefined) {
      // Decorators run from the last to the first; the reader wants them as they are written.
      return void target.facts().unshift(writers.method)
    }
    if (target.kind === 'parameter' && writers.parameter !== undefined) {
      return void target.facts().push(...writers.parameter(target.index))
    }
    throw misplaced(name, labelOf(target), Object.keys(writers))
  }
}

/** Notes the token of a constructor parameter. */
export function writeParameterToken(target: object, index: number, token: Token): void {
  classRecord(target).parameters.set(index, token)
}

/** Notes the token of a field (legacy dialect; a standard field initialises itself). */
export function writeFieldToken(prototype: object, key: PropertyKey, token: Token): void {
  classRecord(prototype.constructor).fields.set(key, token)
}

/**
 * Refuses the arguments of a decorator factory when they are those of a decorator: `@Auth` without
 * parentheses would otherwise be a decorator that never ran, and a guard that was never there.
 */
export function refuseBare(name: string, args: readonly unknown[]): void {
  const [first, second] = args
  const isMember = typeof first === 'object' && first !== null && isKey(second)
  const isClass = typeof first === 'function' && !('~standard' in first)
  if (!isStandardContext(second) && !isMember && !isClass) return
  const member = isStandardContext(second) ? second.name : isKey(second) ? second : undefined
  const owner = isClass ? first.name : isMember ? first.constructor.name : ''
  throw new ConfigError([
    {
      code: 'E_DECORATOR_TARGET',
      subject: [owner, member].filter(Boolean).map(String).join('.') || name,
      cause: isClass
        ? `${name} was given ${first.name || 'a function'}: parentheses are missing, or it is a function that was not called.`
        : `${name} is written without parentheses, so it would never take effect.`,
      remedy: `Write ${name}() with parentheses, and give it what it asks for.`,
    },
  ])
}

function isKey(value: unknown): value is string | symbol {
  return typeof value === 'string' || typeof value === 'symbol'
}

/** The error for a decorator on a target it cannot describe. */
export function misplaced(name: string, where: string, allowed: readonly string[]): ConfigError {
  return new ConfigError([
    {
      code: 'E_DECORATOR_TARGET',
      subject: where,
      cause: `${name} is on ${where}, which it cannot describe.`,
      remedy: `Put it on a ${allowed.join(' or a ')}.`,
    },
  ])
}

/** Whether a decorator was called the standard way, `(value, context)`. */
export function isStandardContext(value: unknown): value is DecoratorContext {
  return typeof value === 'object' && value !== null && 'kind' in value && 'name' in value
}

function targetOf(args: unknown[]): Target {
  const [first, second, third] = args
  if (isStandardContext(second)) return standardTarget(first as object, second)
  if (args.length === 1 || second === undefined) return legacyClassTarget(first, third)
  return legacyMemberTarget(first as object, second as PropertyKey, third)
}

function standardTarget(value: object, context: DecoratorContext): Target {
  if (context.kind === 'class')
    return { kind: 'class', class: value, facts: () => classRecord(metadataOf(context)).facts }
  const label = `${context.kind} ${String(context.name)}`
  if (context.kind !== 'method' || context.static || context.private) {
    return { kind: 'misplaced', label: context.static ? `static ${label}` : label }
  }
  return { kind: 'method', facts: () => factsOfMethod(metadataOf(context), context.name), label }
}

/** What all decorators of one class share. */
function metadataOf(context: DecoratorContext): object {
  if (typeof context.metadata === 'object' && context.metadata !== null) return context.metadata
  throw new ConfigError([
    {
      code: 'E_DECORATORS_NOT_APPLIED',
      subject: String(context.name),
      cause: 'The compiler has given its decorators no metadata.',
      remedy:
        'Compile with TypeScript 5.2 or later, esbuild, swc or tsx, and import blazon before the class.',
    },
  ])
}

/** One argument is a class; three with no key are a constructor parameter. */
function legacyClassTarget(target: unknown, index: unknown): Target {
  if (typeof target !== 'function') return { kind: 'misplaced', label: String(target) }
  if (typeof index !== 'number')
    return { kind: 'class', class: target, facts: () => classRecord(target).facts }
  return { kind: 'misplaced', label: `constructor parameter ${index} of ${target.name}` }
}

function legacyMemberTarget(target: object, key: PropertyKey, third: unknown): Target {
  const isStatic = typeof target === 'function'
  const owner = isStatic ? target : target.constructor
  const label = `${isStatic ? 'static ' : ''}${(owner as { name: string }).name}.${String(key)}`
  const facts = () => factsOfMethod(owner, key)
  if (isStatic) return { kind: 'misplaced', label }
  if (typeof third === 'number') return { kind: 'parameter', facts, index: third, label }
  const isMethod = typeof (third as PropertyDescriptor | undefined)?.value === 'function'
  return isMethod
    ? { kind: 'method', facts, label }
    : { kind: 'misplaced', label: `field ${label}` }
}

function factsOfMethod(owner: object, key: PropertyKey): Fact[] {
  const { methods } = classRecord(owner)
  let facts = methods.get(key)
  if (facts === undefined) {
    facts = []
    methods.set(key, facts)
  }
  return facts
}

function labelOf(target: Target): string {
  if (target.kind === 'class') return `class ${(target.class as { name: string }).name}`
  return target.kind === 'parameter' ? `parameter ${target.index} of ${target.label}` : target.label
}
