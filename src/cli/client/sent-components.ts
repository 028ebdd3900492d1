import type { OpenApiDocument } from '../../contracts/openapi-3-0.js'
import { componentName } from '../component-reference.js'
import type { ClientOperation } from './client-operation.js'

/** The keys of the schemas that bodies of requests contain, in parts of parts, too. */
export function sentComponents(
  { components }: OpenApiDocument,
  operations: readonly ClientOperation[],
): ReadonlySet<string> {
  const schemas: Readonly<Record<string, unknown>> = components?.schemas ?? {}
  const sent = new Set(operations.flatMap(({ operation }) => namesIn(operation.requestBody)))
  // The set grows while it is read.
  for (const name of sent) for (const part of namesIn(schemas[name])) sent.add(part)
  return sent
}

/** The schemas to which a part of the document refers. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { $ref } = value as { readonly $ref?: unknown }
  if (typeof $ref === 'string') return [componentName($ref, 'schemas')]
  return Object.values(value).flatMap(namesIn)
}
