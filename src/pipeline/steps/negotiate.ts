import { Readable } from 'node:stream'
import type { Request, Response } from '../../contracts/handler.js'
import type { Representation } from '../../contracts/representation.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import { changeItems, isAsyncIterable, LEFT_OUT } from '../../http/async-iterable.js'
import { negotiate } from '../../http/negotiate.js'
import type { BlazonRequest } from '../../http/request.js'
import {
  type ChosenRepresentation,
  chooseRepresentation,
  type ProducedData,
} from '../../http/request-notes.js'
import { discardBody, isReadInParts } from '../../http/send/raw-body.js'
import { setDocumentedType } from '../../http/send/response-headers.js'
import {
  ALL_ROWS,
  limitedBody,
  preparedData,
  REFUSED,
  type RowLimit,
  rowLimitOf,
} from '../../http/send/send-json.js'
import { isSentWithoutEnvelope } from '../../schema/response-shape.js'
import { Refusal } from '../../step/refusal.js'
import { ignoreRejection, isThenable, type StepFactory } from '../../step/step.js'
import { successEnvelope, type WireRoute } from '../send-success.js'
import { isOrdinaryData, sendUnusual, type UnusualConfig } from './respond.js'

/** The input of {@link negotiateStage}. */
export interface NegotiateConfig extends Omit<UnusualConfig, 'route'> {
  readonly route: RouteModel
}

/**
 * Chooses the representation of the response by `Accept`. All responses of the route have `Vary: Accept`, including the
 * 406 response, because a cache must not send them to a client with a different `Accept` header (RFC 9110, 12.5.5).
 */
export function negotiateStage(config: NegotiateConfig): StepFactory {
  const byType = new Map(representations(config).map((each) => [each.type, each]))
  const types = [...byType.keys()]
  const message = `The response can be ${types.join(' or ')}, but \`Accept\` does not list any of them`
  return (next) =>
    function chooseType(req, res) {
      res.vary('Accept')
      const representation = byType.get(negotiate(req.headers.accept, types) ?? '')
      if (representation === undefined) return new Refusal(refuse('NOT_ACCEPTABLE', message))
      chooseRepresentation(req, representation)
      return next(req, res)
    }
}

function representations(config: NegotiateConfig): ChosenRepresentation[] {
  const { route } = config
  const sendBytes: ProducedTarget['sendBytes'] = (value, req, res) =>
    sendUnusual(value, config, { req: req as BlazonRequest, res, status: res.statusCode })
  return (route.produces ?? []).map(({ type, serialize }) => {
    if (serialize === null) return { type, send: null }
    const target = { representation: { type, serialize }, route, sendBytes }
    return { type, send: (res, success) => sendProduced(res, success, target) }
  })
}

/** Sends a stream, bytes or a `Blob`. Returns `false`, and sends nothing, for other values. */
type SendBytes = (value: unknown, req: Request, res: Response) => boolean

/** A representation other than JSON, and the route that its data comes from. */
interface ProducedTarget {
  readonly representation: Representation
  readonly route: WireRoute
  readonly sendBytes: SendBytes
}

/**
 * Sends the data of a success response in a representation that is not JSON.
 *
 * @throws TypeError if the representation returns a value that cannot be sent as a body.
 */
function sendProduced(
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
      `\`serialize\` of ${route.name} for '${type}' returned no body: return a string, bytes, or a stream, synchronously.`,
    )
  }
}

/** Limits the handler's result to the described fields: rows one by one, and all other data as JSON. */
function limited(res: Response, success: ProducedData, of: Omit<OfRows, 'success'>): unknown {
  const { data, status } = success
  const hasRows = isAsyncIterable(data)
  const rows = hasRows || Array.isArray(data) ? rowLimitOf(res, status) : null
  if (hasRows) return limitedItems(data, rows, { success, ...of })
  // If the JSON response is a page, a handler may return all rows as a list.
  if (Array.isArray(data) && rows !== null && !rows.isDocument) return rows.limit(data)
  return limitedData(res, success, of.route)
}

/** Converts an async iterable to a stream. Returns any other body unchanged. */
function streamOf(body: unknown): unknown {
  return isAsyncIterable(body) && !isReadInParts(body) ? joinTexts(body) : body
}

/** Limits streamed rows like items of the documented list. Omits rows that the caller is not allowed to see. */
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
        throw new TypeError(`${route.name} yielded an item that its schema does not describe.`)
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
    `${name} returned rows for '${type}', but its response ${status} describes no list with such items, so ` +
    'it is unknown which of their fields are allowed. Describe a list, or an object whose `items` is a list.'
  )
}

/** Limits the data to the described fields, in the same way as JSON in the route's envelope. */
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

/** The length at which collected text is sent without waiting for more text. */
const MOST = 16 * 1024

/**
 * Creates a stream from an async iterable. Consecutive strings that are available without waiting are combined into one
 * chunk, because sending a chunk takes longer than all other work for a table row. No string is delayed until a later
 * string arrives, because `process.nextTick` runs as soon as the iterable waits for anything other than settled
 * promises. All other values are passed on unchanged.
 */
function joinTexts(items: AsyncIterable<unknown>): Readable {
  return new JoinedTexts(items[Symbol.asyncIterator]())
}

class JoinedTexts extends Readable {
  readonly #source: AsyncIterator<unknown>
  #text = ''
  #isWanted = false
  #isReading = false
  #isScheduled = false

  constructor(source: AsyncIterator<unknown>) {
    // The stream is in object mode, because its reader handles values that are neither strings nor bytes.
    super({ objectMode: true, highWaterMark: 1 })
    this.#source = source
  }

  override _read(): void {
    this.#isWanted = true
    if (!this.#isReading) void this.#readWhileWanted()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#text = ''
    this.#end().then(
      () => done(error),
      (late) => done(error ?? late),
    )
  }

  async #end(): Promise<void> {
    await this.#source.return?.()
  }

  async #readWhileWanted(): Promise<void> {
    this.#isReading = true
    try {
      while (this.#isWanted) {
        const { done, value } = await this.#source.next()
        if (this.destroyed) return
        if (done === true) {
          this.#flush()
          this.push(null)
          return
        }
        this.#add(value)
      }
    } catch (error) {
      this.#flush()
      this.destroy(error as Error)
    } finally {
      this.#isReading = false
    }
  }

  #add(value: unknown): void {
    if (typeof value !== 'string') {
      this.#flush()
      this.#isWanted = this.push(value)
      return
    }
    this.#text += value
    if (this.#text.length >= MOST) return this.#flush()
    if (this.#isScheduled) return
    this.#isScheduled = true
    process.nextTick(() => {
      this.#isScheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    this.#isWanted = this.push(text)
  }
}
