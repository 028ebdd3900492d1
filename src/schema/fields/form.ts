/**
 * The names of a value's parts, according to its schema. The framework compares the fields of a response with these
 * names. The types, bounds and patterns of values are not included.
 */
export interface Form {
  /**
   * The form for an object. `'any'`: the schema names no properties, so all properties are allowed. `'none'`: objects
   * are not allowed.
   */
  readonly object: ObjectForm | 'any' | 'none'
  /** The form for a list. `'any'` and `'none'` have the same meaning as for an object. */
  readonly list: ListForm | 'any' | 'none'
  /** The unions and conditions, which add names depending on the value. */
  readonly choices: readonly Choice[]
}

/** A form that is computed at its first use, because a schema can contain itself. */
export type Lazy = () => Form

export interface ObjectForm {
  readonly names: ReadonlyMap<string, Lazy>
  /**
   * Returns the form of a property that is not in `names`; `null` if the property is not allowed. The function is
   * `null` if all such properties are forbidden.
   */
  readonly rest: ((name: string) => Lazy | null) | null
}

export interface ListForm {
  /** The forms of the first items, by position. */
  readonly first: readonly Lazy[]
  /** The form of all other items; `null` if they are not allowed. */
  readonly rest: Lazy | null
}

export interface Choice {
  /** Returns the form that applies to a value. */
  readonly select: (plain: unknown) => Form
  /** The discriminating property; `null` if there is none. */
  readonly tag: Tag | null
}

export interface Tag {
  readonly name: string
  readonly forms: ReadonlyMap<unknown, Form>
}

/** The form of a schema that does not describe the parts of a value. */
export const ANY: Form = { object: 'any', list: 'any', choices: [] }

/** The form of a schema that allows neither objects nor lists. */
export const SCALAR: Form = { object: 'none', list: 'none', choices: [] }

export const anything: Lazy = () => ANY

/** Whether this form keeps all parts of a value. */
export function isAny({ object, list, choices }: Form): boolean {
  return object === 'any' && list === 'any' && choices.length === 0
}

/** Returns the form of an item; `null` if it is not allowed. */
export function formOfItem({ first, rest }: ListForm, index: number): Form | null {
  return (first[index] ?? rest)?.() ?? null
}

/** Wraps a form so that it is computed only once. */
export function once(make: Lazy): Lazy {
  let made: Form | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The merge rule for two forms. */
interface Rule {
  /** Whether a part is kept if only one of the forms names it. */
  readonly keepsSingle: boolean
  /** Whether a form without names, which allows all parts, overrides a form with names. */
  readonly anyWins: boolean
  /** Whether a form that allows no object, or no list, overrides the other form. */
  readonly noneWins: boolean
  /** Joins the forms of a part that both forms name. */
  readonly join: (a: Form, b: Form) => Form
}

/** The form for a value to which both schemas apply (`allOf`): a part is kept if either form names it. */
export const both: (a: Form, b: Form) => Form = remembered((a, b) => {
  const rule = { keepsSingle: true, anyWins: false, noneWins: true, join: both }
  return { ...joinParts(a, b, rule), choices: [...a.choices, ...b.choices] }
})

/** The form for a value that matches both alternatives: a part is kept if either form names it. */
export const either: (a: Form, b: Form) => Form = remembered((a, b) => {
  if (isChoosing(a, b)) return later((plain) => either(resolve(a, plain), resolve(b, plain)))
  const rule = { keepsSingle: true, anyWins: true, noneWins: false, join: either }
  return { ...joinParts(a, b, rule), choices: [] }
})

/** The form for a value that matches neither alternative: a part is kept if both forms name it. */
export const common: (a: Form, b: Form) => Form = remembered((a, b) => {
  if (isChoosing(a, b)) return later((plain) => common(resolve(a, plain), resolve(b, plain)))
  const rule = { keepsSingle: false, anyWins: false, noneWins: true, join: common }
  return { ...joinParts(a, b, rule), choices: [] }
})

/** Returns the form of one value, with all choices resolved. */
export function resolve(form: Form, plain: unknown): Form {
  if (form.choices.length === 0) return form
  return form.choices
    .map((choice) => resolve(choice.select(plain), plain))
    .reduce(both, withoutChoices(form))
}

const bases = new WeakMap<Form, Form>()

/** Returns a form without its choices, which depend on the value. */
export function withoutChoices(form: Form): Form {
  const { object, list } = form
  const base = bases.get(form) ?? { object, list, choices: [] }
  bases.set(form, base)
  return base
}

function isChoosing(a: Form, b: Form): boolean {
  return a.choices.length + b.choices.length > 0
}

function later(select: Choice['select']): Form {
  return { ...ANY, choices: [{ select, tag: null }] }
}

function joinParts(a: Form, b: Form, rule: Rule): Pick<Form, 'object' | 'list'> {
  return {
    object: joinKind(a.object, b.object, { rule, join: joinObjects }),
    list: joinKind(a.list, b.list, { rule, join: joinLists }),
  }
}

type Kind<T> = T | 'any' | 'none'

function joinKind<T extends ObjectForm | ListForm>(
  a: Kind<T>,
  b: Kind<T>,
  { rule, join }: { readonly rule: Rule; readonly join: (a: T, b: T, rule: Rule) => T },
): Kind<T> {
  if (a === 'none') return rule.noneWins ? a : b
  if (b === 'none') return rule.noneWins ? b : a
  if (a === 'any') return rule.anyWins ? a : b
  if (b === 'any') return rule.anyWins ? b : a
  return join(a, b, rule)
}

function joinObjects(a: ObjectForm, b: ObjectForm, rule: Rule): ObjectForm {
  const names = new Map<string, Lazy>()
  for (const name of new Set([...a.names.keys(), ...b.names.keys()])) {
    const item = joinLazy(lazyProperty(a, name), lazyProperty(b, name), rule)
    if (item !== null) names.set(name, item)
  }
  const [first, second] = [a.rest, b.rest]
  if (first === null || second === null) {
    return { names, rest: rule.keepsSingle ? (first ?? second) : null }
  }
  return { names, rest: (name) => joinLazy(first(name), second(name), rule) }
}

/**
 * Returns the form of a property. It is computed later, because an inner schema can refer to a schema that is still
 * being read.
 */
function lazyProperty({ names, rest }: ObjectForm, name: string): Lazy | null {
  return names.get(name) ?? rest?.(name) ?? null
}

function joinLists(a: ListForm, b: ListForm, rule: Rule): ListForm {
  const length = Math.max(a.first.length, b.first.length)
  const first: Lazy[] = []
  for (let index = 0; index < length; index++) {
    const item = joinLazy(a.first[index] ?? a.rest, b.first[index] ?? b.rest, rule)
    if (item === null) return { first, rest: null }
    first.push(item)
  }
  return { first, rest: joinLazy(a.rest, b.rest, rule) }
}

function joinLazy(a: Lazy | null, b: Lazy | null, rule: Rule): Lazy | null {
  if (a === null || b === null) return rule.keepsSingle ? (a ?? b) : null
  return once(() => rule.join(a(), b()))
}

/**
 * The maximum number of cached results. The values determine which alternatives are joined, and ten alternatives have a
 * thousand combinations.
 */
const MOST = 5000

function remembered(join: (a: Form, b: Form) => Form): (a: Form, b: Form) => Form {
  let known = new WeakMap<Form, WeakMap<Form, Form>>()
  let size = 0
  return (a, b) => {
    if (a === b) return a
    const found = known.get(a)?.get(b)
    if (found !== undefined) return found
    const joined = join(a, b)
    if (size++ === MOST) [known, size] = [new WeakMap(), 1]
    const withA = known.get(a) ?? new WeakMap<Form, Form>()
    known.set(a, withA.set(b, joined))
    return joined
  }
}
