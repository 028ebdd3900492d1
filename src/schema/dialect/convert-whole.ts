import type { DescribedSchema, SchemaDefinition } from '../../contracts/openapi.js'
import { annotationsOf } from './annotations.js'
import {
  ABSENT_MARK,
  type Conversion,
  type Dialect,
  isNode,
  LOSS_MARK,
  Losses,
  NEVER,
  type Node,
} from './conversion.js'
import { createDefinitions, isEmptyCycle } from './definitions.js'
import { type References, readReferences } from './references.js'

/** Converts a JSON Schema with all its references. Named and recursive schemas become definitions. */
export function convertWhole<S>(root: unknown, dialect: Dialect<S>): DescribedSchema<S> {
  const whole = { references: readReferences(root), dialect, inexact: new Set<Node>() }
  // A loss in a definition counts for all schemas that refer to it, including schemas inside the definition itself. The
  // conversion is therefore repeated until it finds no new definition with losses.
  for (;;) {
    const known = whole.inexact.size
    const described = convertOnce(root, whole)
    if (whole.inexact.size === known) return described
  }
}

interface Whole<S> {
  readonly references: References
  readonly dialect: Dialect<S>
  /** The definitions with losses. */
  readonly inexact: Set<Node>
}

function convertOnce<S>(root: unknown, whole: Whole<S>): DescribedSchema<S> {
  const { references, dialect, inexact } = whole
  const losses = new Losses()
  const { add: lose, count: countLosses } = losses
  const definitions = createDefinitions(references, dialect)
  const convert = (schema: unknown, path: string): S => {
    if (schema === true) return dialect.of({})
    if (schema === false) return dialect.of(NEVER)
    if (!isNode(schema)) {
      lose(path, 'There is no schema here: the document accepts any value.')
      return dialect.of({})
    }
    const before = countLosses()
    const body = (): S => convertBody(schema, path, { conversion, whole })
    const reference = definitions.refer(schema, body)
    if (reference === null) return body()
    if (countLosses() > before) inexact.add(schema)
    else if (inexact.has(schema)) losses.repeat()
    return reference
  }
  const follow = (node: Node, path: string): S[] => referred(node, path, { conversion, whole })
  const conversion: Conversion<S> = { convert, lose, countLosses, follow }
  const schema = convert(root, '')
  const all = withoutCircles(definitions.all(), conversion, dialect)
  return { schema, definitions: all, losses: losses.all }
}

interface ConversionContext<S> {
  readonly conversion: Conversion<S>
  readonly whole: Whole<S>
}

function convertBody<S>(node: Node, path: string, { conversion, whole }: ConversionContext<S>): S {
  const { lose } = conversion
  const { dialect, references } = whole
  const mark = node[LOSS_MARK]
  if (typeof mark === 'string') lose(path, mark)
  // At the root, an absent value means that there is no body, which a schema cannot express.
  if (node[ABSENT_MARK] === true) return dialect.of(path === '' ? {} : NEVER)
  if (!references.isBareUnion(node)) return dialect.write(node, path, conversion)
  if (!isAnyJson(node)) lose(path, BARE_UNION)
  return dialect.of(annotationsOf(node))
}

const BARE_UNION =
  'Generated clients have no type for a union that contains itself in lists or records, so the document accepts any value. Put the inner union into an object with properties.'

/** Whether a union accepts any JSON, like `z.json()`: it has an unconditional branch for every type. */
function isAnyJson({ anyOf }: Node): boolean {
  const types = new Set<unknown>(['string', 'number', 'boolean', 'null', 'array', 'object'])
  for (const branch of Array.isArray(anyOf) ? anyOf : []) {
    if (!isNode(branch)) continue
    const { type, items, additionalProperties, propertyNames, ...others } = branch
    if (Object.keys(others).length > 0) continue
    for (const name of Array.isArray(type) ? type : [type]) types.delete(name)
  }
  return types.size === 0
}

function referred<S>(node: Node, path: string, { conversion, whole }: ConversionContext<S>): S[] {
  const { $ref, $dynamicRef = node.$recursiveRef } = node
  if ($dynamicRef !== undefined) {
    conversion.lose(path, `The dynamic reference ${String($dynamicRef)} cannot be followed.`)
  }
  if ($ref === undefined) return []
  const target = whole.references.resolve(node)
  if (target !== undefined) return [conversion.convert(target, path)]
  conversion.lose(
    path,
    `The reference ${String($ref)} cannot be resolved: the document accepts any value.`,
  )
  return []
}

/**
 * Replaces a definition with `{}` if it leads back to itself through only references and combinations. Checking a value
 * against such a definition would never end.
 */
function withoutCircles<S>(
  definitions: readonly SchemaDefinition<S>[],
  { lose }: Conversion<S>,
  { of }: Dialect<S>,
): SchemaDefinition<S>[] {
  const schemas = new Map(definitions.map(({ name, schema }) => [name, schema]))
  return definitions.map((definition) => {
    if (!isEmptyCycle(definition.name, schemas)) return definition
    lose(
      '',
      `The schema ${definition.name} refers to itself without a property or an item in between: the document accepts any value.`,
    )
    return { ...definition, schema: of({}) }
  })
}
