import type { Request } from 'express'
import { expressRequest } from './express-parts.js'

/**
 * The maximum number of characters that are read from an `Accept` header. Express's parser takes quadratic time for
 * quoted strings: 16 kB took a second, while 2 kB take 16 ms.
 */
const MOST_CHARACTERS = 2048

/**
 * Chooses the media type of a response (RFC 9110, 12.5.1), like Express's `req.accepts`: the type with the greatest
 * weight, then the type with the most specific range, then the first type in the header.
 *
 * @param accept The `Accept` header of the request. If it is missing or empty, the first type is chosen.
 * @param types The media types that the server can send, the preferred one first.
 * @returns One of `types`; `undefined` if the client accepts none, which should result in a 406 response.
 * @example
 * negotiate('text/csv;q=0.5, application/*', ['text/csv', 'application/json']) // 'application/json'
 */
export function negotiate(accept: string | undefined, types: string[]): string | undefined {
  return acceptsOf({ accept })(types) || undefined
}

/** Replaces `req.accepts`, which `res.format` also uses, with a method that reads only a limited part of the header. */
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
