import type {
  OpenApiDocument,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiTag,
} from '../../contracts/openapi-3-0.js'

/** An operation with its place in the API and on the page. */
export interface ListedOperation {
  readonly anchor: string
  readonly method: OpenApiMethod
  readonly path: string
  readonly operation: OpenApiOperation
  /** The security schemes that a request needs; empty if a request without credentials is allowed. */
  readonly schemes: readonly string[]
  /** The security schemes that a request may use, if a request without credentials is allowed, too. */
  readonly optionalSchemes: readonly string[]
}

/** A tag and its operations. */
export interface OperationGroup {
  readonly anchor: string
  readonly tag: OpenApiTag
  readonly operations: readonly ListedOperation[]
}

const UNTAGGED: OpenApiTag = { name: 'Other operations' }

/** Groups the operations by their first tag, in the order of the tags in the document. */
export function listOperations(document: OpenApiDocument): OperationGroup[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      listed(document, { method: method as OpenApiMethod, path, operation }),
    ),
  )
  const tags = new Map(document.tags.map((tag) => [tag.name, tag]))
  for (const { operation } of operations) {
    const name = operation.tags?.[0]
    if (name !== undefined && !tags.has(name)) tags.set(name, { name })
  }
  return [...tags.values(), UNTAGGED]
    .map((tag, i) => ({
      anchor: `tag-${i + 1}`,
      tag,
      operations: operations.filter(({ operation }) =>
        tag === UNTAGGED ? operation.tags?.[0] === undefined : operation.tags?.[0] === tag.name,
      ),
    }))
    .filter((group) => group.operations.length > 0)
}

/** Returns an HTML `id` for a part of the document, whose name may have any characters. */
export function anchorOf(kind: 'operation' | 'schema', name: string): string {
  return `${kind}-${name.replace(/[^\w.-]+/g, '-')}`
}

function listed(
  document: OpenApiDocument,
  place: Pick<ListedOperation, 'method' | 'path' | 'operation'>,
): ListedOperation {
  const { method, path, operation } = place
  const alternatives = operation.security ?? document.security ?? []
  const isOptional = alternatives.some((names) => Object.keys(names).length === 0)
  const named = [...new Set(alternatives.flatMap((names) => Object.keys(names)))]
  const anchor = anchorOf('operation', operation.operationId ?? `${method}${path}`)
  return {
    ...place,
    anchor,
    schemes: isOptional ? [] : named,
    optionalSchemes: isOptional ? named : [],
  }
}
