import { isNode, type Node } from '../dialect/conversion.js'
import { ANY, type Choice, type Form, SCALAR, type Tag } from './form.js'
import type { FormReader } from './form-reader.js'
import { both, common, either } from './join-forms.js'

interface Branch {
  readonly schema: unknown
  readonly form: Form
}

/**
 * Reads a union. An object is compared only with the alternatives that allow objects, and a list with alternatives that
 * allow lists. The names of all alternatives that the value fits stay; of a value that fits none, only the names that
 * all alternatives have.
 */
export function chooseBranch(schemas: readonly unknown[], reader: FormReader): Form {
  const branches = schemas.map((schema) => ({ schema, form: reader.read(schema) }))
  const objects = branches.filter(({ form }) => form.object !== 'none')
  const lists = branches.filter(({ form }) => form.list !== 'none')
  const decided = decide(objects, lists)
  if (decided !== null) return decided
  const tag = findTag(objects, reader)
  return { ...ANY, choices: [{ tag, select }] }
  function select(plain: unknown): Form {
    if (Array.isArray(plain)) return fitting(lists, plain, reader)
    const tagged = tag && isNode(plain) && Object.hasOwn(plain, tag.name)
    return (tagged && tag.forms.get(plain[tag.name])) || fitting(objects, plain, reader)
  }
}

/** Returns the form of a union whose alternatives do not have to be compared with the value; else `null`. */
function decide(objects: readonly Branch[], lists: readonly Branch[]): Form | null {
  if (objects.length > 1 || lists.length > 1) return null
  const [object = SCALAR, list = SCALAR] = [objects[0]?.form, lists[0]?.form]
  if (object === list) return object
  const choices = [...object.choices, ...list.choices]
  const isClear = choices.length === 0 || object === SCALAR || list === SCALAR
  return isClear ? { object: object.object, list: list.list, choices } : null
}

function fitting(candidates: readonly Branch[], plain: unknown, { matches }: FormReader): Form {
  const [only, ...others] = candidates
  if (only === undefined) return SCALAR
  if (others.length === 0) return only.form
  const fit = candidates.filter(({ schema }) => matches(schema, plain)).map(({ form }) => form)
  return fit.length > 0 ? fit.reduce(either) : candidates.map(({ form }) => form).reduce(common)
}

/** Finds a property that has other fixed values in each alternative. It alone decides, as in a discriminated union. */
function findTag(branches: readonly Branch[], reader: FormReader): Tag | null {
  const [first, ...others] = branches.map(({ schema }) => fixedValues(schema, reader))
  for (const name of first?.keys() ?? []) {
    if (!others.every((values) => values.has(name))) continue
    const forms = new Map<unknown, Form>()
    const isDistinct = [first, ...others].every((values, at) =>
      (values?.get(name) ?? []).every((value) => {
        const isFree = !forms.has(value)
        forms.set(value, branches[at]?.form ?? ANY)
        return isFree
      }),
    )
    if (isDistinct) return { name, forms }
  }
  return null
}

/** The properties of a schema for which only some values are valid. */
function fixedValues(
  schema: unknown,
  { resolve }: FormReader,
): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>()
  const seen = new Set<unknown>()
  const open = [schema]
  while (open.length > 0) {
    const node = open.pop()
    if (!isNode(node) || seen.has(node)) continue
    seen.add(node)
    if (node.$ref !== undefined) open.push(resolve(node))
    if (Array.isArray(node.allOf)) open.push(...node.allOf)
    for (const [name, property] of Object.entries(isNode(node.properties) ? node.properties : {})) {
      const values = isNode(property) ? valuesOf(property) : null
      if (values !== null) found.set(name, values)
    }
  }
  return found
}

function valuesOf({ const: fixed, enum: values }: Node): readonly unknown[] | null {
  const all = fixed !== undefined ? [fixed] : Array.isArray(values) ? values : []
  return all.length > 0 && all.every((value) => typeof value !== 'object') ? all : null
}

/** Reads `if`, `then` and `else`. */
export function chooseByCondition(node: Node, { read, matches }: FormReader): Form {
  const { if: condition, then: yes, else: no } = node
  const select = (plain: unknown) =>
    matches(condition, plain) ? both(read(condition), read(yes)) : read(no)
  return choosing(select)
}

/** Reads `dependentSchemas`: each schema applies if the value has the property of its name. */
export function chooseByName(byName: Node, { read }: FormReader): Form {
  const select = (plain: unknown) =>
    Object.entries(byName)
      .filter(([name, schema]) => isNode(schema) && isNode(plain) && Object.hasOwn(plain, name))
      .map(([, schema]) => read(schema))
      .reduce(both, ANY)
  return choosing(select)
}

function choosing(select: Choice['select']): Form {
  return { ...ANY, choices: [{ select, tag: null }] }
}
