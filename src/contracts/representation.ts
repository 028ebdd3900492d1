import type { Readable } from 'node:stream'
import type { Duration } from './limits.js'
import type { Schema } from './schema.js'
import type { SuccessFacts } from './wire-format.js'

/** The format of a stream: Server-Sent Events, or one JSON value per line. */
export type StreamKind = 'sse' | 'jsonLines'

/** Options of `@JsonLines`, and of `@Sse`. */
export interface StreamOptions {
  /**
   * The longest time that a response may take, counted from its first item. Then `req.signal` aborts. Events end
   * without the event `end`, so that a client reconnects; lines are cut off, so that a client sees that they are
   * incomplete. Default: no limit.
   */
  readonly maxAge?: Duration
}

/** Options of `@Sse`. */
export interface SseOptions extends StreamOptions {
  /**
   * The longest time in which nothing is sent: then the stream sends a comment, so that no proxy cuts the connection.
   * `false`: never. Default `'15s'`.
   */
  readonly heartbeat?: Duration | false
}

/** One format of a route. */
export interface StreamFormat {
  /** Events, or lines of JSON. */
  readonly kind: StreamKind
  /** In milliseconds; `null` for no limit. */
  readonly maxAgeMs: number | null
  /** The maximum time without a comment, in milliseconds; `null` for no comments, as for lines of JSON. */
  readonly heartbeatMs: number | null
}

/** How a route streams: `@Sse`, `@JsonLines`, or both. */
export interface StreamModel {
  /** Describes each item. */
  readonly item: Schema
  /** In the order of the decorators: a client without a preference gets the first one. */
  readonly formats: readonly StreamFormat[]
}

/** The fields of an event beside its data. */
export interface SseEventOptions {
  /**
   * The id, which the client sends as `Last-Event-ID` when it reconnects, without line breaks and NUL. Default: none.
   */
  readonly id?: string | number
  /** The type, for `addEventListener` in a browser. Not `end` or `error`. Default: none, which means `message`. */
  readonly event?: string
  /** How long the client waits before it reconnects. Default: the client's own value. */
  readonly retry?: Duration
}

/** An item with the fields of its event. */
export interface SseEvent<TItem = unknown> {
  /** The item; sent as JSON. */
  readonly data: TItem
  /** The id; `undefined` if there is none. */
  readonly id: string | undefined
  /** The type; `undefined` for `message`. */
  readonly event: string | undefined
  /** The reconnection time in milliseconds; `undefined` if the client decides. */
  readonly retry: number | undefined
}

/** A comment, which clients ignore: it opens the stream before the first item, or keeps the stream open. */
export interface SseComment {
  /** The text, without line breaks. */
  readonly comment: string
}

/** The values that a handler with `@Sse` or `@JsonLines` may yield. */
export type StreamItem<TItem> = TItem | SseEvent<TItem> | SseComment

/** The result of such a handler: an async generator, or another async iterable. */
export type Streamed<TItem> =
  | AsyncIterable<StreamItem<TItem>>
  | PromiseLike<AsyncIterable<StreamItem<TItem>>>

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
  /** Whether it can only write lists, like `csv()`. */
  readonly isTable: boolean
}
