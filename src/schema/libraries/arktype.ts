import type { SchemaSide } from '../../contracts/openapi.js'
import { ABSENT_MARK, ANONYMOUS_MARK, isNode, type Node } from '../dialect/conversion.js'
import { BIGINT, DATE, DIGITS, ofClass, unknown } from './library-result.js'

/** The value that arktype passes to a fallback. `code` identifies the constraint that JSON Schema cannot express. */
interface FallbackContext {
  readonly code: string
  readonly base: Record<string, unknown>
  readonly domain?: string
  readonly proto?: unknown
  readonly unit?: unknown
  readonly out?: Record<string, unknown> | null
  readonly pattern?: string
}

type Convert = (side: SchemaSide, libraryOptions: object) => unknown

/** Describes a type from arktype 2.1.28 or later. `convert` calls the type's `~standard.jsonSchema`. */
export function describeArktype(convert: Convert, side: SchemaSide): unknown {
  const described = convert(side, {
    fallback: (context: FallbackContext) => describe(context, side),
  })
  if (side === 'output') {
    markMorphs(
      described,
      convert('input', { fallback: (context: FallbackContext) => describe(context, 'input') }),
    )
  }
  if (isNode(described) && isNode(described.$defs)) {
    for (const definition of Object.values(described.$defs)) {
      // The key comes from a process-wide counter, so it is different in each document.
      Object.assign(definition as object, { [ANONYMOUS_MARK]: true })
    }
  }
  return described
}

/**
 * Marks the results of morphs as losses, and copies the `visibleTo` marks of fields to them. Arktype describes the
 * result of a morph as `{}`, which is also its description of `unknown`. If the input side is not `{}` in the same
 * place, the type is a morph.
 */
function markMorphs(out: unknown, into: unknown): void {
  if (!isNode(out) || !isNode(into)) return
  // The result of a morph is visible to the same readers as its input.
  if (out['visibleTo'] === undefined && into['visibleTo'] !== undefined) {
    Object.assign(out, { visibleTo: into['visibleTo'] })
  }
  if (isAnything(out) && !isAnything(into)) Object.assign(out, unknown(MORPH))
  for (const key of ['items', 'additionalProperties']) markMorphs(out[key], into[key])
  for (const key of ['properties', '$defs']) {
    const [to, from] = [out[key], into[key]]
    if (!isNode(to) || !isNode(from)) continue
    for (const name of Object.keys(to)) markMorphs(to[name], from[name])
  }
}

function isAnything(schema: Node): boolean {
  return Object.keys(schema).every((key) => key === '$schema' || key === 'visibleTo')
}

function describe(context: FallbackContext, side: SchemaSide): Record<string, unknown> {
  const { code, base } = context
  switch (code) {
    case 'date':
      return { ...base, ...DATE }
    case 'domain':
      if (context.domain !== 'bigint') return { ...base, [ABSENT_MARK]: true }
      return { ...base, ...DIGITS, ...(side === 'output' && unknown(BIGINT)) }
    case 'unit':
      return { ...base, ...ofUnit(context.unit) }
    case 'proto':
      return { ...base, ...(ofClass(context.proto) ?? unknown(instanceOf(context.proto))) }
    case 'morph':
      return side === 'input' ? base : (context.out ?? unknown(MORPH))
    case 'patternIntersection':
      return {
        ...base,
        allOf: [...((base.allOf as unknown[]) ?? []), { pattern: context.pattern }],
      }
    // The document is also correct without a default or the predicate of a `narrow`, so this is not a loss.
    case 'predicate':
    case 'defaultValue':
      return base
    default:
      return { ...base, ...unknown(`arktype's ${code} cannot be expressed in a document.`) }
  }
}

const MORPH = 'The result type of a morph is unknown: add .to() with a type.'

function instanceOf(proto: unknown): string {
  const name = typeof proto === 'function' ? proto.name : String(proto)
  return `An instance of ${name} has no JSON representation: the document accepts any value.`
}

function ofUnit(unit: unknown): Record<string, unknown> {
  if (typeof unit === 'bigint') return { const: String(unit) }
  if (unit instanceof Date) return { const: unit.toJSON() }
  return { [ABSENT_MARK]: true }
}
