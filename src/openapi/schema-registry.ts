import type {
  DescribedSchema,
  OpenApiSchema,
  SchemaDefinition,
  SchemaSide,
} from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { mapChildren } from '../schema/keywords.js'
import { checkMappings, hasDiscriminator, settleDiscriminators } from './discriminators.js'
import { COMPONENT, mapReferences, referencesOf } from './map-schema.js'
import { createReuse, type Definition, idOf, settleNames } from './settle-components.js'

const REMEDIES = {
  W_SCHEMA_NOT_REPRESENTABLE:
    'Use a schema that JSON Schema can express, or accept that the document is less exact than the validator here.',
  W_EXAMPLE_INVALID: 'Correct the value, or remove it from the schema.',
} as const

/** Converts a schema from any library to OpenAPI. */
export type DescribeSchema = (schema: Schema, side: SchemaSide) => DescribedSchema

/** A place where a schema is used. It determines the names of unnamed schemas, and warnings mention it. */
export interface SchemaUse {
  readonly schema: Schema
  readonly side: SchemaSide
  /**
   * Returns a name such as `UsersCreateBody`. It is a function because only unnamed definitions need the name, and most
   * schemas have no such definitions.
   */
  readonly name: () => string
  /** The place in warnings, such as `UsersController.create @Body`. */
  readonly subject: string
}

/** The schemas of a document, with their final references. */
export interface SettledSchemas {
  /**
   * Returns a schema that was added. The caller must copy the schema, because several documents can be built from it.
   */
  of(schema: Schema, side: SchemaSide): OpenApiSchema
  /** Whether any added schema refers to a definition. */
  readonly hasReferences: boolean
  /** Returns the component that a reference points to; any other schema is returned unchanged. */
  resolve(schema: OpenApiSchema): OpenApiSchema
  /** Returns the component with this name. */
  component(name: string): OpenApiSchema | undefined
}

/**
 * Collects the schemas of one document. Add all schemas before you call `settle`, because only then is it certain
 * whether the document needs `UserInput` in addition to `User`.
 */
export class SchemaRegistry {
  readonly problems: Problem[] = []
  readonly #describe: DescribeSchema
  readonly #added: Record<SchemaSide, Map<Schema, OpenApiSchema>> = {
    input: new Map(),
    output: new Map(),
  }
  readonly #definitions: Map<string, Definition> = new Map()
  #hasOwnDefinitions = false

  /** @param reserved The framework's own components, by name. */
  constructor(describe: DescribeSchema, reserved: Readonly<Record<string, OpenApiSchema>>) {
    this.#describe = describe
    for (const [name, schema] of Object.entries(reserved)) {
      for (const side of ['input', 'output'] as const) {
        const body = mapReferences(schema, (to) => idOf(side, to))
        // `isNamed` is false, because an author's schema that is equal by chance must not become a reference to this
        // component.
        this.#definitions.set(idOf(side, name), { name, side, isNamed: false, schema: body })
      }
    }
  }

  /** Adds a schema. Adding the same schema again has no effect. */
  add(use: SchemaUse): void {
    const added = this.#added[use.side]
    if (added.has(use.schema)) return
    const described = checkMappings(this.#describe(use.schema, use.side))
    if (described.definitions.length > 0) this.#define(described, use)
    else added.set(use.schema, described.schema)
    this.#report(described, use)
  }

  /** Adds a schema that refers to definitions, and adds these definitions. */
  #define(described: DescribedSchema, use: SchemaUse): void {
    this.#hasOwnDefinitions = true
    const names = this.#assignNames(described, use)
    const toId = (local: string) => idOf(use.side, names.get(local) ?? local)
    for (const { name: local, isNamed, schema } of described.definitions) {
      const name = names.get(local) as string
      const body = mapReferences(schema, toId)
      this.#definitions.set(toId(local), { name, side: use.side, isNamed, schema: body })
    }
    this.#added[use.side].set(use.schema, mapReferences(described.schema, toId))
  }

  /** Determines the final names, and returns the schemas. No schema can be added after this call. */
  settle(): SettledSchemas {
    const final = settleNames(this.#definitions)
    const rename = (id: string) => final.get(id) ?? id
    const plain = new Map<string, OpenApiSchema>()
    const named = new Map<string, OpenApiSchema>()
    for (const [id, { schema, isNamed }] of this.#definitions) {
      const body = mapReferences(schema, rename)
      plain.set(rename(id), body)
      if (isNamed) named.set(rename(id), body)
    }
    const reuse = createReuse(named)
    const components = new Map(
      [...plain].map(([name, schema]) => [name, mapChildren(schema, (child) => reuse(child))]),
    )
    const resolve: SettledSchemas['resolve'] = (schema) =>
      schema.$ref === undefined
        ? schema
        : (components.get(schema.$ref.slice(COMPONENT.length)) ?? {})
    for (const [name, schema] of components) {
      components.set(name, settleDiscriminators(schema, { resolve }))
    }
    const hasReferences = this.#hasOwnDefinitions
    const settled = new Map<OpenApiSchema, OpenApiSchema>()
    return {
      hasReferences,
      of: (schema, side) => {
        const added = this.#added[side].get(schema) as OpenApiSchema
        if (!hasReferences && !hasDiscriminator(added)) return added
        const known =
          settled.get(added) ??
          settleDiscriminators(reuse(mapReferences(added, rename)), { resolve })
        settled.set(added, known)
        return known
      },
      resolve,
      component: (name) => components.get(name),
    }
  }

  /**
   * Returns the names for the definitions of a schema. If another definition already has the same name, the name of the
   * place is prepended.
   */
  #assignNames(described: DescribedSchema, use: SchemaUse): ReadonlyMap<string, string> {
    const place = use.name()
    const names = new Map(localNames(described, place))
    const toId = (local: string) => idOf(use.side, names.get(local) ?? local)
    const isTaken = ({ name: local, schema }: SchemaDefinition) => {
      const known = this.#definitions.get(toId(local))?.schema
      return (
        known !== undefined && JSON.stringify(known) !== JSON.stringify(mapReferences(schema, toId))
      )
    }
    // A new name changes the references to the definition, so the definitions that refer to it also change. All of them
    // are checked again after each change.
    for (;;) {
      const taken = described.definitions.find(isTaken)
      if (taken === undefined) return names
      const name = names.get(taken.name) as string
      if (taken.isNamed && name === taken.name) this.#reportTaken(name, use)
      names.set(taken.name, `${place}_${name}`)
    }
  }

  #reportTaken(name: string, { subject }: SchemaUse): void {
    this.problems.push({
      code: 'W_SCHEMA_NAME_TAKEN',
      subject,
      cause: `Its schema is called '${name}', but another schema already has this name.`,
      remedy:
        'Rename one of the schemas. Until then, the document prefixes the name of this schema with its place.',
    })
  }

  #report({ losses }: DescribedSchema, { subject }: SchemaUse): void {
    for (const { path, cause, code = 'W_SCHEMA_NOT_REPRESENTABLE' } of losses) {
      const place = path === '' ? subject : `${subject} at '${path}'`
      this.problems.push({ code, subject: place, cause, remedy: REMEDIES[code] })
    }
  }
}

/**
 * Returns the names for the definitions of one schema, by their local name. A definition keeps the name that its author
 * assigned. Otherwise, its name is derived from the named definition that refers to it (`User_1`). If there is none,
 * its name is derived from the place where the schema is used (`UsersCreateBody_1`).
 */
function localNames(
  { schema, definitions }: DescribedSchema,
  place: string,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const taken = new Set<string>()
  const give = (local: string, wanted: string): void => {
    let name = wanted
    // The author may have assigned this name to another definition.
    while (taken.has(name)) name += '_'
    taken.add(name)
    names.set(local, name)
  }
  for (const { name, isNamed } of definitions) if (isNamed) give(name, name)
  /** Assigns names to the unnamed definitions to which `from` refers, directly or through other unnamed definitions. */
  const nameBelow = (from: SchemaDefinition['schema'], owner: string, count = { value: 0 }) => {
    for (const name of referencesOf(from)) {
      if (names.has(name)) continue
      count.value += 1
      give(name, `${owner}_${count.value}`)
      nameBelow(byName.get(name)?.schema ?? {}, owner, count)
    }
  }
  // A recursive schema without a name is its only definition, so it receives the name of the place.
  const root = [...referencesOf(schema)][0]
  if (schema.$ref !== undefined && root !== undefined && !names.has(root)) give(root, place)
  for (const { name, isNamed, schema: body } of definitions) if (isNamed) nameBelow(body, name)
  nameBelow(schema, place)
  nameBelow(byName.get(root ?? '')?.schema ?? {}, place)
  // Unreferenced definitions also need a name.
  for (const { name } of definitions) if (!names.has(name)) give(name, `${place}_${name}`)
  return names
}
