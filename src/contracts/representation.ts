import type { Readable } from 'node:stream'
import type { Duration } from './limits.js'
import type { Schema } from './schema.js'
import type { SuccessFacts } from './wire-format.js'

/** The format of a stream: Server-Sent Events, or one JSON value per line. */
export type StreamKind = 'sse' | 'jsonLines'

/** Options of `@JsonLines`, and of `@Sse`. */
export interface StreamOptions {
  /**
   * The maximum duration of a response, measured from its first item. After this time, `req.signal` aborts. A stream of
   * events ends without the event `end`, so that a client reconnects. A stream of lines is cut off, so that a client
   * can detect that it is incomplete. Default: no limit.
   */
  readonly maxAge?: Duration
}

/** Options of `@Sse`. */
export interface SseOptions extends StreamOptions {
  /**
   * The maximum time without data. After this time, the stream sends a comment, so that proxies do not close the idle
   * connection. `false`: never. Default `'15s'`.
   */
  readonly heartbeat?: Duration | false
}

/** One format in which a route streams. */
export interface StreamFormat {
  /** Server-Sent Events, or lines of JSON. */
  readonly kind: StreamKind
  /** The maximum duration, in milliseconds; `null` for no limit. */
  readonly maxAgeMs: number | null
  /**
   * The maximum time without data before a comment is sent, in milliseconds; `null` if no comments are sent, as with
   * lines of JSON.
   */
  readonly heartbeatMs: number | null
}

/** How a route streams: `@Sse`, `@JsonLines`, or both. */
export interface StreamModel {
  /** The schema of each item. */
  readonly item: Schema
  /** The formats, in the order of the decorators; a client without a preference receives the first format. */
  readonly formats: readonly StreamFormat[]
}

/** The fields of an event besides its data. */
export interface SseEventOptions {
  /**
   * The ID, without line breaks or NUL characters. The client sends it as `Last-Event-ID` when it reconnects. Default:
   * none.
   */
  readonly id?: string | number
  /**
   * The type, for `addEventListener` in a browser. Must not be `end` or `error`. Default: none, which means `message`.
   */
  readonly event?: string
  /** How long the client waits before it reconnects. Default: the client's own value. */
  readonly retry?: Duration
}

/** An item with the fields of its event. */
export interface SseEvent<TItem = unknown> {
  /** The item; sent as JSON. */
  readonly data: TItem
  /** The ID; `undefined` if there is none. */
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

/** The values that a handler with `@Sse` or `@JsonLines` can yield. */
export type StreamItem<TItem> = TItem | SseEvent<TItem> | SseComment

/** The result of a handler with `@Sse` or `@JsonLines`: an async generator, or another async iterable. */
export type Streamed<TItem> =
  | AsyncIterable<StreamItem<TItem>>
  | PromiseLike<AsyncIterable<StreamItem<TItem>>>

/**
 * The body that a representation returns. An async iterable, such as an async generator, yields the body in parts,
 * which are sent with backpressure.
 */
export type RepresentationBody =
  | string
  | Uint8Array
  | Blob
  | Readable
  | ReadableStream
  | AsyncIterable<string | Uint8Array>

/**
 * A format in which a route sends the data of success responses, for `@Produces`.
 *
 * @example
 * const yaml: Representation = { type: 'application/yaml', serialize: (data) => stringify(data) }
 */
export interface Representation {
  /** The media type, not a range: `text/csv`. */
  readonly type: string
  /**
   * Returns the body synchronously, or an async generator for a body in parts. The body has no envelope. If the
   * function throws, or returns anything else, the client receives a 500 response, and the reason is logged.
   *
   * @param data The value that the handler returned, or the data of `this.ok`. With `responses: 'strip'`, it contains
   * only the described fields. If the handler returned an async iterable, `data` is also an async iterable. The
   * parameter has the type `any`, so that your function can declare the type that the handler returns.
   */
  // biome-ignore lint/suspicious/noExplicitAny: see above; nothing connects the handler with the decorator.
  serialize(data: any, facts: SuccessFacts): RepresentationBody
}

/** An argument of `@Produces`: the name of a JSON type or `text/csv`, or your own representation. */
export type Produced = string | Representation

/** A representation of a route. If `serialize` is `null`, it is JSON in the envelope of the route. */
export interface ProducedModel {
  /** The media type. */
  readonly type: string
  /** Returns the body; `null` for JSON. */
  readonly serialize: Representation['serialize'] | null
  /** Whether only lists can be represented, as with `csv()`. */
  readonly isTable: boolean
}
