import type { Request, Response } from '../contracts/handler.js'
import type { Representation } from '../contracts/representation.js'
import { successEnvelope } from '../errors/envelope.js'
import { changeItems, isAsyncIterable, LEFT_OUT } from '../http/async-iterable.js'
import type { ProducedData } from '../http/produced-type.js'
import { setDocumentedType } from '../http/send/content-type.js'
import { joinTexts } from '../http/send/joined-texts.js'
import { discardBody, isReadInParts } from '../http/send/raw-body.js'
import {
  ALL_ROWS,
  limitedBody,
  preparedData,
  REFUSED,
  type RowLimit,
  rowLimitOf,
} from '../http/send/send-json.js'
import { isSentWithoutEnvelope } from '../schema/response-shape.js'
import { ignoreRejection, isThenable } from '../step/thenable.js'
import type { WireRoute } from './send-success.js'
import { isOrdinaryData } from './unusual-values.js'

/** Sends a stream, bytes or a `Blob`. Returns `false`, and sends nothing, for every other value. */
export type SendBytes = (value: unknown, req: Request, res: Response) => boolean

/** A representation that is not JSON, and the route whose data it writes. */
export interface ProducedTarget {
  readonly representation: Representation
  readonly route: WireRoute
  readonly sendBytes: SendBytes
}

/**
 * Sends the data of a success in a representation that is not JSON.
 *
 * @throws TypeError if the representation returns something that is not a body.
 */
export function sendProduced(
  res: Response,
  success: ProducedData,
  { representation: { type, serialize }, route, sendBytes }: ProducedTarget,
): void {
  const { status, message } = success
  res.status(status)
  const data = limited(res, success, { route, type })
  if (data === REFUSED) return
  const req = res.req as Request
  const body = streamOf(serialize(data, { status, message, req }))
  if (typeof body === 'string') {
    setDocumentedType(res, type)
    res.send(body)
  } else if (isOrdinaryData(body) || isThenable(body) || !sendBytes(body, req, res)) {
    if (isThenable(body)) ignoreRejection(body)
    else discardBody(body)
    throw new TypeError(
      `\`serialize\` of ${route.name} for '${type}' returned no body: return a text, bytes, or a stream, at once.`,
    )
  }
}

/** Limits the handler's result to its described fields: rows as rows, and all other data as JSON. */
function limited(res: Response, success: ProducedData, of: Omit<OfRows, 'success'>): unknown {
  const { data, status } = success
  const hasRows = isAsyncIterable(data)
  const rows = hasRows || Array.isArray(data) ? rowLimitOf(res, status) : null
  if (hasRows) return limitedItems(data, rows, { success, ...of })
  // For a page in JSON, a handler may return all rows at once.
  if (Array.isArray(data) && rows !== null && !rows.isDocument) return rows.limit(data)
  return limitedData(res, success, of.route)
}

/** An async iterable becomes a stream. */
function streamOf(body: unknown): unknown {
  return isAsyncIterable(body) && !isReadInParts(body) ? joinTexts(body) : body
}

/** Limits rows that come one by one as items of the documented list. A row that the caller may not see is left out. */
function limitedItems(
  items: AsyncIterable<unknown>,
  rows: RowLimit | null,
  { success, route, type }: OfRows,
): AsyncIterable<unknown> {
  if (rows === ALL_ROWS) return items
  if (rows === null) throw new TypeError(withoutList(route.name, success.status, type))
  return changeItems(items, {
    change(item) {
      const limited = rows.limit([item])
      if (!Array.isArray(limited)) {
        throw new TypeError(`${route.name} yielded what it does not describe.`)
      }
      return limited.length === 0 ? LEFT_OUT : limited[0]
    },
  })
}

interface OfRows {
  readonly success: ProducedData
  readonly route: WireRoute
  readonly type: string
}

function withoutList(name: string, status: number, type: string): string {
  return (
    `${name} returned rows for '${type}', and its response ${status} describes no list whose items they could be, so ` +
    'nothing shows which of their fields may leave. Describe a list, or an object whose `items` is a list.'
  )
}

/** Limits the data to its described fields, as JSON in the envelope of the route would be. */
function limitedData(
  res: Response,
  { status, message, data }: ProducedData,
  route: WireRoute,
): unknown {
  const { envelope, operation } = route
  const stated = operation.responses.find((each) => each.status === status)
  const isBare = stated === undefined ? !envelope : isSentWithoutEnvelope(stated, route)
  if (isBare) return limitedBody(res, data)
  if (typeof envelope === 'object') return preparedData(res, status, data)
  const body = limitedBody(res, successEnvelope(status, message, data))
  return body === REFUSED ? REFUSED : (body as { data?: unknown }).data
}
