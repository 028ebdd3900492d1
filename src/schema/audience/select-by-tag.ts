import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import type { SelectBranches } from './views.js'

/** Selects the alternatives that no fixed value of a property excludes, as in a discriminated union. */
export function selectByTag(resolve: References['resolve']): SelectBranches {
  return (branches, value) => {
    const open = branches.filter((branch) => !isExcluded(branch, value, resolve))
    return open.length > 0 ? open : branches
  }
}

function isExcluded(branch: unknown, value: unknown, resolve: References['resolve']): boolean {
  if (!isNode(value)) return false
  for (const node of requiredParts(branch, resolve)) {
    for (const [name, property] of Object.entries(isNode(node.properties) ? node.properties : {})) {
      if (Object.hasOwn(value, name) && isOther(property, value[name])) return true
    }
  }
  return false
}

/** A schema and the schemas that always apply beside it. */
function requiredParts(branch: unknown, resolve: References['resolve']): Set<Node> {
  const parts = new Set<Node>(isNode(branch) ? [branch] : [])
  for (const node of parts) {
    const more = [node.$ref === undefined ? null : resolve(node), node.allOf].flat()
    for (const part of more) if (isNode(part)) parts.add(part)
  }
  return parts
}

/** Whether a property has fixed values, and the sent value is not among them. */
function isOther(property: unknown, sent: unknown): boolean {
  if (!isNode(property) || typeof sent !== 'string') return false
  const { const: fixed, enum: values } = property
  const all: unknown = fixed === undefined ? values : [fixed]
  return Array.isArray(all) && all.every((each) => typeof each === 'string' && each !== sent)
}
