import type { ClassFacts, Fact } from '../contracts/facts.js'
import type { Class, InjectionFacts, Token } from '../contracts/provider.js'
import { findClass, findMethod } from './store.js'

/** Whether any decorator of ours was ever applied to the class or to one that it extends. */
export function isDecorated(target: Class): boolean {
  return chainOf(target).some((link) => {
    const { facts, methods, fields, parameters } = readClass(link)
    return facts.length + methods.size + fields.size + parameters.size > 0
  })
}

/** What a class states itself. */
export function readClass(target: object): ClassFacts {
  const record = findClass(target)
  const methods = new Map<PropertyKey, readonly Fact[]>()
  for (const key of ownMethodKeys(target)) {
    const facts = record?.methods.get(key) ?? factsOfFunction(target, key)
    if (facts !== undefined) methods.set(key, facts)
  }
  return {
    facts: record?.facts ?? [],
    methods,
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

function ownMethodKeys(target: object): PropertyKey[] {
  return Reflect.ownKeys((target as Class).prototype ?? {}).filter((key) => key !== 'constructor')
}

/** Finds methods of a class without any class decorator (standard dialect). */
function factsOfFunction(target: object, key: PropertyKey): readonly Fact[] | undefined {
  const method = Object.getOwnPropertyDescriptor((target as Class).prototype, key)?.value
  return typeof method === 'function' ? findMethod(method)?.facts : undefined
}
