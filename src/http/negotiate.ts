import type { Request } from 'express'
import { expressRequest } from './express-parts.js'

/**
 * The longest part of an `Accept` header that is read, in characters. The time of Express' parser grows with the square of quoted
 * text: 16 kB took a second, and 2 kB take 16 ms.
 */
const MOST_CHARACTERS = 2048

/**
 * Chooses the media type of a response (RFC 9110, 12.5.1), as `req.accepts` of Express does: the type with the greatest
 * weight, then the type that the most specific range names, then the first one in the header.
 *
 * @param accept The `Accept` header of the request. Without it, or with an empty one, the first type is chosen.
 * @param types The media types that the server can send, the preferred one first.
 * @returns One of `types`; `undefined` if the client accepts no type: the response is a 406.
 * @example
 * negotiate('text/csv;q=0.5, application/*', ['text/csv', 'application/json']) // 'application/json'
 */
export function negotiate(accept: string | undefined, types: string[]): string | undefined {
  return acceptsOf({ accept })(types) || undefined
}

/** Makes `req.accepts`, which `res.format` also uses, read a limited part of the header. */
export function boundAccepts(prototype: Request): void {
  Object.defineProperty(prototype, 'accepts', {
    value: function accepts(this: Request, ...types: string[]) {
      return acceptsOf(this.headers)(...types)
    },
    writable: true,
    configurable: true,
  })
}

function acceptsOf({ accept }: { accept?: string | undefined }): Request['accepts'] {
  return expressRequest.accepts.bind({ headers: { accept: accept?.slice(0, MOST_CHARACTERS) } })
}
