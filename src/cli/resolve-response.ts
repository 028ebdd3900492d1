import type { OpenApiDocument, OpenApiResponse, Reference } from '../contracts/openapi.js'

/** A response itself, or what a reference to one stands for; an empty one where it leads nowhere. */
export function resolveResponse(
  response: OpenApiResponse | Reference,
  { components }: OpenApiDocument,
): OpenApiResponse {
  if (!('$ref' in response)) return response
  const name = response.$ref.replace('#/components/responses/', '')
  return components?.responses?.[name] ?? { description: '' }
}
