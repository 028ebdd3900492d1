/**
 * The names that a schema gives to the parts of a value: everything that the fields of a response are compared with.
 * Types, bounds and patterns of values are left out.
 */
export interface Form {
  /** For an object. `'any'`: the schema names no properties, so all may be there. `'none'`: no object may be here. */
  readonly object: ObjectForm | 'any' | 'none'
  /** For a list. */
  readonly list: ListForm | 'any' | 'none'
  /** Unions and conditions: they add names that depend on the value. */
  readonly choices: readonly Choice[]
}

/** A form that is computed when a value first needs it, so that a schema may contain itself. */
export type Lazy = () => Form

export interface ObjectForm {
  readonly names: ReadonlyMap<string, Lazy>
  /** Returns the form of a property that `names` lacks, `null` if it may not be there; `null` if none may. */
  readonly rest: ((name: string) => Lazy | null) | null
}

export interface ListForm {
  /** The forms of the first items, by position. */
  readonly first: readonly Lazy[]
  /** The form of all other items; `null` if there may be none. */
  readonly rest: Lazy | null
}

export interface Choice {
  /** Returns the form that applies to a value. */
  readonly select: (plain: unknown) => Form
  /** A property whose value alone decides; `null` if there is none. */
  readonly tag: Tag | null
}

export interface Tag {
  readonly name: string
  readonly forms: ReadonlyMap<unknown, Form>
}

/** The schema does not describe the parts of a value. */
export const ANY: Form = { object: 'any', list: 'any', choices: [] }

/** Neither an object nor a list. */
export const SCALAR: Form = { object: 'none', list: 'none', choices: [] }

export const anything: Lazy = () => ANY

/** Whether a value of this form stays as it is. */
export function isAny({ object, list, choices }: Form): boolean {
  return object === 'any' && list === 'any' && choices.length === 0
}

/** Returns the form of an item; `null` if it may not be there. */
export function formOfItem({ first, rest }: ListForm, index: number): Form | null {
  return (first[index] ?? rest)?.() ?? null
}

/** Computes a form once. */
export function once(make: Lazy): Lazy {
  let made: Form | undefined
  return () => {
    made ??= make()
    return made
  }
}
