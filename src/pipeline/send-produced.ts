import type { Request, Response } from '../contracts/handler.js'
import type { Representation } from '../contracts/representation.js'
import { successEnvelope } from '../errors/envelope.js'
import { changeItems, isAsyncIterable } from '../http/async-iterable.js'
import type { ProducedData } from '../http/produced-type.js'
import { setDocumentedType } from '../http/send/content-type.js'
import { joinTexts } from '../http/send/joined-texts.js'
import { discardBody, isReadInParts } from '../http/send/raw-body.js'
import { limitedBody, preparedData, REFUSED } from '../http/send/send-json.js'
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
 * @throws TypeError if the representation returns something that is no body.
 */
export function sendProduced(
  res: Response,
  success: ProducedData,
  { representation: { type, serialize }, route, sendBytes }: ProducedTarget,
): void {
  const { status, message } = success
  res.status(status)
  const data = isAsyncIterable(success.data)
    ? limitedItems(success.data, res, { success, route })
    : limitedData(res, success, route)
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

/** An async iterable becomes a stream. */
function streamOf(body: unknown): unknown {
  return isAsyncIterable(body) && !isReadInParts(body) ? joinTexts(body) : body
}

interface OfRoute {
  readonly success: ProducedData
  readonly route: WireRoute
}

/** Limits each item to its described fields, as the only item of a list. */
function limitedItems(
  items: AsyncIterable<unknown>,
  res: Response,
  { success, route }: OfRoute,
): AsyncIterable<unknown> {
  return changeItems(items, {
    change(item) {
      const limited = limitedData(res, { ...success, data: [item] }, route)
      if (limited === REFUSED)
        throw new TypeError(`${route.name} yielded what it does not describe.`)
      return Array.isArray(limited) ? limited[0] : item
    },
  })
}

/** Limits the data to its described fields, as JSON in the envelope of the route would be. */
function limitedData(
  res: Response,
  { status, message, data }: ProducedData,
  route: WireRoute,
): unknown {
  const { envelope, operation } = route
  if (typeof envelope === 'object') return preparedData(res, status, data)
  const stated = operation.responses.find((each) => each.status === status)
  const isBare = stated === undefined ? !envelope : isSentWithoutEnvelope(stated, route)
  if (isBare) return limitedBody(res, data)
  const body = limitedBody(res, successEnvelope(status, message, data))
  return body === REFUSED ? REFUSED : (body as { data?: unknown }).data
}
