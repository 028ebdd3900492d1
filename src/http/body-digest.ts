import { createHash } from 'node:crypto'
import type { Request } from '../contracts/handler.js'

const digests = new WeakMap<Request, string>()

/**
 * Computes the digest of the body after parsing and before validation, because schemas can add random or time-dependent
 * values, which differ each time a request is repeated. Call this function before the body is read.
 */
export function noteBody(req: Request): void {
  if (req.body !== undefined) return void digests.set(req, digestOf(req.body))
  const own = Object.getOwnPropertyDescriptor(req, 'body')
  Object.defineProperty(req, 'body', {
    configurable: true,
    enumerable: true,
    get: () => undefined,
    set(body: unknown) {
      const value = { configurable: true, enumerable: true, writable: true, value: body }
      Object.defineProperty(req, 'body', own === undefined ? value : { ...own, value: body })
      digests.set(req, digestOf(body))
    },
  })
}

/** The digest of the URL and the body of a request. If the handler itself reads the body, the body is not included. */
export function fingerprintOf(req: Request): string {
  return sha256(`${req.originalUrl}\n${digests.get(req) ?? ''}`)
}

/** The digest of a parsed body. */
export function digestOf(body: unknown): string {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  return sha256(isWhole ? body : (JSON.stringify(body) ?? ''))
}

/** The SHA-256 digest, as a string of fixed length. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url')
}
