import type { Readable } from 'node:stream'
import type { SuccessFacts } from './wire-format.js'

/**
 * A body that a representation writes. An async iterable, such as an async generator, has the body in parts: each is sent as the
 * client takes it.
 */
export type RepresentationBody =
  | string
  | Uint8Array
  | Blob
  | Readable
  | ReadableStream
  | AsyncIterable<string | Uint8Array>

/**
 * One form in which a route sends the data of its successes, for `@Produces`.
 *
 * @example
 * const yaml: Representation = { type: 'application/yaml', serialize: (data) => stringify(data) }
 */
export interface Representation {
  /** The media type, without a range: `text/csv`. */
  readonly type: string
  /**
   * Returns the body, at once; for a body in parts, an async generator. It has no envelope. If it throws, or returns
   * anything else, the response is a 500, and the log gets the reason.
   *
   * @param data The value that the handler returned, or the data of `this.ok`. With `responses: 'strip'` only its described
   * fields are left. If the handler has returned an async iterable, this is one, too. Its type is `any`, so that a function may name the type that its handler returns.
   */
  // biome-ignore lint/suspicious/noExplicitAny: see above; nothing connects the handler with the decorator.
  serialize(data: any, facts: SuccessFacts): RepresentationBody
}

/** An argument of `@Produces`: a JSON type or `text/csv` as text, or a representation of your own. */
export type Produced = string | Representation

/** A representation of a route. `null` in place of `serialize` means JSON, in the envelope of the route. */
export interface ProducedModel {
  /** The media type. */
  readonly type: string
  /** Writes the body; `null` for JSON. */
  readonly serialize: Representation['serialize'] | null
  /** Whether it writes only lists, as `csv()` does. */
  readonly isTable: boolean
}
