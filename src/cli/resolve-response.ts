import type { OpenApiDocument, OpenApiResponse, Reference } from '../contracts/openapi-3-0.js'
import { followReference, isReference } from './component-reference.js'

/**
 * A response, or the response that a reference points to. Returns an empty response when the reference points
 * to nothing.
 */
export function resolveResponse(
  response: OpenApiResponse | Reference,
  { components }: OpenApiDocument,
): OpenApiResponse {
  if (!isReference(response)) return response
  return followReference(response.$ref, 'responses', components?.responses) ?? { description: '' }
}
