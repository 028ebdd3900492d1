import type { ClassFacts } from '../contracts/facts.js'
import type { Class, InjectionFacts, Token } from '../contracts/provider.js'
import { type AppliedDecorator, noteInner, recordedDecorators } from './applied.js'
import type { MadeRoute } from './field-route.js'
import { findClass, writeCount } from './store.js'

export { type AppliedDecorator, recordedDecorators } from './applied.js'
export {
  collectMadeRoutes,
  countMadeRoutes,
  type MadeRoute,
  routeMadeOf,
} from './field-route.js'
export { methodFactsOf } from './write.js'

/** Returns the facts that a class declares itself. */
export function readClass(target: object): ClassFacts {
  const record = findClass(target)
  return {
    facts: record?.facts ?? [],
    methods: record?.methods ?? new Map(),
    fields: record?.fields ?? new Map(),
    parameters: record?.parameters ?? new Map(),
  }
}

/** Returns the facts that the container uses to create a class, including inherited fields. */
export function readInjections(target: Class): InjectionFacts {
  const chain = chainOf(target)
  const fields = new Map<PropertyKey, Token>()
  for (const link of [...chain].reverse()) {
    for (const [key, token] of findClass(link)?.fields ?? []) fields.set(key, token)
  }
  const own = findClass(target)
  return {
    injectable:
      own?.facts.some(({ kind }) => kind === 'injectable' || kind === 'controller') ?? false,
    parameters: findClass(chain.find(hasTokens) ?? target)?.parameters ?? new Map(),
    fields: [...fields].map(([key, token]) => ({ key, token })),
  }
}

/**
 * Whether a class declares the tokens of its constructor. If a constructor is inherited, its tokens are declared on the
 * base class. Tokens of a base class do not apply to a class with a constructor of its own.
 */
function hasTokens(target: Class): boolean {
  const { hasOwnMetadata } = Reflect as { hasOwnMetadata?: (key: string, of: object) => boolean }
  return (
    (findClass(target)?.parameters.size ?? 0) > 0 ||
    Object.hasOwn(target, 'inject') ||
    hasOwnMetadata?.('design:paramtypes', target) === true
  )
}

/** Returns the class and its base classes, starting with the class itself. */
export function chainOf(target: Class): Class[] {
  const chain: Class[] = []
  for (let link = target; typeof link === 'function' && link.prototype; ) {
    chain.push(link)
    link = Object.getPrototypeOf(link)
  }
  return chain
}

/** Returns the number of decorator writes. As long as it does not change, no class has new facts. */
export function countWrites(): number {
  return writeCount()
}

/** Records the call that turned a field into a route, in the same way as a method decorator. */
export function noteField(target: Class, member: PropertyKey, { by, created }: MadeRoute): void {
  if (created === null) return
  const place = { record: recordOf(target), member, parameter: null, className: null }
  noteInner({ name: `${by}()`, ...place, created, applied: created })
}

/** Returns the object that identifies the facts of a class: its record, or the class itself if it has no decorators. */
function recordOf(target: Class): object {
  return findClass(target) ?? target
}

/** Returns the recorded decorators of a class and of one of its methods, in source order. */
export function readDecorators(target: Class, member: PropertyKey): AppliedDecorator[] {
  const record = recordOf(target)
  const found = recordedDecorators().filter(
    (each) => each.record === record && (each.member === null || each.member === member),
  )
  // Decorators run from the last to the first.
  return found.reverse()
}
