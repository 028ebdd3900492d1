import { type OutgoingHttpHeader, ServerResponse } from 'node:http'
import express, { type Application } from 'express'
import type { Response } from '../../contracts/handler.js'
import { kAdded, kLead, kPrepare } from '../own-fields.js'
import { isHeadUntouched, type OwnHeaders } from './response-headers.js'
import { canLead, headerLine, type StaticHeaders } from './static-headers.js'

export const JSON_TYPE = 'application/json; charset=utf-8'
const NEGOTIATED = ['Content-Type', 'ETag', 'Last-Modified'] as const

/** Node's server listens itself. */
const NODE_FINISH_LISTENERS = 1

// Node's own: the chain under `ServerResponse`, and not what is copied over it.
const node = ServerResponse.prototype
const { json: expressJson, send: expressSend } = express.response

/** Makes of a body what `JSON.stringify` makes the same of in less time. */
export type PrepareJson = (body: unknown) => unknown

/** What a response of ours knows of its JSON. */
export interface OwnJson {
  /** See {@link prepareJson}; `null` for most answers. */
  [kPrepare]: PrepareJson | null
}

/** Has the body of `res.json` prepared. */
export function prepareJson(res: Response, prepare: PrepareJson): void {
  ;(res as Response & OwnJson)[kPrepare] = prepare
}

/** A replacer is the application's own, and is told of everything as it is. */
function prepared(res: Response & OwnJson, body: unknown): unknown {
  return res[kPrepare] === null || res.app.get('json replacer') ? body : res[kPrepare](body)
}

/** The header of JSON as it goes over the wire. */
export const JSON_LINE: string = headerLine('Content-Type', JSON_TYPE)

/**
 * `res.json` without the ladder of Express' (content type, charset, ETag, freshness), which is
 * climbed only when a setting asks for one of its rungs.
 */
export function defineJson(prototype: Response, app: Application, { text }: StaticHeaders): void {
  const settings = ['etag fn', 'json spaces', 'json replacer', 'json escape']
  const lead = text + JSON_LINE
  let needsExpress: boolean | undefined
  prototype.json = function json(this: Response & OwnHeaders & OwnJson, body?: unknown) {
    needsExpress ??= isPatched() || settings.some((name) => Boolean(app.get(name)))
    // An application that is mounted in ours, or that ours is mounted in, has settings of its own; a middleware that replaced `send` waits for it.
    const isPlain = !needsExpress && this.app === app && this.send === expressSend
    if (!isPlain || hasNoContent(this.statusCode)) return climb(this, body)
    const content = JSON.stringify(prepared(this, body))
    if (content === undefined) return expressJson.call(this, body)
    const length = Buffer.byteLength(content)
    if (isUntouched(this, prototype)) {
      writeFlatHead(this, lead, ['Content-Length', length])
    } else {
      if (isNegotiated(this)) return expressJson.call(this, body)
      this.setHeader('Content-Type', JSON_TYPE)
      this.setHeader('Content-Length', length)
    }
    this.end(content)
    return this
  }
}

/** Whether somebody has replaced the `json` of all Express applications. */
function isPatched(): boolean {
  return express.response.json !== expressJson
}

/** Who has replaced it is told of everything as it is. */
function climb(res: Response & OwnJson, body: unknown): Response {
  const { json } = express.response
  return json.call(res, json === expressJson ? prepared(res, body) : body) as Response
}

/** Writes a head that nobody has touched, in one go. Throws on a reason phrase that HTTP cannot carry. */
export function writeFlatHead(res: Response & OwnHeaders, lead: string, headers: unknown[]): void {
  const added = res[kAdded]
  for (let i = 0; added !== null && i < added.length; i++) headers.push(added[i])
  res[kLead] = lead
  try {
    node.writeHead.call(res, res.statusCode, headers as OutgoingHttpHeader[])
  } finally {
    // What is sent after a refused head is another answer.
    res[kLead] = ''
  }
}

function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/**
 * Nobody set or removed a header, nor waits for the head (on-headers patches `writeHead` on the
 * instance, others `end`), nor for the end, where loggers read headers that a flat array does not leave behind.
 */
export function isUntouched(
  res: Response & OwnHeaders,
  { writeHead, end }: Pick<Response, 'writeHead' | 'end'>,
): boolean {
  return (
    canLead() &&
    isHeadUntouched(res) &&
    res.writeHead === writeHead &&
    res.end === end &&
    res.listenerCount('finish') <= NODE_FINISH_LISTENERS &&
    res.listenerCount('close') === 0
  )
}

/** A type that may lack its charset, or a validator that may make the answer 304: Express knows what to do. */
function isNegotiated(res: Response): boolean {
  return NEGOTIATED.some((name) => node.hasHeader.call(res, name))
}
