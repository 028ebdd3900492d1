import type { OpenApiDocument, OpenApiResponse, Reference } from '../contracts/openapi.js'

/**
 * A response, or the response that a reference points to. Returns an empty response when the reference points
 * to nothing.
 */
export function resolveResponse(
  response: OpenApiResponse | Reference,
  { components }: OpenApiDocument,
): OpenApiResponse {
  if (!('$ref' in response)) return response
  const name = response.$ref.replace('#/components/responses/', '')
  return components?.responses?.[name] ?? { description: '' }
}
