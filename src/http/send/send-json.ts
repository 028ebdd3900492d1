import { ServerResponse } from 'node:http'
import express, { type Application } from 'express'
import type { Response } from '../../contracts/handler.js'
import { kPrepare } from '../own-fields.js'
import { isUntouched, JSON_LINE, JSON_TYPE, writeFlatHead } from './flat-head.js'
import type { OwnHeaders } from './response-headers.js'
import type { StaticHeaders } from './static-headers.js'

const NEGOTIATED = ['Content-Type', 'ETag', 'Last-Modified'] as const

// Node's own methods, and not the copies of Express' methods that hide them.
const node = ServerResponse.prototype
const { json: expressJson, send: expressSend } = express.response

/** Returns another body, for which `JSON.stringify` creates the same text in less time. */
export type PrepareJson = (body: unknown) => unknown

/** The field of our responses that concerns JSON. */
export interface OwnJson {
  /** See {@link prepareJson}; `null` for most responses. */
  [kPrepare]: PrepareJson | null
}

/** Sets the function that prepares the body of `res.json`. */
export function prepareJson(res: Response, prepare: PrepareJson): void {
  ;(res as Response & OwnJson)[kPrepare] = prepare
}

/** Returns the body to write. A `json replacer` of the application receives the original body. */
function prepared(res: Response & OwnJson, body: unknown): unknown {
  return res[kPrepare] === null || res.app.get('json replacer') ? body : res[kPrepare](body)
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
    const content = JSON.stringify(prepared(this, body))
    if (content === undefined) return expressJson.call(this, body)
    const length = Buffer.byteLength(content)
    if (isUntouched(this, prototype)) {
      writeFlatHead(this, lines, ['Content-Length', length])
    } else {
      if (isNegotiated(this)) return expressJson.call(this, body)
      this.setHeader('Content-Type', JSON_TYPE)
      this.setHeader('Content-Length', length)
    }
    this.end(content)
    return this
  }
}

/** Whether other code has replaced the `json` of all Express applications. */
function isPatched(): boolean {
  return express.response.json !== expressJson
}

/**
 * Sends JSON with a media type of the application, exactly as it is written: Express would add a charset to the type of
 * a text, which some formats forbid. All settings for JSON apply.
 */
export function sendJsonAs(res: Response, type: string, body: unknown): void {
  let text = ''
  const send = (written: string) => {
    text = written
    return res
  }
  res.setHeader('Content-Type', type)
  expressJson.call(Object.create(res, { send: { value: send } }), prepared(res as never, body))
  res.send(Buffer.from(text))
}

/** A function that has replaced Express' `json` receives the original body. */
function callExpress(res: Response & OwnJson, body: unknown): Response {
  const { json } = express.response
  return json.call(res, json === expressJson ? prepared(res, body) : body) as Response
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
