import type { Request } from '../contracts/handler.js'

const kKeyId = Symbol('blazon.keyId')

/**
 * Notes the id of the key with which a guard has accepted a request. Limits with `by: 'key'` count the request by it.
 * The id must not be secret, because stores of rate limits and logs receive it. Every guard may call it; `apiKeys`
 * does.
 *
 * @example
 * if (known !== undefined) setKeyId(req, known.id)
 */
export function setKeyId(req: Request, id: string): void {
  const keyed = req as { [kKeyId]?: string }
  keyed[kKeyId] = id
}

/** Replaces the id of a key, also by none. Returns the one from before. */
export function replaceKeyId(req: Request, id: string | undefined): string | undefined {
  const before = keyIdOf(req)
  const keyed = req as { [kKeyId]?: string | undefined }
  // Most requests have none, and writing `undefined` would create the field.
  if (before !== id) keyed[kKeyId] = id
  return before
}

/** Returns the id that a guard has noted by {@link setKeyId}; `undefined` if there is none. */
export function keyIdOf(req: Request): string | undefined {
  return (req as { readonly [kKeyId]?: string })[kKeyId]
}
