import { resolve } from 'node:path'
import { findPlaces } from '../../../app/explain/find-places.js'
import type { Problem } from '../../../errors/config-error.js'
import type { AppliedDecorator } from '../../../metadata/read.js'
import type { NamedPlace } from '../protocol.js'
import { keptDecorators } from './kept-decorators.js'

/** `UsersController.getById` at the beginning of a subject. */
const NAME = /^[\w$]+(?:\.[\w$]+)?/
/** The classes that led to a provider, outermost first. */
const CHAIN = /Injected by: (.+?)\.(?: |$)/

/** Finds the decorated classes and methods that the problems of a `ConfigError` name, in their order and without repetition. */
export function findDeclaredPlaces(error: unknown): NamedPlace[] {
  const { problems = [] } = error as { readonly problems?: readonly Problem[] }
  const places = new Map<string, NamedPlace>()
  for (const problem of problems) {
    const place = firstPlace(namesIn(problem))
    if (place !== undefined) places.set(place.name, place)
  }
  return [...places.values()]
}

/** The subject; for a provider, then the classes that inject it, the nearest first. */
function namesIn({ subject, cause }: Problem): string[] {
  const [name] = NAME.exec(subject) ?? []
  const chain = CHAIN.exec(cause)?.[1]?.split(' -> ') ?? []
  return [...(name === undefined ? [] : [name]), ...chain.reverse()]
}

function firstPlace(names: readonly string[]): NamedPlace | undefined {
  for (const name of names) {
    const place = placeOf(name)
    if (place !== undefined) return place
  }
  return undefined
}

/** The place of the first decorator of a class or method. Of two classes with one name, the later one. */
function placeOf(name: string): NamedPlace | undefined {
  const [className, member] = name.split('.')
  const decorators = keptDecorators() as readonly AppliedDecorator[]
  const ofClass = decorators.findLast((each) => each.className === className)
  const ofMember = decorators.findLast(
    (each) => each.record === ofClass?.record && String(each.member) === member,
  )
  // A method without a decorator of its own is that of a base class.
  const found = ofMember ?? ofClass
  const at = found && findPlaces(found, process.cwd()).at
  return at ? { name, path: resolve(at.file), line: at.line } : undefined
}
