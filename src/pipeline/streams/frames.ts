import type { StreamKind } from '../../contracts/representation.js'
import { isSseComment, isSseEvent } from '../../http/sse-event.js'
import { refuseHidden, remedyFor, unsendableKind } from '../../schema/fields/to-plain.js'
import { isOrdinaryData } from '../steps/respond.js'

/** Limits an item to the fields in its schema, or checks the item; `null` if items are sent unchanged. */
export type PrepareItem = ((item: unknown) => unknown) | null

/** The serialization of items in one format. */
export interface Frames {
  readonly mediaType: string
  /** Writes a yielded value. The result is empty for a value that only opens the stream. */
  readonly write: (value: unknown, prepare: PrepareItem) => string
  /** The text after the last item, which indicates that the client has received all items. */
  readonly end: string
  /** Writes the JSON of an error; `null` if the format cannot represent errors. */
  readonly error: ((json: string) => string) | null
}

/**
 * Server-Sent Events (HTML Living Standard, 9.2). JSON contains no line breaks here, because they are escaped in
 * strings, so an event's data is always one line.
 */
const SSE: Frames = {
  mediaType: 'text/event-stream',
  write(value, prepare) {
    if (isOrdinaryData(value)) return `data: ${toText(value, prepare)}\n\n`
    if (isSseComment(value)) return `:${value.comment && ` ${value.comment}`}\n\n`
    if (!isSseEvent(value)) return `data: ${toJson(value, prepare)}\n\n`
    const { id, event, retry, data } = value
    const head =
      (id === undefined ? '' : `id: ${id}\n`) +
      (event === undefined ? '' : `event: ${event}\n`) +
      (retry === undefined ? '' : `retry: ${retry}\n`)
    return `${head}data: ${toJson(data, prepare)}\n\n`
  },
  // Without a `data` line, clients would ignore the event.
  end: 'event: end\ndata:\n\n',
  error: (json) => `event: error\ndata: ${json}\n\n`,
}

/** One value per line. After an error, each line is either complete or missing. */
const JSON_LINES: Frames = {
  mediaType: 'application/jsonl',
  write(value, prepare) {
    if (isOrdinaryData(value)) return `${toText(value, prepare)}\n`
    if (isSseComment(value)) return ''
    return `${toJson(isSseEvent(value) ? value.data : value, prepare)}\n`
  },
  end: '',
  error: null,
}

/** The frames of each format. */
export const FRAMES: Readonly<Record<StreamKind, Frames>> = { sse: SSE, jsonLines: JSON_LINES }

/** The data that is sent after some time without other data. */
export const HEARTBEAT = ':\n\n'

function toJson(item: unknown, prepare: PrepareItem): string {
  if (!isOrdinaryData(item)) refuseUnsendable(item)
  return toText(item, prepare)
}

function toText(item: unknown, prepare: PrepareItem): string {
  const value = prepare === null ? item : prepare(item)
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) {
    throw new TypeError('It yielded a value that JSON omits, such as undefined: yield JSON values.')
  }
  refuseHidden(value, text)
  return text
}

function refuseUnsendable(value: unknown): void {
  const kind = unsendableKind(value)
  if (kind === null) return
  throw new TypeError(`It yielded ${kind}, which has no JSON representation: ${remedyFor(kind)}.`)
}
