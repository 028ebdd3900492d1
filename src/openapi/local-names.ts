import type { DescribedSchema, SchemaDefinition } from '../contracts/openapi.js'
import { referencesOf } from './map-schema.js'

/**
 * Names for the definitions of one schema, by their local name. A definition keeps the name that its author
 * gave. Otherwise its name comes from the closest named definition (`User_1`), else from the place where the
 * schema is used (`UsersCreateBody_1`).
 */
export function localNames(
  { schema, definitions }: DescribedSchema,
  place: string,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const taken = new Set<string>()
  const give = (local: string, wanted: string): void => {
    let name = wanted
    // The author may have given this name to another definition.
    while (taken.has(name)) name += '_'
    taken.add(name)
    names.set(local, name)
  }
  for (const { name, isNamed } of definitions) if (isNamed) give(name, name)
  /** Names the unnamed definitions that `from` refers to, directly or through other unnamed definitions. */
  const nameBelow = (from: SchemaDefinition['schema'], owner: string, count = { value: 0 }) => {
    for (const name of referencesOf(from)) {
      if (names.has(name)) continue
      count.value += 1
      give(name, `${owner}_${count.value}`)
      nameBelow(byName.get(name)?.schema ?? {}, owner, count)
    }
  }
  // A recursive schema without a name is its own only definition: it gets the name of the place.
  const root = [...referencesOf(schema)][0]
  if (schema.$ref !== undefined && root !== undefined && !names.has(root)) give(root, place)
  for (const { name, isNamed, schema: body } of definitions) if (isNamed) nameBelow(body, name)
  nameBelow(schema, place)
  nameBelow(byName.get(root ?? '')?.schema ?? {}, place)
  // Definitions that nothing refers to need a name, too.
  for (const { name } of definitions) if (!names.has(name)) give(name, `${place}_${name}`)
  return names
}
