import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { markOf } from '../visibility/marks.js'
import { isNode, type Node, toJsonValue } from './conversion.js'
import { referenceTo, toComponentName } from './definitions.js'

const WORDS = new Set(
  `title description default example examples deprecated readOnly writeOnly externalDocs discriminator visibleTo`.split(
    ' ',
  ),
)

/** Converts the keywords that describe a value without constraining it. */
export function annotationsOf(node: Node): OpenApiSchema {
  if (!isAnnotated(node)) return {}
  const { title, description, deprecated, readOnly, writeOnly } = node
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...given('default', node.default),
    ...given('example', Array.isArray(node.examples) ? node.examples[0] : node.example),
    ...(deprecated === true && { deprecated }),
    ...(readOnly === true && { readOnly }),
    ...(writeOnly === true && { writeOnly }),
    ...documentation(node),
    ...discriminator(node),
    ...extensions(node),
    ...visibility(node),
  }
}

/** Whether a schema has annotations. Most schemas have none, so the conversion of annotations is skipped for them. */
function isAnnotated(node: Node): boolean {
  for (const keyword in node) if (WORDS.has(keyword) || keyword.startsWith('x-')) return true
  return false
}

function given(key: string, value: unknown): OpenApiSchema {
  const json = toJsonValue(value)
  return json === undefined ? {} : { [key]: json }
}

function documentation({ externalDocs }: Node): OpenApiSchema {
  if (!isNode(externalDocs) || typeof externalDocs.url !== 'string') return {}
  const { url, description } = externalDocs
  return {
    externalDocs: typeof description === 'string' ? { url, description } : { url },
  }
}

/**
 * Converts the targets of `mapping`, which are names or references to definitions, to component references. The
 * document omits targets without a component.
 */
function discriminator({ discriminator: value }: Node): OpenApiSchema {
  if (!isNode(value) || typeof value.propertyName !== 'string') return {}
  const { propertyName } = value
  const entries = Object.entries(isNode(value.mapping) ? value.mapping : {}).flatMap(
    ([text, target]) => (typeof target === 'string' ? [[text, referenceOf(target)]] : []),
  )
  const mapping = entries.length > 0 && { mapping: Object.fromEntries(entries) }
  return { discriminator: { propertyName, ...mapping } }
}

function referenceOf(target: string): string {
  const name = target.startsWith('#') ? target.slice(target.lastIndexOf('/') + 1) : target
  return referenceTo(toComponentName(name))
}

/** Converts the mark of a field: the abilities that a caller must have to see the field. */
function visibility(node: Node): OpenApiSchema {
  const mark = markOf(node)
  return mark === null ? {} : { 'x-visible-to': mark }
}

function extensions(node: Node): OpenApiSchema {
  const own = Object.entries(node).filter(([key]) => key.startsWith('x-'))
  const json = own.map(([key, value]) => [key, toJsonValue(value)])
  return Object.fromEntries(json.filter(([, value]) => value !== undefined))
}
