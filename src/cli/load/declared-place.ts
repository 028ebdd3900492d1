import { resolve } from 'node:path'
import { findPlace } from '../../app/explain/find-place.js'
import type { AppliedDecorator } from '../../metadata/read.js'
import type { PlacedProblem } from './protocol.js'

/** The key under which the application finds the list of its decorators; `metadata/applied.ts` explains it. */
const LIST = Symbol.for('blazon.decorators')

/** Has every copy of this package in the process record its decorators. Called before one is loaded. */
export function keepDecorators(): void {
  Object.defineProperty(globalThis, LIST, { value: [] })
}

function keptDecorators(): readonly AppliedDecorator[] {
  return (globalThis as { [LIST]?: readonly AppliedDecorator[] })[LIST] ?? []
}

/** Adds the place of the class or method that a problem names: `UsersController.getById`. */
export function placed(problem: PlacedProblem): PlacedProblem {
  const [, className, member] = /^([\w$]+)(?:\.([\w$]+))?/.exec(problem.subject) ?? []
  const decorators = keptDecorators()
  // Of two classes with one name, the later one.
  const ofClass = decorators.findLast((each) => each.className === className)
  const ofMember = decorators.findLast(
    (each) => each.record === ofClass?.record && String(each.member) === member,
  )
  // A method without a decorator of its own belongs to a base class.
  const found = ofMember ?? ofClass
  const at = found && findPlace(found, process.cwd())
  return at ? { ...problem, place: { file: resolve(at.file), line: at.line } } : problem
}
