import type { SseComment, SseEvent, SseEventOptions } from '../contracts/representation.js'
import { toSeconds } from './units.js'

/** The types of events that the framework itself sends. */
const RESERVED = ['end', 'error']

class Event<TItem> implements SseEvent<TItem> {
  constructor(
    readonly data: TItem,
    readonly id: string | undefined,
    readonly event: string | undefined,
    readonly retry: number | undefined,
  ) {}
}

class Comment implements SseComment {
  constructor(readonly comment: string) {}
}

/**
 * Adds an ID, a type or a reconnection time to an item of a stream. With JSON Lines, only the item is sent.
 *
 * @param data The item.
 * @param options `id`, `event` and `retry`. Line breaks are refused, because a line break could begin another event.
 * @throws TypeError for an `id` or `event` with a line break or NUL, for the framework's own event types `end` and
 * `error`, and for a `retry` that is not a duration.
 * @see HTML Living Standard, 9.2.6 (the format of event streams)
 * @example
 * yield sseEvent(order, { id: order.version })
 */
export function sseEvent<TItem>(data: TItem, options: SseEventOptions = {}): SseEvent<TItem> {
  const { id, event, retry } = options
  const seconds = retry === undefined ? undefined : toSeconds(retry)
  if (retry !== undefined && seconds === undefined) {
    throw new TypeError(
      "sseEvent(): `retry` is not a duration: pass seconds, or a string such as '2s'.",
    )
  }
  if (event !== undefined && RESERVED.includes(event)) {
    throw new TypeError(
      `sseEvent(): the type '${event}' is reserved for the framework: use another one.`,
    )
  }
  const text = id === undefined ? undefined : oneLine('id', String(id))
  const type = event === undefined ? undefined : oneLine('event', event)
  return new Event(data, text, type, seconds === undefined ? undefined : Math.round(seconds * 1000))
}

/**
 * Creates a comment, which clients ignore. Yield it first in a stream that may have no items for a long time: it sends
 * the response head, which otherwise waits for the first item. With JSON Lines, only the head is sent.
 *
 * @param text The text of the comment. Default: none.
 * @throws TypeError for text with a line break or NUL.
 * @example
 * yield sseComment('open')
 */
export function sseComment(text: string = ''): SseComment {
  return new Comment(oneLine('text', text))
}

/** Whether a yielded value is the result of {@link sseEvent}. */
export function isSseEvent(value: unknown): value is SseEvent {
  return value instanceof Event
}

/** Whether a yielded value is the result of {@link sseComment}. */
export function isSseComment(value: unknown): value is SseComment {
  return value instanceof Comment
}

function oneLine(name: string, text: string): string {
  if (!/[\r\n\0]/.test(text)) return text
  throw new TypeError(
    `The \`${name}\` contains a line break or NUL, which an event stream does not allow there.`,
  )
}
