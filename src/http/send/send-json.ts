import { ServerResponse } from 'node:http'
import type { Application } from 'express'
import type { Response } from '../../contracts/handler.js'
import { expressResponse } from '../express-parts.js'
import { kPrepare } from '../own-fields.js'
import { isUntouched, JSON_LINE, JSON_TYPE, writeFlatHead } from './flat-head.js'
import type { OwnHeaders } from './response-headers.js'
import type { StaticHeaders } from './static-headers.js'

/** In lower case: see `headerKey`. */
const NEGOTIATED = ['content-type', 'etag', 'last-modified'] as const

// Node's own methods, and not the copies of Express' methods that hide them.
const node = ServerResponse.prototype
const { json: expressJson, jsonp: expressJsonp, send: expressSend } = expressResponse

/** Changes the body of `res.json`. */
export interface JsonPreparation {
  /** Returns the body to write; {@link REFUSED} if the request has failed instead. */
  readonly prepare: (body: unknown, res: Response) => unknown
  /**
   * For data that an envelope of the application's own will be around; `null`: the data is put into the envelope as it
   * is.
   */
  readonly inEnvelope: {
    /** Changes the data. Returns {@link REFUSED} if the request has failed instead. */
    readonly prepareData: (data: unknown, status: number, res: Response) => unknown
    /** For the whole body. */
    readonly ofBody: JsonPreparation
  } | null
  /**
   * Whether the original body must never leave. If not, `JSON.stringify` creates the same text for both, and a
   * `json replacer` of the application receives the original body.
   */
  readonly isRequired: boolean
}

/** The result of `prepare` if the response is an error, which has been sent or will be. */
export const REFUSED: unique symbol = Symbol('refused')

/** The field of our responses that concerns JSON. */
export interface OwnJson {
  /** See {@link prepareJson}; `null` for most responses. */
  [kPrepare]: JsonPreparation | null
}

/** Sets how the body of `res.json` is prepared. */
export function prepareJson(res: Response, preparation: JsonPreparation): void {
  ;(res as Response & OwnJson)[kPrepare] = preparation
}

/** Returns the data to put into an envelope of the application's own; {@link REFUSED} if the request has failed. */
export function preparedData(res: Response, status: number, data: unknown): unknown {
  // The response may belong to another Express application.
  const inEnvelope = (res as Response & Partial<OwnJson>)[kPrepare]?.inEnvelope
  return inEnvelope ? inEnvelope.prepareData(data, status, res) : data
}

/** Returns a body, or data without an envelope, limited to its described fields; {@link REFUSED} if the request has failed. */
export function limitedBody(res: Response, body: unknown): unknown {
  const own = (res as Response & Partial<OwnJson>)[kPrepare]
  return own?.isRequired ? own.prepare(body, res) : body
}

/**
 * Sends a body with data that {@link preparedData} has returned. Only this body is prepared in another way: if it cannot
 * be sent, the handler may send another one.
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
 * @param isSeen Whether other code receives the body before it is written.
 */
function prepared(res: Response & OwnJson, body: unknown, isSeen = false): unknown {
  const preparation = res[kPrepare]
  if (preparation === null) return body
  const isLeftOut = !preparation.isRequired && (isSeen || res.app.get('json replacer'))
  return isLeftOut ? body : preparation.prepare(body, res)
}

/**
 * Defines `res.json` without the work that Express does for content type, charset, ETag and freshness. If a setting
 * needs one of these, Express' own `res.json` is called.
 */
export function defineJson(prototype: Response, app: Application, { text }: StaticHeaders): void {
  const settings = ['etag fn', 'json spaces', 'json replacer', 'json escape']
  const lines = text + JSON_LINE
  let needsExpress: boolean | undefined
  prototype.json = function json(this: Response & OwnHeaders & OwnJson, body?: unknown) {
    needsExpress ??= isPatched() || settings.some((name) => Boolean(app.get(name)))
    // An application that is mounted in ours, or in which ours is mounted, has its own settings. A middleware that
    // replaced `send` expects to be called.
    const isPlain = !needsExpress && this.app === app && this.send === expressSend
    if (!isPlain || hasNoContent(this.statusCode)) return callExpress(this, body)
    const ready = prepared(this, body)
    if (ready === REFUSED) return this
    const content = JSON.stringify(ready)
    if (content === undefined) return expressJson.call(this, ready)
    const length = Buffer.byteLength(content)
    if (isUntouched(this, prototype)) {
      writeFlatHead(this, lines, ['Content-Length', length])
    } else {
      if (isNegotiated(this)) return expressJson.call(this, ready)
      this.setHeader('Content-Type', JSON_TYPE)
      this.setHeader('Content-Length', length)
    }
    this.end(content)
    return this
  }
  prototype.jsonp = function jsonp(this: Response & OwnJson, body?: unknown) {
    const ready = prepared(this, body, expressResponse.jsonp !== expressJsonp)
    return ready === REFUSED ? this : (expressResponse.jsonp.call(this, ready) as Response)
  }
}

/** Whether other code has replaced the `json` of all Express applications. */
function isPatched(): boolean {
  return expressResponse.json !== expressJson
}

/**
 * Sends JSON with a media type of the application, exactly as it is written: Express would add a charset to the type of
 * a text, which some formats forbid. All settings for JSON apply.
 */
export function sendJsonAs(res: Response, type: string, body: unknown): void {
  const ready = prepared(res as Response & OwnJson, body)
  if (ready === REFUSED) return
  let text = ''
  const send = (written: string) => {
    text = written
    return res
  }
  res.setHeader('Content-Type', type)
  expressJson.call(Object.create(res, { send: { value: send } }), ready)
  res.send(Buffer.from(text))
}

/** A function that has replaced Express' `json` receives the original body, unless that must not leave. */
function callExpress(res: Response & OwnJson, body: unknown): Response {
  const { json } = expressResponse
  const ready = prepared(res, body, json !== expressJson)
  return ready === REFUSED ? res : (json.call(res, ready) as Response)
}

function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/**
 * Whether Express must handle the response: its type may need a charset, or a validator may turn it into a 304.
 */
function isNegotiated(res: Response): boolean {
  return NEGOTIATED.some((name) => node.hasHeader.call(res, name))
}
