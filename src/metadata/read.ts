import type { ClassFacts } from '../contracts/facts.js'
import type { Class, InjectionFacts, Token } from '../contracts/provider.js'
import { findClass, writeCount } from './store.js'

/** What a class states itself. */
export function readClass(target: object): ClassFacts {
  const record = findClass(target)
  return {
    facts: record?.facts ?? [],
    methods: record?.methods ?? new Map(),
    fields: record?.fields ?? new Map(),
    parameters: record?.parameters ?? new Map(),
  }
}

/** What the container must know of a class, inherited fields included. */
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
    // A constructor that is inherited takes the parameters of the class that wrote it.
    parameters:
      chain.map((link) => findClass(link)?.parameters).find((map) => map?.size) ?? new Map(),
    fields: [...fields].map(([key, token]) => ({ key, token })),
  }
}

/** The class and those it extends, nearest first. */
export function chainOf(target: Class): Class[] {
  const chain: Class[] = []
  for (let link = target; typeof link === 'function' && link.prototype; ) {
    chain.push(link)
    link = Object.getPrototypeOf(link)
  }
  return chain
}

/** Grows with what decorators write: while it stands still, no class has anything new to say. */
export function countWrites(): number {
  return writeCount()
}
