import type {
  DescribedSchema,
  OpenApiSchema,
  SchemaDefinition,
  SchemaLoss,
} from '../../contracts/openapi.js'
import { annotationsOf } from './annotations.js'
import { combinations } from './combination.js'
import { combine } from './combine.js'
import { ABSENT_MARK, type Conversion, isNode, LOSS_MARK, NEVER, type Node } from './conversion.js'
import { createDefinitions, isEmptyCycle } from './definitions.js'
import { type References, readReferences } from './references.js'
import { type Survey, surveySchema } from './survey.js'
import { typedSchema } from './typed-schema.js'

/**
 * Converts JSON Schema, 2020-12 or a draft from 07 on, to the dialect of OpenAPI 3.0.3.
 *
 * @param survey The survey of the same schema. Default: computed here.
 */
export function toOpenApiSchema(
  root: unknown,
  survey: Survey = surveySchema(root),
): DescribedSchema {
  if (survey.isPlain) return convertPlain(root, survey)
  const references = readReferences(root)
  const inexact = new Set<Node>()
  // A loss in a definition counts for all schemas that refer to it, also from inside the definition itself.
  // So the conversion repeats until it finds no new definition with losses.
  for (;;) {
    const known = inexact.size
    const described = convertWhole(root, references, inexact)
    if (inexact.size === known) return described
  }
}

/** Converts a plain schema, faster than {@link convertWhole} and with the same result. */
function convertPlain(root: unknown, { isAnnotated }: Survey): DescribedSchema {
  const losses = new Losses()
  const convert: Conversion['convert'] = (schema, path) => {
    if (schema === true) return {}
    if (schema === false) return NEVER
    const node = schema as Node
    const typed = typedSchema(node, path, conversion)
    return isAnnotated ? combine(annotationsOf(node), [typed]) : typed
  }
  const conversion = { convert, lose: losses.add, countLosses: () => losses.count }
  return { schema: convert(root, ''), definitions: [], losses: losses.all }
}

/** The losses of a conversion, without duplicates. */
class Losses {
  readonly #found = new Map<string, SchemaLoss>()
  count = 0

  readonly add: Conversion['lose'] = (path, cause) => {
    this.count++
    this.#found.set(`${path}\n${cause}`, { path, cause })
  }

  get all(): SchemaLoss[] {
    return [...this.#found.values()]
  }
}

function convertWhole(root: unknown, references: References, inexact: Set<Node>): DescribedSchema {
  const losses = new Losses()
  const lose = losses.add
  const definitions = createDefinitions(references)
  const convert: Conversion['convert'] = (schema, path) => {
    if (schema === true) return {}
    if (schema === false) return NEVER
    if (!isNode(schema)) {
      lose(path, 'There is no schema here: the document accepts anything.')
      return {}
    }
    const before = losses.count
    const body = (): OpenApiSchema => convertBody(schema, path, conversion)
    const reference = definitions.refer(schema, body)
    if (reference === null) return body()
    if (losses.count > before) inexact.add(schema)
    else if (inexact.has(schema)) losses.count++
    return reference
  }
  const conversion = { convert, lose, countLosses: () => losses.count, references }
  const schema = convert(root, '')
  const all = withoutCircles(definitions.all(), lose)
  return { schema, definitions: all, losses: losses.all }
}

type WholeConversion = Conversion & { readonly references: References }

function convertBody(node: Node, path: string, conversion: WholeConversion): OpenApiSchema {
  const { lose, references } = conversion
  const mark = node[LOSS_MARK]
  if (typeof mark === 'string') lose(path, mark)
  // At the root, an absent value means that there is no body. A schema cannot express that.
  if (node[ABSENT_MARK] === true) return path === '' ? {} : NEVER
  const annotations = annotationsOf(node)
  if (references.isBareUnion(node)) {
    if (!isAnyJson(node)) lose(path, BARE_UNION)
    return annotations
  }
  const own = withoutUnevaluated(node, path, conversion)
  const parts = referred(node, path, conversion)
  parts.push(typedSchema(own, path, conversion), ...combinations(own, path, conversion))
  return combine(annotations, parts)
}

const BARE_UNION =
  'A union that contains itself in lists or records has no type in clients: the document accepts anything. Put an object with properties in between.'

/** Whether a union accepts any JSON, like `z.json()`: it has a branch without conditions for every type. */
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

function referred(node: Node, path: string, conversion: WholeConversion): OpenApiSchema[] {
  const { $ref, $dynamicRef = node.$recursiveRef } = node
  if ($dynamicRef !== undefined) {
    conversion.lose(path, `The dynamic reference ${String($dynamicRef)} cannot be followed.`)
  }
  if ($ref === undefined) return []
  const target = conversion.references.resolve(node)
  if (target !== undefined) return [conversion.convert(target, path)]
  conversion.lose(
    path,
    `The reference ${String($ref)} leads nowhere: the document accepts anything.`,
  )
  return []
}

const APPLICATORS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'contains']

/**
 * Drops `unevaluatedItems` and `unevaluatedProperties` if other keywords may evaluate items or properties.
 * Otherwise they stay, because then they mean the same as `items` and `additionalProperties`.
 */
function withoutUnevaluated(node: Node, path: string, { lose }: Conversion): Node {
  if (node.unevaluatedItems === undefined && node.unevaluatedProperties === undefined) return node
  if (!APPLICATORS.some((keyword) => node[keyword] !== undefined)) return node
  const { unevaluatedItems, unevaluatedProperties: _, ...others } = node
  const keyword = unevaluatedItems === undefined ? 'unevaluatedProperties' : 'unevaluatedItems'
  lose(path, `'${keyword}' is not in the document: OpenAPI 3.0 cannot express it.`)
  return others
}

/**
 * Replaces definitions that lead only back to themselves by `{}`: they constrain nothing, and checking a
 * value against them never ends.
 */
function withoutCircles(
  definitions: readonly SchemaDefinition[],
  lose: Conversion['lose'],
): SchemaDefinition[] {
  const schemas = new Map(definitions.map(({ name, schema }) => [name, schema]))
  return definitions.map((definition) => {
    if (!isEmptyCycle(definition.name, schemas)) return definition
    lose('', `The schema ${definition.name} refers to itself only: the document accepts anything.`)
    return { ...definition, schema: {} }
  })
}
