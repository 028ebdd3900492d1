import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { createMatcher, type Path } from '../fields/matcher.js'
import { setOwn } from '../set-own.js'
import type { Mark } from './marks.js'
import { type SelectBranches, type View, Viewer } from './views.js'

/** A schema for values with marked fields. */
export interface MarkedSchema {
  readonly schema: unknown
  readonly resolve: References['resolve']
  /** A schema that can additionally describe every part of the value; see {@link View}. */
  readonly maybe?: Node
  /** Whether some hidden parts have no name, so that they cannot be found with `maybe`; see {@link compileHide}. */
  readonly hasNameless?: boolean
}

/** Returns JSON data without the fields that the caller is not allowed to see. */
export type HideFields = (plain: unknown) => unknown

/** The result for a value that is hidden completely. */
const HIDDEN = Symbol('hidden')

/**
 * Compiles the function that removes hidden fields from responses. An alternative of a union applies if the value
 * matches it. If the value matches no alternative, all alternatives apply. Hidden parts without a name can be found
 * only by their position. Therefore, an object in place of a list, or a list in place of an object, is removed
 * completely.
 */
export function compileHide(
  { schema, resolve, maybe, hasNameless = false }: MarkedSchema,
  hides: (mark: Mark) => boolean,
): HideFields {
  const viewer = responseViewer(resolve, hides)
  const root = viewer.view(rootOf(schema, maybe))
  if (!root.leads) return (plain) => plain
  const hide = (value: unknown, view: View): unknown => {
    if (!view.leads) return value
    const chosen = viewer.choose(view, value)
    if (chosen.isHidden || (hasNameless && isOtherKind(value, chosen))) return HIDDEN
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const inside = viewer.item(chosen, index)
        const shown = inside === null ? HIDDEN : hide(item, inside)
        return shown === HIDDEN ? [] : [shown]
      })
    }
    if (!isNode(value)) return value
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const inside = viewer.property(chosen, name)
      const shown = inside === null ? HIDDEN : hide(value[name], inside)
      if (shown !== HIDDEN) setOwn(copy, name, shown)
    }
    return copy
  }
  return (plain) => {
    const shown = hide(plain, root)
    return shown === HIDDEN ? null : shown
  }
}

/** Whether a value is an object or a list, although its schemas do not allow this type. */
function isOtherKind(value: unknown, { sure }: Pick<View, 'sure'>): boolean {
  if (typeof value !== 'object' || value === null) return false
  const kind = Array.isArray(value) ? 'array' : 'object'
  const types = sure.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]))
  return types.length > 0 && types.every((allowed) => !allowed.includes(kind))
}

/** Returns the paths of the hidden fields in JSON data. */
export type FindHidden = (plain: unknown) => Path[]

/** Compiles the function that finds hidden fields in a response. */
export function compileFindHidden(
  { schema, resolve, maybe }: MarkedSchema,
  hides: (mark: Mark) => boolean,
): FindHidden {
  const viewer = responseViewer(resolve, hides)
  return finder(viewer, viewer.view(rootOf(schema, maybe)))
}

/**
 * Compiles the function that finds hidden fields in a sent value before its validation. Validation may change the
 * value, so an alternative of a union applies unless its fixed values contradict the value.
 */
export function compileFindSent(
  { schema, resolve }: MarkedSchema,
  hides: (mark: Mark) => boolean,
): FindHidden {
  const viewer = new Viewer({ resolve, hides, select: selectByTag(resolve) })
  return finder(viewer, viewer.view(rootOf(schema)), true)
}

function responseViewer(resolve: References['resolve'], hides: (mark: Mark) => boolean): Viewer {
  const { matches } = createMatcher(resolve)
  const select = (branches: readonly unknown[], value: unknown) => {
    const fit = branches.filter((branch) => matches(branch, value))
    return fit.length > 0 ? fit : branches
  }
  return new Viewer({ resolve, hides, select })
}

function rootOf(schema: unknown, maybe?: Node): Pick<View, 'sure' | 'maybe'> {
  return { sure: isNode(schema) ? [schema] : [], maybe: maybe === undefined ? [] : [maybe] }
}

const MOST_FOUND = 100

/** @param isSent Whether the validator can still convert a single value to a list, as in queries and forms. */
function finder(viewer: Viewer, root: View, isSent = false): FindHidden {
  if (!root.leads) return () => []
  return (plain) => {
    const found: Path[] = []
    const look = (
      value: unknown,
      view: View | null,
      { path, mayBeItem = isSent }: { readonly path: Path; readonly mayBeItem?: boolean },
    ): void => {
      if (found.length === MOST_FOUND || view?.leads === false) return
      const chosen = view === null ? null : viewer.choose(view, value)
      if (chosen === null || chosen.isHidden) return void found.push(path)
      const enter = (key: string | number, member: unknown, inside: View | null) =>
        look(member, inside, { path: [...path, key] })
      if (Array.isArray(value)) {
        for (const [at, item] of value.entries()) enter(at, item, viewer.item(chosen, at))
        return
      }
      const asItem = mayBeItem ? viewer.item(chosen, 0) : null
      if (asItem !== null) look(value, asItem, { path, mayBeItem: false })
      if (!isNode(value)) return
      for (const name of Object.keys(value)) enter(name, value[name], viewer.property(chosen, name))
    }
    look(plain, root, { path: [] })
    return found
  }
}

/** Selects the alternatives that no fixed property value excludes, as in a discriminated union. */
function selectByTag(resolve: References['resolve']): SelectBranches {
  return (branches, value) => {
    const open = branches.filter((branch) => !isExcluded(branch, value, resolve))
    return open.length > 0 ? open : branches
  }
}

function isExcluded(branch: unknown, value: unknown, resolve: References['resolve']): boolean {
  if (!isNode(value)) return false
  for (const node of requiredParts(branch, resolve)) {
    for (const [name, property] of Object.entries(isNode(node.properties) ? node.properties : {})) {
      if (Object.hasOwn(value, name) && isOther(property, value[name])) return true
    }
  }
  return false
}

/** Returns a schema and the schemas that always apply together with it. */
function requiredParts(branch: unknown, resolve: References['resolve']): Set<Node> {
  const parts = new Set<Node>(isNode(branch) ? [branch] : [])
  for (const node of parts) {
    const more = [node.$ref === undefined ? null : resolve(node), node.allOf].flat()
    for (const part of more) if (isNode(part)) parts.add(part)
  }
  return parts
}

/** Whether a property has fixed values that do not include the sent value. */
function isOther(property: unknown, sent: unknown): boolean {
  if (!isNode(property) || typeof sent !== 'string') return false
  const { const: fixed, enum: values } = property
  const all: unknown = fixed === undefined ? values : [fixed]
  return Array.isArray(all) && all.every((each) => typeof each === 'string' && each !== sent)
}
