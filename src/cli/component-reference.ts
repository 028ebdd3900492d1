import type { OpenApiDocument, OpenApiResponse, Reference } from '../contracts/openapi-3-0.js'

type Kind = 'parameters' | 'requestBodies' | 'responses' | 'schemas'

/** Whether a part of a document is a reference to a component. */
export function isReference(part: object | undefined): part is Reference {
  return part !== undefined && '$ref' in part
}

/**
 * Returns the name of the component that a reference points to. The reference is a JSON Pointer in a URI fragment (RFC
 * 6901, sections 4 and 6): `%20` is a space, `~1` is `/`, `~0` is `~`.
 *
 * @example
 * componentName('#/components/schemas/a~1b', 'schemas') // 'a/b'
 */
export function componentName(ref: string, kind: Kind): string {
  const step = decode(ref.slice(`#/components/${kind}/`.length))
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // A `%` can be part of the name instead of an escape.
    return step
  }
}

/** Returns the component that a reference points to; `undefined` if there is no such component. */
export function followReference<T>(
  ref: string,
  kind: Kind,
  ofKind: Readonly<Record<string, T>> = {},
): T | undefined {
  const name = componentName(ref, kind)
  return Object.hasOwn(ofKind, name) ? ofKind[name] : undefined
}

/** Returns a response, following a reference. If the reference has no target, the response is empty. */
export function resolveResponse(
  response: OpenApiResponse | Reference,
  { components }: OpenApiDocument,
): OpenApiResponse {
  if (!isReference(response)) return response
  return followReference(response.$ref, 'responses', components?.responses) ?? { description: '' }
}
