import type { OpenApiSchema, SchemaSide } from '../contracts/openapi.js'
import { mapReferences, referencesOf } from './map-schema.js'

/** A definition of one side; its references are ids. */
export interface Definition {
  readonly name: string
  readonly side: SchemaSide
  readonly isNamed: boolean
  readonly schema: OpenApiSchema
}

/** Tells the two sides of one name apart. */
export function idOf(side: SchemaSide, name: string): string {
  return `${side}:${name}`
}

/**
 * The final name of every definition, by id. Where what is sent and what is received are the same, one name is
 * enough; else the response keeps it, because readers meet it first, and the request becomes `UserInput`.
 */
export function settleNames(
  definitions: ReadonlyMap<string, Definition>,
): ReadonlyMap<string, string> {
  const split = splitNames(definitions)
  const final = new Map<string, string>()
  const taken = new Set([...definitions.values()].map(({ name }) => name))
  for (const [id, { name, side }] of definitions) {
    const isInput = side === 'input' && split.has(name)
    final.set(id, isInput ? freeName(`${name}Input`, taken) : name)
  }
  return final
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}

/** Names whose two sides differ, in themselves or in something they refer to. */
function splitNames(definitions: ReadonlyMap<string, Definition>): ReadonlySet<string> {
  const nameOf = (id: string) => definitions.get(id)?.name ?? id
  const text = ({ schema }: Definition) => JSON.stringify(mapReferences(schema, nameOf))
  const pairs = [...definitions.values()].flatMap((input) => {
    const output = definitions.get(idOf('output', input.name))
    return input.side === 'input' && output !== undefined ? [{ input, output }] : []
  })
  const split = new Set(
    pairs
      .filter(({ input, output }) => text(input) !== text(output))
      .map(({ input }) => input.name),
  )
  // Whoever refers to a name with two meanings has two himself.
  for (let size = -1; size !== split.size; ) {
    size = split.size
    for (const { input } of pairs) {
      if ([...referencesOf(input.schema)].some((id) => split.has(nameOf(id)))) split.add(input.name)
    }
  }
  return split
}
