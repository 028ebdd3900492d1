import type { Class } from '../../contracts/provider.js'
import { type Finding, REMEDIES } from './remedies.js'
import { storedLists } from './traces.js'

/** The arguments that the package stores for one decorator. */
type Args = Readonly<Partial<Record<'target' | 'object' | 'method' | 'type' | 'index', unknown>>>

/** The lists of decorators. Entries of some lists have a type, such as `authorized`, which names the decorator better. */
const LISTS: readonly (readonly [list: string, decorator: string, remedy: string])[] = [
  ['controllers', '', REMEDIES.route],
  ['actions', '', REMEDIES.route],
  ['uses', '@UseBefore or @UseAfter', REMEDIES.use],
  ['useInterceptors', '@UseInterceptor', REMEDIES.use],
  ['responseHandlers', '', REMEDIES.response],
  ['params', '', REMEDIES.parameter],
  ['middlewares', '@Middleware', REMEDIES.use],
  ['interceptors', '@Interceptor', REMEDIES.use],
]

/** Finds the decorators of routing-controllers on a class (`null`), or on one of its members. */
export function findEntries(owner: Class, member: PropertyKey | null): Finding[] {
  const key = (Symbol as { metadata?: symbol }).metadata as symbol
  // A class of the standard dialect is found by the metadata object that its decorators received.
  const owners = [owner, Object.getOwnPropertyDescriptor(owner, key)?.value ?? owner]
  return LISTS.flatMap(([list, decorator, remedy]) => {
    const entries = storedLists()?.[list]
    // Another version may have other lists.
    const all: readonly Args[] = Array.isArray(entries) ? entries : []
    const here = all.filter((args) => {
      const place = placeOf(args)
      return owners.includes(place.owner) && place.member === member
    })
    return here.map(({ type, index }) => {
      const where = index === undefined ? '' : ` on parameter ${index}`
      const written = `${type === undefined ? decorator : `the decorator '${type}'`} of routing-controllers${where}`
      return { written, remedy: type === 'authorized' ? REMEDIES.guard : remedy }
    })
  })
}

function placeOf({ target, object, method }: Args): { owner: unknown; member: unknown } {
  if (typeof method !== 'object' || method === null) {
    return { owner: target ?? object?.constructor, member: method ?? null }
  }
  // The decorator was called in the standard way, and has taken the decorator context for the name of a method.
  const { kind, name, metadata } = method as ClassMethodDecoratorContext
  return { owner: metadata, member: (kind as string) === 'class' ? null : name }
}
