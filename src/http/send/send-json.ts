import { ServerResponse } from 'node:http'
import type { Application } from 'express'
import type { Response } from '../../contracts/handler.js'
import { expressResponse } from '../express-parts.js'
import { kPrepare } from '../symbol-fields.js'
import {
  isUntouched,
  JSON_LINE,
  JSON_TYPE,
  type OwnHeaders,
  type StaticHeaders,
  wireText,
  writeFlatHead,
} from './wire-text.js'

/**
 * The headers that require Express's own functions. The names are in lower case, which speeds up lookups (see
 * `headerKey`).
 */
const NEGOTIATED = ['content-type', 'etag', 'last-modified'] as const

// Node's own methods, which the copies of Express's methods hide.
const node = ServerResponse.prototype
const { json: expressJson, jsonp: expressJsonp, send: expressSend } = expressResponse

/** Changes the body of `res.json`. */
export interface JsonPreparation {
  /** Returns the body to write; {@link REFUSED} if the request has failed. */
  readonly prepare: (body: unknown, res: Response) => unknown
  /** The preparation of data for a custom envelope; `null` if the data is put into the envelope unchanged. */
  readonly inEnvelope: {
    /** Changes the data. Returns {@link REFUSED} if the request has failed. */
    readonly prepareData: (data: unknown, status: number, res: Response) => unknown
    /** The preparation of the whole body. */
    readonly ofBody: JsonPreparation
  } | null
  /**
   * Returns the function that limits streamed rows; `null` if the rows must not be sent, because no schema describes
   * them. If {@link isRequired} is false, rows are sent unchanged.
   */
  readonly rowsOf: (status: number, res: Response) => RowLimit | null
  /**
   * Whether the original body must never be sent. If not, `JSON.stringify` creates the same string for the original and
   * the prepared body, and the application's `json replacer` receives the original body.
   */
  readonly isRequired: boolean
}

/** Limits the rows of a response. */
export interface RowLimit {
  /** Returns the rows to send; {@link REFUSED} if the request has failed. */
  readonly limit: (rows: readonly unknown[]) => unknown
  /** Whether the schema describes a list, so that a list of all rows is limited as a body. */
  readonly isDocument: boolean
}

/** Sends rows unchanged. */
export const ALL_ROWS: RowLimit = { limit: (rows) => rows, isDocument: true }

/** The result of `prepare` if an error response was or will be sent instead. */
export const REFUSED: unique symbol = Symbol('refused')

/** The framework's own response field for JSON. */
export interface OwnJson {
  /** The preparation that {@link prepareJson} sets; `null` for most responses. */
  [kPrepare]: JsonPreparation | null
}

/** Sets the preparation of the body of `res.json`. With `null`, the body is sent unchanged. */
export function prepareJson(res: Response, preparation: JsonPreparation | null): void {
  ;(res as Response & OwnJson)[kPrepare] = preparation
}

/** Returns the data to put into a custom envelope; {@link REFUSED} if the request has failed. */
export function preparedData(res: Response, status: number, data: unknown): unknown {
  // The response can belong to another Express application.
  const inEnvelope = (res as Response & Partial<OwnJson>)[kPrepare]?.inEnvelope
  return inEnvelope ? inEnvelope.prepareData(data, status, res) : data
}

/**
 * Returns a body, or data without an envelope, limited to its described fields; {@link REFUSED} if the request has
 * failed.
 */
export function limitedBody(res: Response, body: unknown): unknown {
  const own = (res as Response & Partial<OwnJson>)[kPrepare]
  return own?.isRequired ? own.prepare(body, res) : body
}

/**
 * Returns the limit for the rows of a response; `null` if the rows must not be sent, because no schema describes them.
 */
export function rowLimitOf(res: Response, status: number): RowLimit | null {
  const own = (res as Response & Partial<OwnJson>)[kPrepare]
  return own?.isRequired ? own.rowsOf(status, res) : ALL_ROWS
}

/**
 * Sends a body with data that {@link preparedData} returned, without preparing the data again. This applies only to
 * this body: if it cannot be sent, the handler can send another body.
 */
export function sendAround(res: Response, send: () => void): void {
  const own = (res as Response & Partial<OwnJson>)[kPrepare]
  if (!own?.inEnvelope) return send()
  prepareJson(res, own.inEnvelope.ofBody)
  try {
    send()
  } finally {
    prepareJson(res, own)
  }
}

/**
 * Returns the body to write.
 *
 * @param isSeen Whether the application receives the body before it is written.
 */
function prepared(res: Response & OwnJson, body: unknown, isSeen = false): unknown {
  const preparation = res[kPrepare]
  if (preparation === null) return body
  const isLeftOut = !preparation.isRequired && (isSeen || res.app.get('json replacer'))
  return isLeftOut ? body : preparation.prepare(body, res)
}

/** Throws if the JSON of a body omits a part of the body. */
export type CheckText = (body: unknown, text: string) => void

interface JsonConfig {
  readonly statics: StaticHeaders
  readonly checkText: CheckText
}

/** The key of the check for all responses of a class. */
const kCheckText: unique symbol = Symbol('blazon.checkText')
interface OwnCheck {
  [kCheckText]?: CheckText
}

/**
 * Defines a `res.json` that skips Express's handling of content type, charset, ETag and freshness. If a setting
 * requires one of these, it calls Express's own `res.json`.
 */
export function defineJson(
  prototype: Response & OwnCheck,
  app: Application,
  { statics: { text }, checkText }: JsonConfig,
): void {
  prototype[kCheckText] = checkText
  const settings = ['etag fn', 'json spaces', 'json replacer', 'json escape']
  const lines = text + JSON_LINE
  let needsExpress: boolean | undefined
  prototype.json = function json(this: Response & OwnHeaders & OwnJson, body?: unknown) {
    needsExpress ??= isPatched() || settings.some((name) => Boolean(app.get(name)))
    // A mounted application or a host application has its own settings. A middleware that replaced `send` expects to be
    // called.
    const isPlain = !needsExpress && this.app === app && this.send === expressSend
    if (!isPlain || hasNoContent(this.statusCode)) return callExpress(this, body)
    const ready = prepared(this, body)
    if (ready === REFUSED) return this
    const content = JSON.stringify(ready)
    if (content === undefined) return expressJson.call(this, ready)
    checkText(ready, content)
    const sent = wireText(content)
    const length = Buffer.byteLength(sent)
    if (isUntouched(this, prototype)) {
      writeFlatHead(this, lines, ['Content-Length', length])
    } else {
      if (isNegotiated(this)) return sendWritten(this, ready)
      this.setHeader('Content-Type', JSON_TYPE)
      this.setHeader('Content-Length', length)
    }
    this.end(sent)
    return this
  }
  prototype.jsonp = function jsonp(this: Response & OwnJson, body?: unknown) {
    const ready = prepared(this, body, expressResponse.jsonp !== expressJsonp)
    return ready === REFUSED ? this : (expressResponse.jsonp.call(this, ready) as Response)
  }
}

/** Whether a library replaced the `json` method of all Express applications. */
function isPatched(): boolean {
  return expressResponse.json !== expressJson
}

/**
 * Sends JSON with exactly this media type. Express would add a charset to the type of a string, which some formats
 * forbid. All settings for JSON apply.
 */
export function sendJsonAs(res: Response, type: string, body: unknown): void {
  const ready = prepared(res as Response & OwnJson, body)
  if (ready === REFUSED) return
  res.setHeader('Content-Type', type)
  res.send(Buffer.from(writtenText(res, ready)))
}

/** Checks and sends the same JSON as Express, with the settings of the response's application. */
function sendWritten(res: Response, body: unknown): Response {
  const text = writtenText(res, body)
  if (!res.get('Content-Type')) res.set('Content-Type', JSON_TYPE)
  return res.send(text)
}

/** Returns the string that Express's `json` would send. */
function writtenText(res: Response & OwnCheck, body: unknown): string {
  let text = ''
  const send = (written: string) => {
    text = written
    return res
  }
  // If a type is set, Express does not set another type.
  const own = { send: { value: send }, get: { value: () => JSON_TYPE } }
  expressJson.call(Object.create(res, own), body)
  // The response can belong to another application. If that application has a replacer, the text is not checked,
  // because a replacer can make a value serializable.
  const isWhole = typeof text === 'string' && !res.app.get('json replacer')
  if (isWhole) res[kCheckText]?.(body, text)
  return text
}

/** A function that replaced Express's `json` receives the original body, unless this body must never be sent. */
function callExpress(res: Response & OwnJson, body: unknown): Response {
  const { json } = expressResponse
  const ready = prepared(res, body, json !== expressJson)
  if (ready === REFUSED) return res
  return json === expressJson ? sendWritten(res, ready) : (json.call(res, ready) as Response)
}

function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/**
 * Whether Express must handle the response, because its type can need a charset, or a validator can turn it into a 304
 * response.
 */
function isNegotiated(res: Response): boolean {
  return NEGOTIATED.some((name) => node.hasHeader.call(res, name))
}
