import type { OpenApiTag } from '../contracts/openapi.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'

/** The tag fields that were added in OpenAPI 3.2. */
const FIELDS = ['summary', 'parent', 'kind'] as const

type Tags = readonly OpenApiTag[]

/** The document options that the check reads. */
interface TaggedOptions {
  readonly tags?: Tags
  readonly openapi?: string
}

/**
 * Checks the tree of tags: each `parent` must be another tag in the list, and a tag must not be its own ancestor
 * (OpenAPI 3.2.0).
 */
export function checkTagTree(subject: string, { tags, openapi }: TaggedOptions): Problem[] {
  // `checkList` reports values that are not lists, and tags without a name.
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag?.name === 'string')) return []
  return (tags as Tags).flatMap((tag, index) => {
    const at = (field: string) => `${subject}[${index}].${field}`
    const given = FIELDS.filter((field) => tag[field] !== undefined)
    if (openapi !== '3.2') {
      const cause = `OpenAPI supports this field from version 3.2 on, but this document uses ${openapi ?? '3.0'}.`
      return given.map((field) => invalid(at(field), cause, "Set openapi: '3.2', or remove it."))
    }
    const wrong = given.filter((field) => typeof tag[field] !== 'string')
    if (wrong.length > 0) {
      return wrong.map((field) => invalid(at(field), 'It is not a string.', 'Pass a string.'))
    }
    return parentProblems(at('parent'), tag, tags)
  })
}

function parentProblems(subject: string, { name, parent }: Tags[number], tags: Tags): Problem[] {
  const parents = new Map(tags.map((tag) => [tag.name, tag.parent]))
  if (parent === undefined) return []
  if (!parents.has(parent)) {
    const cause = `No tag of this list has the name ${shown(parent)}.`
    return [invalid(subject, cause, `Add { name: ${shown(parent)} } to the list.`)]
  }
  const seen = new Set<string>()
  for (let each: string | undefined = parent; each !== undefined; each = parents.get(each)) {
    if (each === name) {
      return [invalid(subject, `The tag ${shown(name)} is its own ancestor.`, 'Remove the cycle.')]
    }
    if (seen.has(each)) return []
    seen.add(each)
  }
  return []
}
